// The two waits. A target of a post is in progress while it is publishing, scheduled, or in a status that the API document
// does not list, because the document does not say which statuses change again. A Telegram pairing is in progress until
// it has an account, or has expired by the server's clock.

import { Failure } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import { quote } from '../../base/sanitize.ts';
import { flagWords } from '../../base/shell.ts';
import { isTimestamp } from '../schema/rules.ts';
import {
  hasTargets,
  isMoving,
  type TargetState,
  targetsOf,
  unknownStatuses,
} from '../schema/post.ts';
import type { WaitSubject, Operation, PollTime, Wait, WaitVerdict } from './define-operation.ts';

/** For this long a failed target that has not changed is pending: the service may not have started its retry. */
export const START_GRACE_MS = 30_000;

/** Waits until no target of a post is in progress; `poll` reads the post. */
export const waitForTargets = (poll: Operation): Wait => ({
  poll,
  summary: 'Wait until all targets are published or failed',
  reached: 'published',
  judge: judgeTargets,
  statesOf: (post) =>
    new Map(targetsOf(post).map(({ platform, id, status }) => [`${platform} ${id}`, status])),
  begin: beginTargets,
  resume: (ids, { wanted = [] }) => ({
    words: ['posts', 'wait'],
    ids,
    flags: flagWords('--target', ...wanted),
  }),
});

/** A wait starts from the response to the change if that shows every target, otherwise from the state before it. */
function beginTargets(id: string, response: unknown, { before, wanted }: WaitSubject) {
  if (before === undefined) return { state: response, wanted };
  // A retry that names no targets may be for all that had failed, or were in progress, before it.
  const expected = wanted ?? retriedTargets(before, before) ?? [];
  const state = showsTargets(response, id, expected) ? response : before;
  return { state, wanted: wanted ?? retriedTargets(before, state) };
}

/** True if a response shows these targets of this post. One without an ID is taken for the post that was asked for. */
const showsTargets = (post: unknown, id: string, targetIds: readonly string[]): boolean =>
  hasTargets(post) &&
  (post.id ?? id) === id &&
  targetIds.every((targetId) => post.targets.some((target) => target.id === targetId));

/**
 * Returns the targets of a retry that named none: all that had failed before, and all that the response shows in
 * progress. If there are none it returns `undefined`, which means all targets of the post: a wait for nothing proves
 * nothing.
 */
export function retriedTargets(before: unknown, response: unknown): readonly string[] | undefined {
  const failed = targetsOf(before).filter(hasFailed);
  const ids = new Set([...failed, ...targetsOf(response).filter(isMoving)].map(({ id }) => id));
  return ids.size === 0 ? undefined : [...ids];
}

const hasFailed = ({ status }: TargetState) => status === 'failed';

/**
 * Judges the state of a post, `elapsedMs` after the call that started its targets. Throws `not_found` if it lacks a
 * wanted target.
 */
export function judgeTargets(
  post: unknown,
  { wanted, before }: WaitSubject,
  { elapsedMs }: Pick<PollTime, 'elapsedMs'>,
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
  const earlier = before === undefined ? [] : targetsOf(before);
  const pending = targets.filter(
    (target) => isMoving(target) || (elapsedMs < START_GRACE_MS && isUnstarted(target, earlier)),
  );
  const ofAll = `of ${targets.length} target${targets.length === 1 ? '' : 's'}`;
  const standing = `${targets.length - pending.length} ${ofAll} finished`;
  const remarks = unknownStatuses(post).map(
    (status) => `unknown status ${quote(status)}: still waiting in case it changes`,
  );
  const good = targets.filter(isGood).map(({ id }) => id);
  const found = { standing, remarks, good, dueAt: dueAt(post, targets) };
  if (pending.length > 0) return { ...found, state: 'pending' };
  const bad = targets.filter((target) => !isGood(target));
  if (bad.length === 0) return { ...found, state: 'done' };
  const ids = bad.map(({ id }) => id);
  return { ...found, state: 'ended_badly', standing: inWords(bad, ofAll), bad: ids };
}

/** True if a target failed before the retry and has not changed since. */
function isUnstarted(target: TargetState, before: readonly TargetState[]): boolean {
  if (!hasFailed(target)) return false;
  const then = before.find(({ id }) => id === target.id);
  return then?.status === 'failed' && then.updatedAt === target.updatedAt;
}

const isGood = ({ status }: TargetState) => status === 'published';

/** Returns the latest scheduled time of these targets of a post. */
function dueAt(post: unknown, targets: readonly TargetState[]): string | undefined {
  const times = targets
    .filter(({ status }) => status === 'scheduled')
    .map(({ scheduledFor }) => scheduledFor ?? fieldsIn(post)['scheduledFor'])
    .filter((time): time is string => typeof time === 'string' && isTimestamp(time));
  return times.toSorted((a, b) => Date.parse(a) - Date.parse(b)).at(-1);
}

const fieldsIn = (data: unknown): Readonly<Record<string, unknown>> => (isObject(data) ? data : {});

/** Formats failed targets as `1 of 2 targets failed: mastodon`, followed by other statuses. */
function inWords(bad: readonly TargetState[], ofAll: string): string {
  const statuses = [...new Set(bad.map(({ status }) => status))];
  const clauses = statuses.map((status, i) => {
    const sameStatus = bad.filter((target) => target.status === status);
    const platforms = [...new Set(sameStatus.map(({ platform }) => platform))].join(', ');
    return `${sameStatus.length}${i === 0 ? ` ${ofAll}` : ''} ${status}: ${platforms}`;
  });
  return clauses.join('; ');
}

/** Waits until a pairing has an account or has ended; `noun` is its name in messages. */
export const waitForPairing = (noun: string): Wait => ({
  summary: 'Wait until paired or expired',
  reached: 'paired',
  judge(data, _subject, time) {
    const verdict = judgePairing(data, time);
    if (verdict.state !== 'ended_badly') return verdict;
    const hint = 'this pairing cannot be resumed: start a new one at the service';
    return { ...verdict, standing: `${noun} ${verdict.standing}`, hint };
  },
  statesOf: (data) => new Map([['pairing', statusOf(data)]]),
});

function statusOf(data: unknown): string {
  const { status } = fieldsIn(data);
  return typeof status === 'string' ? status : '-';
}

/**
 * Judges the state of a pairing: only `new` and `pending…` are in progress, any other status without an account is an
 * end.
 */
export function judgePairing(pairing: unknown, { now }: Pick<PollTime, 'now'>): WaitVerdict {
  const { account, expiresAt, status } = fieldsIn(pairing);
  if (isObject(account)) return { state: 'done', standing: 'paired' };
  if (typeof expiresAt === 'string' && isTimestamp(expiresAt) && Date.parse(expiresAt) <= now)
    return { state: 'ended_badly', standing: `expired at ${expiresAt}` };
  if (typeof status !== 'string')
    return { state: 'ended_badly', standing: 'ended without a status or an account' };
  if (status === 'new' || status.startsWith('pending'))
    return { state: 'pending', standing: status };
  return { state: 'ended_badly', standing: `ended as ${status}, without an account` };
}
