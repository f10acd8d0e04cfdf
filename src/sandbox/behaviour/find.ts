// Finding what a request names, or refusing: the same words for the same fault in every area.

import type { Kind, Kinds, StoredAccount } from '../kinds.ts';
import type { Records } from '../records.ts';
import { conflict, invalid, notFound } from '../refusal.ts';

/** The thing, or a 404 that calls it by `word`. */
export function find<K extends Kind>(
  records: Records,
  kind: K,
  id: string,
  word: string = kind,
): Kinds[K] {
  const found = records.get(kind, id);
  if (found === undefined) throw notFound(word, id);
  return found;
}

/** An account that can act on a platform: 404 unknown, 422 of another platform, 409 when a person must reconnect it. */
export function accountOn(records: Records, platform: string, id: string): StoredAccount {
  const account = find(records, 'account', id);
  if (account.platform !== platform) {
    throw invalid([
      {
        field: 'accountId',
        message: `must be a ${platform} account, ${id} is on ${account.platform}`,
      },
    ]);
  }
  if (account.needsReconnect) {
    throw conflict(
      'reconnect_required',
      `${account.displayName} (${id}) must be reconnected before it can act.`,
    );
  }
  return account;
}
