// Handlers for destinations and pairings. A pairing progresses by the clock, from the first time it is read.

import { notFound } from '../responses.ts';
import type { Pairing, StoredRecords } from '../store/tables.ts';
import { accountOn, find, type HandlersOf, toTimestamp } from './handler.ts';

/** The start of each step, counted from the first read. */
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
    const session = begun(records, 'session', sessionId);
    const steps = [
      [0, 'pending_start'],
      [CONFIRMING_AFTER_MS, 'pending_confirmation'],
    ] as const;
    return { sessionId, ...pairingAt(session, records.now, steps, SESSION_CONNECTED_AFTER_MS) };
  },

  telegramAccessCode({ code }, records) {
    const pairing = begun(records, 'code', code);
    return { code, ...pairingAt(pairing, records.now, [[0, 'pending']], CODE_CONNECTED_AFTER_MS) };
  },
};

type Begun = Pairing & { readonly startedAt: number };

/** Returns the pairing, and starts its clock at the first read. */
function begun(records: StoredRecords, kind: 'session' | 'code', id: string): Begun {
  const pairing = find(records, kind, id, kind === 'code' ? 'access_code' : 'session');
  const startedAt = pairing.startedAt ?? records.now;
  const running = { ...pairing, startedAt };
  if (pairing.startedAt === undefined) records.put(kind, id, running);
  return running;
}

function pairingAt(
  { startedAt, account }: Begun,
  now: number,
  steps: readonly (readonly [afterMs: number, status: string])[],
  connectedAfterMs: number,
) {
  const age = now - startedAt;
  const pending = steps.findLast(([afterMs]) => age >= afterMs)?.[1] ?? steps[0]![1];
  const expiresAt = toTimestamp(startedAt + LASTS_MS);
  return age < connectedAfterMs
    ? { status: pending, expiresAt }
    : { status: 'connected', expiresAt, account };
}
