// The two waits. A target of a post is in progress while it is publishing, scheduled, or in a status that the API document
// does not list, because the document does not say which statuses change again. A Telegram pairing is in progress until
// it has an account with an ID, or its code has expired by the server's clock.

import { Failure } from '../../base/errors.ts';
import { isObject, ownProperty } from '../../base/json.ts';
import { quote } from '../../base/sanitize.ts';
import { flagWords } from '../../base/shell.ts';
import { closestWord } from '../../base/suggestions.ts';
import { isTimestamp, statusTone } from '../schema/rules.ts';
import {
  hasTargets,
  isMoving,
  type TargetState,
  targetsOf,
  unknownStatuses,
} from '../schema/post.ts';
import type {
  WaitSubject,
  Operation,
  PollTime,
  Stage,
  Wait,
  WaitVerdict,
} from './define-operation.ts';
import { endAtRead, newestOf, type PartEnd, seenIn, MAY_START_MS } from './part-states.ts';

/** Waits until no target of a post is in progress; `poll` reads the post. */
export const waitForTargets = (poll: Operation): Wait => ({
  poll,
  summary: 'Wait until all targets are published or failed',
  reached: 'published',
  judge: judgeTargets,
  statesOf: (post) =>
    new Map(targetsOf(post).map(({ platform, id, status }) => [`${platform} ${id}`, status])),
  partsOf: retriedTargets,
  resume: (ids, { wanted = [] }) => ({
    words: ['posts', 'wait'],
    ids,
    flags: flagWords('--target', ...wanted),
  }),
});

/** A failed target that is waited for this long needs a reason. */
const UNEXPLAINED_MS = 3000;
const AS_BEFORE = `failed as before the retry: waiting up to ${MAY_START_MS.accepted / 1000}s in case the service has not started it`;

/**
 * Returns the targets of a retry that named none: all that had failed before, and all that the response shows in
 * progress. If there are none it returns `undefined`, which means all targets of the post: a wait for nothing proves
 * nothing.
 */
function retriedTargets(before: unknown, response: unknown): readonly string[] | undefined {
  const failed = shownTargets(before).filter(({ status }) => status === 'failed');
  const moving = shownTargets(response).filter(isMoving);
  const ids = new Set([...failed, ...moving].map(({ id }) => id));
  return ids.size === 0 ? undefined : [...ids];
}

const shownTargets = (post: unknown) => (hasTargets(post) ? post.targets : []);

/** The failure for an ID that is not one of the post's targets; its hint names these. */
export function noSuchTarget(missing: string, all: readonly TargetState[]): Failure {
  const named = all.map(({ platform, id }) => `${platform} ${id}`);
  const ids = all.map(({ id }) => id);
  const near = closestWord(missing, ids);
  const meant = near === undefined ? '' : `did you mean ${near}? `;
  return new Failure('not_found', {
    what: `the post has no target ${missing}`,
    hint: all.length === 0 ? 'it has no targets' : `${meant}its targets: ${named.join(', ')}`,
    sent: true,
    retryable: false,
  });
}

/**
 * Judges the state of a post, `elapsedMs` after the call that started its targets. Throws `not_found` if it lacks a
 * wanted target.
 */
export function judgeTargets(post: unknown, subject: WaitSubject, time: PollTime): WaitVerdict {
  const { wanted } = subject;
  const all = targetsOf(post);
  const missing = wanted?.find((id) => all.every((target) => target.id !== id));
  if (missing !== undefined) throw noSuchTarget(missing, all);
  const targets = wanted === undefined ? all : all.filter(({ id }) => wanted.includes(id));
  if (targets.length === 0) {
    const none = 'the post has no targets';
    return { state: 'ended_badly', standing: none, result: none };
  }
  const ends = endsOf(post, subject, time);
  const idsThat = (isSo: (end: PartEnd) => boolean) =>
    [...new Set(targets.map(({ id }) => id))].filter((id) => isSo(ends.get(id)!));
  const pending = idsThat((end) => end === 'moving');
  const count = idsThat(() => true).length;
  const ofAll = `of ${count} target${count === 1 ? '' : 's'}`;
  const standing = `${count - pending.length} ${ofAll} finished`;
  const remarks = unknownStatuses(post).map(
    (status) => `unknown status ${quote(status)}: still waiting in case it changes`,
  );
  const mayNotHaveStarted = ({ id, status }: TargetState) =>
    status === 'failed' && pending.includes(id);
  if (time.elapsedMs >= UNEXPLAINED_MS && targets.some(mayNotHaveStarted)) remarks.push(AS_BEFORE);
  const good = idsThat((end) => end === 'published');
  const ids = idsThat((end) => end === 'failed' || end === 'ended');
  const found = { standing, remarks, good, dueAt: dueAt(post, targets) };
  if (pending.length > 0) return { ...found, state: 'pending' };
  if (ids.length === 0) return { ...found, state: 'done' };
  // A target that is listed twice is named once.
  const bad = ids.map((one) => targets.find(({ id }) => id === one)!);
  const clauses = clausesOf(bad, ofAll);
  return {
    ...found,
    state: 'ended_badly',
    standing: clauses.map(([words, platforms]) => `${words}: ${platforms}`).join('; '),
    result: clauses.map(([words]) => words).join('; '),
    bad: ids,
  };
}

/** Tells for each target of a post whether it has ended. */
export function endsOf(
  post: unknown,
  { accepted }: Pick<WaitSubject, 'accepted'>,
  { elapsedMs, serverTime, isCached, newest = new Map() }: PollTime,
): ReadonlyMap<string, PartEnd> {
  const ends = new Map<string, PartEnd>();
  for (const [id, states] of Object.entries(seenIn(post, serverTime).parts)) {
    const time = { elapsedMs, serverTime, newest: newest.get(id), isCached };
    ends.set(id, endAtRead(states, accepted?.get(id), time));
    const newestNow = Math.max(newest.get(id) ?? -Infinity, newestOf(states));
    if (isCached !== true) newest.set(id, newestNow);
  }
  return ends;
}

/** Returns the latest scheduled time of these targets of a post. */
function dueAt(post: unknown, targets: readonly TargetState[]): string | undefined {
  const times = targets
    .filter(({ status }) => status === 'scheduled')
    .map(({ scheduledFor }) => scheduledFor ?? fieldsIn(post)['scheduledFor'])
    .filter((time): time is string => typeof time === 'string' && isTimestamp(time));
  return times.toSorted((a, b) => Date.parse(a) - Date.parse(b)).at(-1);
}

const fieldsIn = (data: unknown): Readonly<Record<string, unknown>> => (isObject(data) ? data : {});

/** Formats the number of targets for each status, `1 of 2 targets failed`, with their platforms. */
function clausesOf(bad: readonly TargetState[], ofAll: string): readonly [string, string][] {
  const statuses = [...new Set(bad.map(({ status }) => status))];
  return statuses.map((status, i) => {
    const same = bad.filter((target) => target.status === status);
    const platforms = [...new Set(same.map(({ platform }) => platform))].join(', ');
    return [`${same.length}${i === 0 ? ` ${ofAll}` : ''} ${status}`, platforms];
  });
}

/** Waits until a pairing has an account or has ended; `noun` is its name in messages. */
export const waitForPairing = (noun: string): Wait => ({
  summary: 'Wait until paired or expired',
  reached: 'paired',
  everyMs: 1000,
  endsAt: expiryOf,
  stagesOf: stagesOfPairing,
  judge(data, _subject, time) {
    const verdict = judgePairing(data, time);
    if (verdict.state !== 'ended_badly') return verdict;
    return { ...verdict, standing: `${noun} ${verdict.standing}` };
  },
  statesOf: (data) => new Map([['pairing', statusOf(data)]]),
});

function statusOf(data: unknown): string {
  const { status } = fieldsIn(data);
  return typeof status === 'string' ? status : '-';
}

/** The statuses whose meaning is known, in words for the person at the phone. Any other is quoted. */
const stageWords: Readonly<Record<string, string>> = {
  '-': 'no status yet',
  pending: 'waiting for Start in Telegram',
  pending_start: 'waiting for Start in Telegram',
  pending_confirmation: 'waiting for confirmation',
  connected: 'waiting for the account',
};

function stagesOfPairing(pairing: unknown): readonly Stage[] {
  const status = statusOf(pairing);
  const created: Stage = ['done', 'code created'];
  if (isPaired(pairing)) return [created, ['done', 'connected']];
  const started: readonly Stage[] = status === 'pending_confirmation' ? [['done', 'Start']] : [];
  const words = ownProperty(stageWords, status);
  const isBad = statusTone(status) === 'bad';
  const now: Stage =
    words === undefined ? [isBad ? 'bad' : 'odd', `the service says ${status}`] : ['now', words];
  return [created, ...started, now, ['next', 'connected']];
}

/** True if the pairing has an account with an ID: no status proves that. */
export function isPaired(pairing: unknown): boolean {
  const id = fieldsIn(fieldsIn(pairing)['account'])['accountId'];
  return typeof id === 'string' && id !== '';
}

export function expiryOf(pairing: unknown): number | undefined {
  const { expiresAt } = fieldsIn(pairing);
  const isTime = typeof expiresAt === 'string' && isTimestamp(expiresAt);
  return isTime ? Date.parse(expiresAt) : undefined;
}

/**
 * Judges the state of a pairing: it is done with an account that has an ID, and over once its code has expired. A status
 * proves neither, because the API document lists only one of each kind.
 */
export function judgePairing(pairing: unknown, { now }: Pick<PollTime, 'now'>): WaitVerdict {
  if (isPaired(pairing)) return { state: 'done', standing: 'paired' };
  const standing = `expired at ${String(fieldsIn(pairing)['expiresAt'])}`;
  if ((expiryOf(pairing) ?? Infinity) <= now) return { state: 'ended_badly', standing };
  const status = statusOf(pairing);
  const words = ownProperty(stageWords, status);
  if (words !== undefined) return { state: 'pending', standing: words };
  const says = `the service says ${status}`;
  const unsure = 'the API document does not say whether that is the end';
  const hint = `${unsure}\nif it stays so, make a new one in the service and wait for that`;
  return { state: 'pending', standing: says, hint, remarks: [`${says}; ${unsure}`] };
}
