// The states of the parts of a resource in responses, such as the targets of a post, and the end of a change of a part.
// Waits, resumed waits and the next retry all ask `endOf`, so that they cannot differ. `history settle` has a rule of its
// own (`settle.ts`): it compares two reads, and waits for nothing.

import { sha256 } from '../../base/hash.ts';
import { isMoving, hasTargets } from '../schema/post.ts';
import { isTimestamp } from '../schema/rules.ts';

/** The state of a part in one response. */
export interface PartState {
  readonly status: string;
  readonly updatedAt?: string | undefined;
  /** A hash of the first words of its error: files keep no text of the service. */
  readonly error?: string | undefined;
}

/** The states of all parts in one response. A list may show a part twice. */
export interface Seen {
  /** The service's clock, in milliseconds since 1970, if the response has it. */
  readonly date?: number | undefined;
  readonly parts: Readonly<Record<string, readonly PartState[]>>;
}

/** The acceptance of a change of one part, with all that was seen of the part up to it. */
export interface Acceptance {
  /** The states before the change. */
  readonly before: readonly PartState[];
  /** The states in the response that accepted it; empty if that shows none. */
  readonly answered: readonly PartState[];
  /** The service's clock at the acceptance. */
  readonly date?: number | undefined;
  /** True if another process has sent the change, or this one before the present wait. */
  readonly isEarlier?: boolean | undefined;
}

/** `ended`: neither published nor failed, and not in progress. */
export type PartEnd = 'moving' | 'published' | 'failed' | 'ended';

const MINUTE_MS = 60_000;
/** The time, in milliseconds, for which a change that has shown no effect may still start. */
export const MAY_START_MS = {
  /** Accepted: a wait believes a part that reads as before only after this. */
  accepted: 30_000,
  /** Its outcome is unknown: `history settle` says *not done* only this long after its end. */
  unknown: MINUTE_MS,
  /** Its outcome is unknown and a gateway answered, or the post is publishing: it may be in a queue. */
  queued: 15 * MINUTE_MS,
  /** Its process was killed: for the time to connect, its request may still have left. */
  killed: 30_000,
  /** Accepted earlier: a state older than the change comes, until then, from a read that lags behind. */
  lagging: 15 * MINUTE_MS,
};

/** The length of an error by which it is recognised: a time or an ID near its end may differ in each response. */
const FIRST_WORDS = 60;
const HASH_LENGTH = 11;

/** Returns the states of the targets that a post shows; none if it shows no targets. */
export function seenIn(post: unknown, date: number | undefined): Seen {
  const parts = new Map<string, PartState[]>();
  for (const { id, status, updatedAt, error } of hasTargets(post) ? post.targets : []) {
    const time = typeof updatedAt === 'string' ? updatedAt : undefined;
    const state = { status, updatedAt: time, error: errorHash(error) };
    parts.set(id, [...(parts.get(id) ?? []), state]);
  }
  return { date, parts: Object.fromEntries(parts) };
}

function errorHash(error: unknown): string | undefined {
  if (typeof error !== 'string' || error === '') return undefined;
  const words = error.slice(0, FIRST_WORDS);
  return sha256(words, 'base64url').slice(0, HASH_LENGTH);
}

/** Returns the states of one part; none if the response does not show it. */
export const statesOf = (seen: Seen | undefined, part: string): readonly PartState[] =>
  seen !== undefined && Object.hasOwn(seen.parts, part) ? seen.parts[part]! : [];

/** Makes the acceptance of a change of a part from the read before it and the response that accepted it. */
export const acceptanceOf = (
  part: string,
  before: Seen | undefined,
  answered: Seen | undefined,
  more: Pick<Acceptance, 'date' | 'isEarlier'>,
): Acceptance => ({
  before: statesOf(before, part),
  answered: statesOf(answered, part),
  ...more,
});

/**
 * Returns the parts of a request that named none: it is for those that had failed before, or without a read for all that
 * the response shows.
 */
export const retriedParts = (before: Seen | undefined, answered: Seen): readonly string[] =>
  Object.entries(before?.parts ?? answered.parts)
    .filter(
      ([, states]) => before === undefined || states.some(({ status }) => status === 'failed'),
    )
    .map(([part]) => part);

/** The circumstances of a read. */
export interface ReadFacts {
  /** Milliseconds since the change was accepted. */
  readonly sinceMs: number;
  /** The newest time of change that any response has shown of the part. */
  readonly newest?: number | undefined;
  /** True for a response that a cache has kept. */
  readonly isCached?: boolean | undefined;
}

/**
 * Judges whether a part has ended, by its states in one read. A published one stays so. Otherwise a read from a cache, or
 * older than one before it, proves nothing, and after a change a state that was seen up to its acceptance proves nothing
 * until the change had time to start.
 */
export function endOf(
  states: readonly PartState[],
  acceptance: Acceptance | undefined,
  { sinceMs, newest = -Infinity, isCached = false }: ReadFacts,
): PartEnd {
  if (states.length === 0 || states.some(isMoving)) return 'moving';
  // If a part is listed twice, the state counts after which a retry would be wrong.
  if (states.some(({ status }) => status === 'published')) return 'published';
  if (isCached || states.every((state) => isOlder(state, newest))) return 'moving';
  const isOver = acceptance === undefined || sinceMs >= MAY_START_MS.accepted;
  if (!isOver && !states.every((state) => isNews(state, acceptance))) return 'moving';
  return states.every(({ status }) => status === 'failed') ? 'failed' : 'ended';
}

/** The time of a read, and what the reads before it have shown. */
export interface ReadTime {
  /** Milliseconds since this process began to wait. */
  readonly elapsedMs: number;
  readonly serverTime?: number | undefined;
  readonly newest?: number | undefined;
  readonly isCached?: boolean | undefined;
}

/** As `endOf`, by the dates of the service: the time since an earlier acceptance is known by its clock alone. */
export function endAtRead(
  states: readonly PartState[],
  acceptance: Acceptance | undefined,
  { elapsedMs, serverTime, newest = -Infinity, isCached }: ReadTime,
): PartEnd {
  const { before = [], answered = [], date, isEarlier } = acceptance ?? {};
  const knownMs = date === undefined || serverTime === undefined ? 0 : serverTime - date;
  return endOf(states, acceptance, {
    sinceMs: isEarlier === true ? Math.max(knownMs, elapsedMs) : elapsedMs,
    newest: Math.max(newest, newestOf([...before, ...answered])),
    isCached,
  });
}

/** Returns the newest time of change in these states; `-Infinity` if they have none. */
export const newestOf = (states: readonly PartState[]): number =>
  Math.max(...states.map(({ updatedAt }) => timeOf(updatedAt) ?? -Infinity));

/**
 * True if a state came about after the acceptance: it differs from all that were seen up to then. Some services touch
 * `updatedAt` when they accept a change, and may answer with the state before that. So, unless the response has shown a
 * new state, the same failure with another time counts only if it is not dated about the acceptance; and if the response
 * did not show the part at all, only if it is dated after it.
 */
function isNews(state: PartState, { before, answered, date }: Acceptance): boolean {
  const seen = [...before, ...answered];
  if (seen.some((earlier) => isSameState(earlier, state))) return false;
  const hasShownStart = answered.some((one) => !before.some((old) => isSameState(old, one)));
  if (hasShownStart) return true;
  const isNewError = state.error !== undefined && seen.every(({ error }) => error !== state.error);
  if (isNewError && seen.length > 0) return true;
  const at = timeOf(state.updatedAt);
  if (at === undefined || date === undefined) return false;
  if (at > date + DATE_STEP_MS) return true;
  return answered.length > 0 && at < date - DATE_STEP_MS;
}

/** A Date header counts whole seconds. */
const DATE_STEP_MS = 1000;

/** True if two responses show the same state of a part; one of them may round its time. */
export function isSameState(one: PartState, other: PartState): boolean {
  if (one.status !== other.status || one.error !== other.error) return false;
  if (one.updatedAt === other.updatedAt) return true;
  const [a, b] = [timeOf(one.updatedAt), timeOf(other.updatedAt)];
  if (a === undefined || b === undefined) return false;
  return Math.abs(a - b) < Math.max(stepOf(one.updatedAt!), stepOf(other.updatedAt!));
}

/** True if a state is certainly older than `newest`. */
export function isOlder({ updatedAt }: PartState, newest: number): boolean {
  const at = timeOf(updatedAt);
  return at !== undefined && at + stepOf(updatedAt!) <= newest;
}

const timeOf = (text: string | undefined): number | undefined =>
  text !== undefined && isTimestamp(text) ? Date.parse(text) : undefined;

/** Returns the precision of a timestamp, in milliseconds. */
function stepOf(timestamp: string): number {
  const fraction = /\.(\d+)Z$/.exec(timestamp)?.[1];
  // `.000` may come from a clock without fractions. Finer ones count as milliseconds, as `Date.parse` reads them.
  if (fraction !== undefined && Number(fraction) > 0)
    return Math.max(1, 1000 / 10 ** fraction.length);
  return /T\d\d:\d\d:\d\d/.test(timestamp) ? 1000 : 60_000;
}
