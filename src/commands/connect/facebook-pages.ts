// `connect facebook pages --require-ready`: exit 10 unless the account can publish.

import { Failure } from '../../base/errors.ts';
import { valueAt } from '../../output/columns.ts';
import type { CommandHooks } from '../../client/call-context.ts';

export const requireReadyPages: CommandHooks = {
  flags: [
    {
      flags: '--require-ready',
      description: 'Fail (exit 10) unless the account is ready to publish',
    },
  ],
  async after({ data }, _input, { flags }) {
    if (flags['requireReady'] !== true || valueAt(data, 'readiness.ready') === true)
      return undefined;
    const status = valueAt(data, 'readiness.status');
    throw new Failure('ended_badly', {
      what: `the account is not ready to publish${typeof status === 'string' ? ` (${status})` : ''}`,
      sent: true,
    });
  },
};
