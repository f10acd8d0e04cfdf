// Handlers for destinations and pairings. A pairing progresses by the clock, from the first time it is read.

import { notFound } from '../responses.ts';
import type { StoredRecords } from '../store/tables.ts';
import { accountOn, find, type HandlersOf, toTimestamp } from './handler.ts';

/** The start of each step and the end of the pairing, counted from the first read. */
const CONFIRMING_AFTER_MS = 2000;
const SESSION_CONNECTED_AFTER_MS = 6000;
const CODE_CONNECTED_AFTER_MS = 4000;
const LASTS_MS = 600_000;

export const connect: HandlersOf<'connect'> = {
  pinterestSelectBoard({ accountId, profileId, boardId }, records) {
    const account = accountOn(records, 'pinterest', accountId);
    const board = find(records, 'board', boardId);
    if (board.accountId !== accountId) throw notFound('board', boardId);
    return {
      accountId,
      platform: 'pinterest',
      providerAccountId: account.providerAccountId,
      displayName: account.displayName,
      attachedToProfileId: profileId,
      returnTo: `/profiles/${encodeURIComponent(profileId)}/destinations`,
    };
  },

  facebookPages({ accountId }, records) {
    accountOn(records, 'facebook', accountId);
    const at = toTimestamp(records.now);
    const pages = find(records, 'pages', accountId);
    return { ...pages, fetchedAt: at, readiness: { ...pages.readiness, checkedAt: at } };
  },

  redditFlairs({ accountId, subreddit }, records) {
    accountOn(records, 'reddit', accountId);
    return find(records, 'subreddit', subreddit.toLowerCase());
  },

  telegramSession({ sessionId }, records) {
    const { age, expiresAt, account, stays } = pairingAt(records, 'session', sessionId);
    if (stays !== undefined) return { sessionId, status: stays, expiresAt };
    if (age >= SESSION_CONNECTED_AFTER_MS)
      return { sessionId, status: 'connected', expiresAt, account };
    const status = age < CONFIRMING_AFTER_MS ? 'pending_start' : 'pending_confirmation';
    return { sessionId, status, expiresAt };
  },

  telegramAccessCode({ code }, records) {
    const { age, expiresAt, account, stays } = pairingAt(records, 'code', code);
    if (stays !== undefined) return { code, status: stays, expiresAt };
    return age < CODE_CONNECTED_AFTER_MS
      ? { code, status: 'pending', expiresAt }
      : { code, status: 'connected', expiresAt, account };
  },
};

/** Returns a pairing with its age in milliseconds and its end. Its clock starts at the first read. */
function pairingAt(records: StoredRecords, kind: 'session' | 'code', id: string) {
  const pairing = find(records, kind, id, kind === 'code' ? 'access_code' : 'session');
  const { startedAt = records.now, lastsMs = LASTS_MS } = pairing;
  if (pairing.startedAt === undefined) records.put(kind, id, { ...pairing, startedAt });
  const age = records.now - startedAt;
  return { ...pairing, age, expiresAt: toTimestamp(startedAt + lastsMs) };
}
