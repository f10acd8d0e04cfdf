// Platform app credentials in the sandbox: disabling one cuts off the accounts that are linked to it.

import type { BehavioursOf } from '../behaviour.ts';
import { stamp } from '../stamp.ts';
import { find } from './find.ts';

export const credentials: BehavioursOf<'credentials'> = {
  /** `connectedAccountCount` counts those that were connected until now; a second call finds none. */
  disable({ credentialId }, records) {
    const before = find(records, 'credential', credentialId);
    const linked = records
      .list('account')
      .filter((account) => account.credentialId === credentialId);
    for (const account of linked) {
      if (account.needsReconnect && !account.connected) continue;
      records.put('account', account.id, { ...account, connected: false, needsReconnect: true });
    }
    const isDisabled = before.status === 'disabled';
    const credential = isDisabled
      ? before
      : {
          ...before,
          status: 'disabled',
          version: (before.version ?? 0) + 1,
          updatedAt: stamp(records.now),
        };
    if (!isDisabled) records.put('credential', credentialId, credential);
    return {
      credential,
      impact: {
        linkedAccountCount: linked.length,
        connectedAccountCount: linked.filter((account) => account.connected).length,
        needsReconnectAccountCount: linked.length,
      },
      action: 'disabled',
    };
  },
};
