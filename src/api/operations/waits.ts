// What is waited for. The targets of a post: the API document shows no transitions, so publishing and scheduled count as
// moving, and a status that nobody knows keeps the wait going. A Telegram pairing: until there is an account, or it has
// expired by the server's clock.

import { Failure } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import { quote } from '../../base/sanitize.ts';
import { isTimestamp } from '../schema/rules.ts';
import {
  hasTargets,
  isMoving,
  type TargetState,
  targetsOf,
  unknownStatuses,
} from '../schema/target-states.ts';
import type { Operation, Wait } from './define-operation.ts';
import type { Awaited, PollTime, WaitVerdict } from './wait.ts';

const GRACE_MS = 30_000;

/** Until the targets of a post have settled; `poll` reads the post. */
export const waitForTargets = (poll: Operation): Wait => ({
  poll,
  summary: 'Wait until all targets are published or failed',
  reached: 'published',
  judge: judgeTargets,
  tells: (post, id, parts) =>
    hasTargets(post) &&
    (post.id ?? id) === id &&
    parts.every((part) => post.targets.some((target) => target.id === part)),
  statesOf: (post) =>
    new Map(targetsOf(post).map(({ platform, id, status }) => [`${platform} ${id}`, status])),
  partsOf: (post, { wanted }) =>
    targetsOf(post)
      .filter(({ id }) => wanted === undefined || wanted.includes(id))
      .map(({ platform, status }) => [platform, status]),
  remember: (post) => ({
    targets: targetsOf(post)
      .filter(hasFailed)
      .map(({ id, status, updatedAt }) => ({ id, status, updatedAt })),
  }),
  startedBy: retriedTargets,
  notBefore(post, { wanted }, id) {
    if (!isObject(post) || !Array.isArray(post['targets'])) return undefined;
    const [latest] = targetsOf(post)
      .filter((target) => target.status === 'scheduled' && wanted?.includes(target.id) !== false)
      .map(({ scheduledFor }) => scheduledFor ?? post['scheduledFor'])
      .filter((due): due is string => typeof due === 'string' && isTimestamp(due))
      .toSorted((a, b) => Date.parse(b) - Date.parse(a));
    if (latest === undefined) return undefined;
    return { at: latest, clause: `post ${id} is scheduled for ${latest}` };
  },
  remarks: (post) =>
    unknownStatuses(post).map(
      (status) => `unknown status ${quote(status)}: still waiting in case it changes`,
    ),
  resume: (ids, { wanted = [] }) =>
    `posts wait ${ids.join(' ')}${wanted.map((id) => ` --target ${id}`).join('')}`,
});

/**
 * The targets that a retry is about, where none were named: every one that had failed before, and every one that
 * the answer shows moving. Where there are none, all that the post has: a wait that counts nothing proves nothing.
 */
export function retriedTargets(before: unknown, answer: unknown): readonly string[] | undefined {
  const failed = targetsOf(before).filter(hasFailed);
  const ids = new Set([...failed, ...targetsOf(answer).filter(isMoving)].map(({ id }) => id));
  return ids.size === 0 ? undefined : [...ids];
}

const hasFailed = ({ status }: TargetState) => status === 'failed';

const isGood = ({ status }: TargetState) => status === 'published';

/** How a post stands, `elapsedMs` after the call that set its targets moving. */
export function judgeTargets(
  post: unknown,
  { wanted, before }: Awaited,
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
  const then = before === undefined ? [] : targetsOf(before);
  const isPending = (target: TargetState) =>
    isMoving(target) || (elapsedMs < GRACE_MS && isUnstarted(target, then));
  const resting = targets.filter((target) => isGood(target) || !isPending(target));
  const of = `of ${targets.length} target${targets.length === 1 ? '' : 's'}`;
  const standing = `${resting.length} ${of} finished`;
  const good = targets.filter(isGood).map(({ id }) => id);
  if (resting.length < targets.length) return { state: 'pending', standing, good };
  const bad = targets.filter((target) => !isGood(target));
  if (bad.length === 0) return { state: 'done', standing, good };
  return { state: 'ended_badly', standing: inWords(bad, of), bad: bad.map(({ id }) => id), good };
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

/** Whether a target failed before the retry and has not changed since. */
function isUnstarted(target: TargetState, before: readonly TargetState[]): boolean {
  if (!hasFailed(target)) return false;
  const then = before.find(({ id }) => id === target.id);
  return then?.status === 'failed' && then.updatedAt === target.updatedAt;
}

/** Until a pairing has an account or is over; `subject` is what the command calls it. */
export const waitForPairing = (subject: string): Wait => ({
  summary: 'Wait until paired or expired',
  reached: 'paired',
  subject,
  hint: 'this pairing cannot be resumed: start a new one at the service',
  judge: judgePairing,
  statesOf: (data) => new Map([['pairing', statusOf(data)]]),
  partsOf: (data) => [['telegram', statusOf(data)]],
  expiresAt: (data) => fieldsIn(data)['expiresAt'],
});

const fieldsIn = (data: unknown): Readonly<Record<string, unknown>> => (isObject(data) ? data : {});

function statusOf(data: unknown): string {
  const { status } = fieldsIn(data);
  return typeof status === 'string' ? status : '-';
}

export function judgePairing(
  pairing: unknown,
  _awaited: Partial<Awaited>,
  { now }: Pick<PollTime, 'now'>,
): WaitVerdict {
  const { account, expiresAt, status } = fieldsIn(pairing);
  const word = typeof status === 'string' ? status : 'without a status';
  if (isObject(account)) return { state: 'done', standing: 'paired' };
  if (typeof expiresAt === 'string' && isTimestamp(expiresAt) && Date.parse(expiresAt) <= now)
    return { state: 'ended_badly', standing: `expired at ${expiresAt}` };
  if (word === 'new' || word.startsWith('pending')) return { state: 'pending', standing: word };
  return { state: 'ended_badly', standing: `ended as ${word}, without an account` };
}
