// Whether what is waited for has come to rest, judged on one look at it. Pure. The document shows no transitions:
// publishing and scheduled count as moving, a status that nobody knows keeps the wait going.
import { isTimestamp } from '../api/schema/rules.ts';
import { Failure } from '../base/errors.ts';
import { setRunningTimeout } from '../base/running-clock.ts';
import type { Result } from '../client/read-response.ts';
import type { RetryPolicy } from '../client/retry.ts';
import { type TargetState, targetsOf, isMoving } from '../api/schema/target-states.ts';

export interface WaitVerdict {
  readonly state: 'pending' | 'done' | 'ended_badly';
  /** Where things stand, as a clause: `1 of 2 targets settled`. */
  readonly standing: string;
  /** The targets that settled, and not as wanted. */
  readonly bad?: readonly TargetState[];
}

const GRACE_MS = 30_000;

/**
 * The targets that a retry is about, where none were named: every one that had failed before, and every one that
 * the answer shows moving. Where there are none, all that the post has: a wait that counts nothing proves nothing.
 */
export function retriedTargets(
  before: readonly TargetState[],
  answer: unknown,
): readonly string[] | undefined {
  const failed = before.filter(({ status }) => status === 'failed');
  const ids = new Set([...failed, ...targetsOf(answer).filter(isMoving)].map(({ id }) => id));
  return ids.size === 0 ? undefined : [...ids];
}

export interface TargetsAwaited {
  /** The targets that count; all of them without it. */
  readonly wanted: readonly string[] | undefined;
  /** The statuses that are a good end. */
  readonly goals: readonly string[];
  /** How the targets stood before the retry: one that still looks so has not started yet. */
  readonly before?: readonly TargetState[];
}

/** How a post stands, `elapsedMs` after the call that set its targets moving. */
export function judgeTargets(
  post: unknown,
  { wanted, goals, before = [] }: TargetsAwaited,
  elapsedMs: number,
): WaitVerdict {
  const all = targetsOf(post);
  const missing = wanted?.find((id) => all.every((target) => target.id !== id));
  if (missing !== undefined)
    throw new Failure('not_found', {
      what: `the post has no target ${missing}`,
      sent: true,
      retryable: false,
    });
  const targets = wanted === undefined ? all : all.filter(({ id }) => wanted.includes(id));
  if (targets.length === 0) return { state: 'ended_badly', standing: 'the post has no targets' };
  const good = targets.filter(({ status }) => goals.includes(status));
  const resting = targets.filter(
    (target) =>
      good.includes(target) || !(isMoving(target) || isUnstarted(target, before, elapsedMs)),
  );
  const of = `of ${targets.length} target${targets.length === 1 ? '' : 's'}`;
  const standing = `${resting.length} ${of} settled`;
  if (resting.length < targets.length) return { state: 'pending', standing };
  if (good.length === targets.length) return { state: 'done', standing };
  const bad = targets.filter((target) => !good.includes(target));
  return { state: 'ended_badly', standing: inWords(bad, of), bad };
}

/** `1 of 2 targets failed: mastodon`, with the other statuses behind it. */
function inWords(bad: readonly TargetState[], of: string): string {
  const statuses = [...new Set(bad.map(({ status }) => status))];
  const clauses = statuses.map((status, i) => {
    const those = bad.filter((target) => target.status === status);
    const platforms = [...new Set(those.map(({ platform }) => platform))].join(', ');
    return `${those.length}${i === 0 ? ` ${of}` : ''} ${status}: ${platforms}`;
  });
  return clauses.join('; ');
}

function isUnstarted(
  target: TargetState,
  before: readonly TargetState[],
  elapsedMs: number,
): boolean {
  if (elapsedMs >= GRACE_MS || target.status !== 'failed') return false;
  const then = before.find(({ id }) => id === target.id);
  return then?.status === 'failed' && then.updatedAt === target.updatedAt;
}

/** How a Telegram pairing stands at `serverNow`, the server's own clock in milliseconds since 1970. */
export function judgePairing(pairing: unknown, serverNow: number): WaitVerdict {
  const { account, expiresAt, status } = (pairing ?? {}) as Readonly<Record<string, unknown>>;
  const word = typeof status === 'string' ? status : 'without a status';
  if (typeof account === 'object' && account !== null) return { state: 'done', standing: 'paired' };
  if (
    typeof expiresAt === 'string' &&
    isTimestamp(expiresAt) &&
    Date.parse(expiresAt) <= serverNow
  ) {
    return { state: 'ended_badly', standing: `expired at ${expiresAt}` };
  }
  if (word === 'new' || word.startsWith('pending')) return { state: 'pending', standing: word };
  return { state: 'ended_badly', standing: `ended as ${word}, without an account` };
}

// Looks again and again until what is waited for has settled. Sleeps between looks, so that waiting costs nothing;
// a look that fails in passing is no end of the wait.

export interface PollOptions {
  /** One look; given up when the signal is aborted. */
  poll(signal: AbortSignal): Promise<Result>;
  /** How things stand; `elapsedMs` since the wait began. */
  judge(seen: Result, elapsedMs: number): WaitVerdict;
  /** Told after each look. */
  onLook(seen: Result, verdict: WaitVerdict): void;
  /** Milliseconds between looks at first; they grow to 15 s. */
  readonly intervalMs: number;
  /** Milliseconds for the whole wait. */
  readonly timeoutMs: number;
}

export interface PollResult {
  readonly last: Result;
  /** `pending` when time ran out, or when the looks failed. */
  readonly verdict: WaitVerdict;
  /** What the last of too many looks in a row failed by; nothing where time ran out. */
  readonly lost?: Failure;
}

const GROWTH = 1.25;
const LONGEST_INTERVAL_MS = 15_000;
const LONGEST_GAP_MS = 60_000;
const MOST_FAILURES = 10;
const LEAST_LOOK_MS = 1000;

/**
 * Waits until the verdict is no longer `pending`, or time is up. `first` is a look that was had already.
 * Throws what a look failed by where that will not pass, or where there is no state to show.
 */
export async function pollUntilSettled(
  watch: PollOptions,
  first: Result | undefined,
  { monotonic, random, sleep }: Pick<RetryPolicy, 'monotonic' | 'random' | 'sleep'>,
  signal: AbortSignal,
): Promise<PollResult> {
  const start = monotonic();
  const left = () => start + watch.timeoutMs - monotonic();
  let [intervalMs, failures, next] = [watch.intervalMs, 0, first];
  let seen: PollResult | undefined;
  for (;;) {
    const look = next ?? (await lookBefore(watch, left(), signal).catch(passing));
    let gap = intervalMs;
    if (look instanceof Failure) {
      const asked = look.facts.retryAfterMs ?? 0;
      gap = Math.max(asked, backoff(++failures, random));
      const isLate = left() <= 0;
      const isLost = failures >= MOST_FAILURES || asked >= left();
      if ((isLate || isLost) && seen === undefined) throw look;
      if (isLate) return seen!;
      if (isLost) return { ...seen!, lost: givenUp(look, failures) };
    } else {
      failures = 0;
      seen = { last: look, verdict: judged(watch, look, monotonic() - start) };
      if (seen.verdict.state !== 'pending' || left() <= 0) return seen;
    }
    next = undefined;
    await sleep(Math.max(1, Math.min(gap, left())), signal);
    intervalMs = Math.min(intervalMs * GROWTH, Math.max(watch.intervalMs, LONGEST_INTERVAL_MS));
  }
}

function judged(watch: PollOptions, last: Result, elapsedMs: number): WaitVerdict {
  const verdict = watch.judge(last, elapsedMs);
  watch.onLook(last, verdict);
  return verdict;
}

/** One look, which may not take longer than the wait itself, but for a moment when the end is near. */
async function lookBefore(
  watch: PollOptions,
  leftMs: number,
  signal: AbortSignal,
): Promise<Result> {
  const late = new AbortController();
  const cancel = setRunningTimeout(Math.max(leftMs, LEAST_LOOK_MS), () => late.abort(tooLate()));
  try {
    return await watch.poll(AbortSignal.any([signal, late.signal]));
  } finally {
    cancel();
  }
}

const tooLate = () =>
  new Failure('no_answer', {
    what: 'the wait ended before the service answered',
    sent: true,
    retryable: true,
    timedOut: true,
  });

/** The failure of a look after which the next one may succeed. Throws every other. */
function passing(error: unknown): Failure {
  if (!(error instanceof Failure)) throw error;
  if (error.facts.retryable === true || error.kind === 'no_answer') return error;
  throw error;
}

function givenUp({ kind, facts }: Failure, failures: number): Failure {
  const why =
    failures >= MOST_FAILURES
      ? `gave up after ${failures} failed polls in a row`
      : 'the service asks to wait longer than this wait lasts';
  return new Failure(kind, { ...facts, why: [...(facts.why ?? []), why] });
}

/** How long to leave a service alone that did not answer. */
function backoff(failures: number, random: () => number): number {
  return Math.min(1000 * 2 ** failures * (0.5 + random() / 2), LONGEST_GAP_MS);
}
