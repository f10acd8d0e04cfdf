// `connect telegram …` on a terminal: while a pairing is pending, offers to keep watching it; once it is there,
// says so in a line.

import { judgePairing } from '../../wait/poll.ts';
import { valueAt } from '../../output/columns.ts';
import { canAsk } from '../../prompts/policy.ts';
import { defaultWaiting, pairingName } from '../../wait/options.ts';
import type { Extra, Calling, Ended } from '../../client/call-context.ts';

export const pairing: Extra = {
  async after(result, input, calling) {
    const { settings, world } = calling;
    const { clockOf, formOf } = await import('../../output/write-result.ts');
    const { state, standing } = judgePairing(result.data, clockOf(world, result.serverTime));
    // The status of what has expired may still read as if somebody could answer it.
    if (state === 'ended_badly') calling.note(`${pairingName(calling.operation)} ${standing}`);
    if (formOf(settings, world.stdout) !== 'table') return undefined;
    if (state === 'done') congratulate(result, calling);
    if (state !== 'pending' || !canAsk(settings, world)) return undefined;
    const ask = await world.ask(settings.accessible);
    if (!(await ask.confirm('It is pending. Keep watching?', true))) return undefined;
    const { awaitSettled } = await import('../../wait/watch.ts');
    return awaitSettled(calling, { input, waiting: defaultWaiting });
  },
};

function congratulate({ data }: Ended, { note }: Calling): void {
  const [name, id] = ['displayName', 'accountId'].map((key) => valueAt(data, `account.${key}`));
  const whom = typeof name === 'string' ? name : 'the account';
  note(`paired: ${whom} is connected${typeof id === 'string' ? ` as ${id}` : ''}`);
}
