// Reads a post and selects its targets by their state: with --failed and the filters, or in a checklist with -i. A
// retry never names a published target. Skipped targets are counted by reason.

import { get } from '../../api/operations/posts.ts';
import type { Input } from '../../api/operations/define-operation.ts';
import type { Acceptance } from '../../api/operations/part-states.ts';
import { endsOf, noSuchTarget } from '../../api/operations/waits.ts';
import {
  isMoving,
  isPosted,
  isRetryable,
  targetsOf,
  type TargetState,
} from '../../api/schema/post.ts';
import { formatDuration } from '../../base/durations.ts';
import { Failure, ofResponse, unsentFailure, usageFailure } from '../../base/errors.ts';
import { socialLine } from '../../base/shell.ts';
import type { Session, NothingToSend, Prepared } from '../../client/session.ts';
import { callOperation } from '../../client/call-operation.ts';
import { ReadBefore } from '../../client/read-before.ts';
import { isUnsure, readCause } from '../../client/cause.ts';
import { LOOK_FIRST, MAY_BE_PUBLISHED, skippedLine } from '../../client/remedies.ts';
import type { CauseRule, TargetCause } from '../../client/taught-causes.ts';
import { oneOf } from '../../config/flag-types.ts';
import type { FlagSpec, RawFlags } from '../../config/flags.ts';
import { Platform } from '../../api/schema/platforms.ts';
import { clockOf } from '../../output/write-result.ts';
import { mayPrompt, openPrompts } from '../../prompts/confirm.ts';

/** True if --platform or --cause limits the targets. */
export const hasFilter = ({ platform, cause }: RawFlags): boolean =>
  platform !== undefined || cause !== undefined;

/** True if the targets are selected by the state of the post. */
export const selectsTargets = (flags: RawFlags): boolean =>
  flags['failed'] === true || flags['interactive'] === true || hasFilter(flags);

/** The flag that selects targets by their platform. */
export const platformFlag = (description: string): FlagSpec => ({
  flags: '--platform <platform>',
  description,
  repeatable: true,
  type: oneOf(Platform.options),
});

type TargetFilter = ReturnType<typeof targetFilter>;

/**
 * Makes the filter of the flags. Without any, every target passes. `named` are the targets that the input names: one of
 * them, or one with a cause that was asked for, is retried even if it may be published already.
 */
export function targetFilter(
  flags: RawFlags,
  rules: readonly CauseRule[] = [],
  named?: readonly string[],
) {
  const { platform: platforms, cause: causes } = flags as {
    readonly platform?: readonly string[];
    readonly cause?: readonly TargetCause[];
  };
  const isOn = ({ platform }: Pick<TargetState, 'platform'>) =>
    platforms?.includes(platform) ?? true;
  const hasCause = (target: TargetState) =>
    causes?.includes(readCause(target.platform, errorOf(target), rules).cause) ?? true;
  const wantsUnsure = causes?.includes('unsure') ?? (named !== undefined && !selectsTargets(flags));
  return {
    causes,
    /** True if the target may be published already, and neither a flag nor a record asks for it. */
    leavesOut: (target: TargetState) => !wantsUnsure && isUnsure(target, rules),
    /** True if the target is on one of the given platforms. */
    isOn,
    /** True if a failed target also has one of the given causes. */
    matches: (target: TargetState) => isOn(target) && hasCause(target),
  };
}

const errorOf = ({ error }: TargetState): string => (typeof error === 'string' ? error : '');

/** Returns the input with the failed targets that can be retried; if there are none, the call is not made. */
export async function selectTargets(
  input: Input,
  session: Session,
  waits: boolean,
): Promise<Prepared> {
  const { flags, settings, runtime, observer } = session;
  const isInteractive = flags['interactive'] === true;
  if (isInteractive && !mayPrompt(settings, runtime))
    throw usageFailure({ field: '--interactive', problem: 'needs a terminal' });
  const filter = targetFilter(flags, session.causeRules, namedTargets(input));
  let post = await readAndClassify(input, filter, session);
  if (post.ready.length === 0) return nothingToSend(input, post, session, waits);
  noteSkipped(post.skipped, session);
  let chosen = isInteractive ? await choose(post.ready, session) : idsOf(post.ready);
  if (chosen.length === 0)
    throw new Failure('declined', { what: 'no target was selected', nothingWas: 'sent' });
  const wasAsked = (await observer?.confirm?.({ ...input, targetIds: chosen }, true)) === true;
  if (wasAsked || isInteractive) {
    // The prompt took time, so targets that have changed since are dropped.
    post = await readAndClassify(input, filter, session);
    const still = idsOf(post.ready);
    chosen = chosen.filter((id) => still.includes(id));
    if (chosen.length === 0) return nothingToSend(input, post, session, waits);
  }
  // Published targets are counted only if nothing is left to retry.
  const { [PUBLISHED]: _published, ...skipped } = countsOf(post.skipped);
  const { before, underWay } = post;
  return {
    do: 'send',
    input: { ...input, targetIds: chosen },
    before,
    wanted: [...new Set([...chosen, ...underWay.keys()])],
    accepted: acceptancesIn(underWay),
    skipped,
  };
}

/** Returns the post that was read in place of the call: none of its targets can be retried. */
function nothingToSend(
  input: Input,
  post: ClassifiedTargets,
  session: Session,
  waits: boolean,
): Prepared {
  const { before, requested, skipped, underWay } = post;
  const { flags, isBatch, runtime, ledger } = session;
  const isFiltered = hasFilter(flags);
  const because = underWay.size > 0 ? 'moving' : stateOfAll(requested, isFiltered, ledger);
  const isBad = requested.length === 0 || requested.some(({ status }) => status !== 'published');
  const isOver = isBatch === true ? because === 'done' && isBad : isBad || because === 'none';
  const ended =
    waits && ledger === undefined && because !== 'moving' && isOver
      ? nothingToWaitFor(input, post, session)
      : undefined;
  if (ended === undefined) noteSkipped(skipped, session);
  if (ended === undefined && isBatch !== true) runtime.note(nothingToRetry(input));
  // With a journal a record waits for what is on its way, and not for a target that is scheduled for next year.
  const wanted =
    ledger !== undefined && underWay.size > 0
      ? [...underWay.keys()]
      : isFiltered
        ? idsOf(requested)
        : namedTargets(input);
  return {
    do: 'nothing',
    because,
    input,
    shown: before.result,
    wanted,
    accepted: acceptancesIn(underWay),
    skipped: countsOf(skipped),
    ended,
  };
}

/** Says why no target of a post can be retried, each with its reason: a wait for them would not end well. */
function nothingToWaitFor(
  input: Input,
  { requested, skipped }: ClassifiedTargets,
  { flags, isBatch }: Session,
) {
  const left = requested.filter(({ status }) => status !== 'published');
  const reasonOf = (target: TargetState) =>
    [...skipped].find(([, targets]) => targets.includes(target))?.[0] ?? target.status;
  const told = new Set([...left, ...[...skipped.values()].flat()]);
  const clauses = [...told]
    .filter(({ status }) => status !== 'published')
    .map((target) => `${target.platform} ${target.id} ${reasonOf(target)}`);
  const none = hasFilter(flags) ? 'no target matches the filters' : 'the post has no targets';
  const where = isBatch === true ? '' : ` in ${String(input['postId'])}`;
  const failure = new Failure('ended_badly', {
    what: `nothing to retry${where}: ${clauses.join('; ') || none}`,
    hint: skipped.has(MAY_BE_PUBLISHED) ? LOOK_FIRST : undefined,
    sent: true,
    nothingWas: 'changed',
    retryable: false,
  });
  return { failure, bad: idsOf(left) };
}

const acceptancesIn = (underWay: UnderWay): ReadonlyMap<string, Acceptance> =>
  new Map([...underWay].flatMap(([id, accepted]) => (accepted ? [[id, accepted] as const] : [])));

const countsOf = (skipped: ClassifiedTargets['skipped']): Readonly<Record<string, number>> =>
  Object.fromEntries([...skipped].map(([reason, targets]) => [reason, targets.length]));

/** Returns the state of targets of which none can be retried. Only a filter can select no target at all. */
function stateOfAll(
  requested: readonly TargetState[],
  isFiltered: boolean,
  ledger: Session['ledger'],
): NothingToSend['because'] {
  if (isFiltered && requested.length === 0) return 'none';
  if (ledger === undefined) return requested.some(isMoving) ? 'moving' : 'done';
  const isDone = ({ id, status }: TargetState) =>
    status === 'published' || ledger.stateOf(id) === 'done';
  return requested.length > 0 && requested.every(isDone) ? 'done' : 'none';
}

/** Returns the IDs of the targets that a line or a record names; `undefined` for all. */
export const namedTargets = ({ targetIds }: Input) => targetIds as readonly string[] | undefined;

/**
 * Shows the checklist of `-i`: the failed targets that can be retried, all selected, each with its error. Resolves with
 * the selected IDs, if any. Throws `interrupted` if the prompt is cancelled.
 */
async function choose(
  failed: readonly TargetState[],
  { settings, runtime }: Session,
): Promise<readonly string[]> {
  const ask = await openPrompts(settings, runtime);
  return ask.checklist({
    message: 'Which targets to retry?',
    choices: failed.map((target) => ({
      value: target.id,
      name: `${target.platform} ${target.id}`,
      checked: true,
      hint: errorOf(target) || undefined,
    })),
  });
}

/**
 * Returns the input without its named targets that are published; if none is left, the call is not made. An input
 * without named targets stays unchanged: those that may be published already are named in a note, or in a question.
 */
export async function withoutPublished(
  input: Input,
  session: Session,
  asks: boolean,
): Promise<Prepared> {
  const { flags, isBatch, causeRules, settings, runtime } = session;
  const { note } = runtime;
  const { before, targets } = await readTargets(input, session);
  const wanted = namedTargets(input);
  const failed = targets.filter(({ status }) => status === 'failed');
  const unsure = failed.filter((target) => isPosted(target) || isUnsure(target, causeRules));
  if (wanted === undefined && unsure.length > 0 && isBatch !== true) {
    const named = unsure.map(({ platform, id }) => `${platform} ${id}`).join(', ');
    const them = unsure.length === 1 ? 'it' : 'them';
    if (!asks) note(`${named} ${MAY_BE_PUBLISHED}; --failed leaves ${them} out`);
    else {
      const wait = flags['wait'] === true ? ['--wait'] : [];
      const ask = await openPrompts(settings, runtime);
      if (!(await ask.confirm(`${named} ${MAY_BE_PUBLISHED}. Retry ${them} too?`))) {
        const line = { words: ['posts', 'retry'], ids: [String(input['postId'])] };
        const next = socialLine({ ...line, flags: ['--failed', ...wait] }, session);
        const step = failed.length > unsure.length ? { next } : { hint: LOOK_FIRST };
        throw unsentFailure('declined', { what: 'not retried', nothingWas: 'sent', ...step });
      }
      // The question took time, so a wait compares with the state after it.
      const again = wait.length > 0 ? await readTargets(input, session) : undefined;
      return { do: 'send', input, before: again?.before };
    }
  }
  const published = targets.filter(
    ({ id, status }) => status === 'published' && wanted?.includes(id) === true,
  );
  if (wanted === undefined || published.length === 0) return { do: 'send', input, before, wanted };
  const skipped = { [PUBLISHED]: published.length };
  if (isBatch !== true)
    for (const { platform, id } of published) note(`skipped ${platform} ${id}: ${PUBLISHED}`);
  const left = wanted.filter((id) => published.every((target) => target.id !== id));
  if (left.length > 0)
    return { do: 'send', input: { ...input, targetIds: left }, before, wanted, skipped };
  if (isBatch !== true) note(nothingToRetry(input));
  return { do: 'nothing', because: 'done', input, shown: before.result, wanted, skipped };
}

const nothingToRetry = ({ postId }: Input) =>
  `nothing to retry in ${String(postId)}; nothing was changed`;

/**
 * Reads the post and the targets that the input names, or all. Of a target that the post lists twice, the state counts
 * after which a retry would be wrong. Throws after a cached response: a target that it shows as failed may be published.
 */
async function readTargets(input: Input, session: Session) {
  const result = await callOperation(session, get, { postId: input['postId'] });
  if (result.ageMs !== undefined)
    throw new Failure('no_answer', {
      ...ofResponse(`came from a cache and is ${formatDuration(result.ageMs)} old`),
      hint: 'its targets may have changed since',
      sent: true,
      retryable: true,
    });
  const named = namedTargets(input);
  const targets = new Map<string, TargetState>();
  for (const target of targetsOf(result.data)) {
    const other = targets.get(target.id);
    if (named?.includes(target.id) === false) continue;
    if (other === undefined || riskOf(target) > riskOf(other)) targets.set(target.id, target);
  }
  const missing = named?.find((id) => !targets.has(id));
  if (missing !== undefined) throw noSuchTarget(missing, targetsOf(result.data));
  return { before: new ReadBefore(result, session.runtime), targets: [...targets.values()] };
}

/** Orders the states of a target by how wrong a retry would be. */
function riskOf(target: TargetState): number {
  if (target.status === 'published') return 3;
  if (isMoving(target)) return 2;
  return isRetryable(target) ? 0 : 1;
}

const idsOf = (targets: readonly TargetState[]) => targets.map(({ id }) => id);

/** The targets that are on their way, each with the acceptance of its change, if that is known. */
type UnderWay = ReadonlyMap<string, Acceptance | undefined>;

type ClassifiedTargets = Awaited<ReturnType<typeof readAndClassify>>;

/**
 * Reads the targets and classifies them: `ready` can be retried without posting twice, `skipped` has the others by
 * reason, `underWay` was retried or is publishing, and `requested` has all that the
 * flags ask for, which a wait is about if none can be retried.
 */
async function readAndClassify(input: Input, filter: TargetFilter, session: Session) {
  const { ledger, acceptedLately } = session;
  const { before, targets } = await readTargets(input, session);
  const { data, serverTime } = before.result;
  ledger?.takeRead(data, before.result);
  const ofJournal = ledger?.accepted() ?? new Map<string, Acceptance>();
  const ofHistory =
    acceptedLately?.(String(input['postId']), before.result) ?? new Map<string, Acceptance>();
  const now = clockOf(session.runtime, serverTime);
  const ends = endsOf(data, { accepted: ofHistory }, { elapsedMs: 0, now, serverTime });
  const ready: TargetState[] = [];
  const skipped = new Map<string, TargetState[]>();
  const underWay = new Map<string, Acceptance | undefined>();
  for (const target of targets) {
    const { id, status } = target;
    const state = ledger?.stateOf(id);
    const isLate = ofHistory.has(id) && ends.get(id) === 'moving';
    const isUnderWay = state === 'accepted' || (state === undefined && isLate);
    const reason = reasonToSkip(target, filter, isUnderWay ? 'accepted' : state);
    if (isUnderWay && filter.isOn(target)) underWay.set(id, ofJournal.get(id) ?? ofHistory.get(id));
    else if (ledger !== undefined && status === 'publishing' && filter.isOn(target))
      underWay.set(id, undefined);
    if (reason !== undefined) skipped.set(reason, [...(skipped.get(reason) ?? []), target]);
    else if (isWanted(target, input, session)) ready.push(target);
  }
  // Only a failed target has a cause. With --cause a publishing one is requested too: it may be in a retry.
  const isRequested = (target: TargetState) =>
    target.status === 'failed'
      ? filter.matches(target)
      : filter.isOn(target) && (filter.causes === undefined || target.status === 'publishing');
  const requested = targets.filter(isRequested);
  return { before, ready, skipped, underWay, requested };
}

/**
 * True for a target to send: one that has failed. A record of a journal that names its targets means them as they are,
 * unless the flags ask for failed ones.
 */
function isWanted(target: TargetState, input: Input, { flags, ledger }: Session): boolean {
  if (target.status === 'failed') return true;
  const isMeant = ledger !== undefined && namedTargets(input) !== undefined;
  return isMeant && !selectsTargets(flags) && riskOf(target) < 2 && !isPosted(target);
}

/** The usual reason to skip a target: no line reports it, and it is counted only if nothing is left to retry. */
const PUBLISHED = 'already published';
/** The only reason after which a person has to check the target: a retry could post it twice. */
const POSTED = 'failed, but already has a platform post; check that first';

/** Returns why a target is not retried; `undefined` if it is, or if nothing needs to be said. */
function reasonToSkip(
  target: TargetState,
  filter: TargetFilter,
  state: ReturnType<NonNullable<Session['ledger']>['stateOf']>,
): string | undefined {
  const { status } = target;
  if (status === 'publishing' && filter.isOn(target)) return 'already publishing';
  if ((status === 'published' || state === 'done') && filter.isOn(target)) return PUBLISHED;
  if (state === 'accepted') return 'retried by an earlier run';
  if (state === 'unknown') return 'outcome unknown since an earlier run';
  // A draft, a scheduled target or one on another platform needs no reason: no retry of it was expected.
  if (status !== 'failed') return undefined;
  if (filter.isOn(target) && !isPosted(target) && filter.leavesOut(target)) return MAY_BE_PUBLISHED;
  if (!filter.matches(target)) return 'failed, but not selected';
  return isPosted(target) ? POSTED : undefined;
}

/**
 * Reports skipped targets: for one post all but published ones; for many posts only those that a person has to check.
 */
function noteSkipped(
  skipped: ReadonlyMap<string, readonly TargetState[]>,
  { runtime, isBatch }: Session,
): void {
  for (const [reason, targets] of skipped) {
    // Each reason has at least one target.
    const [first, ...more] = targets;
    // The summary of a batch counts these.
    if (reason === MAY_BE_PUBLISHED && isBatch === true) continue;
    if (reason === MAY_BE_PUBLISHED) {
      const named = targets.map(({ platform, id }) => `${platform} ${id}`).join(', ');
      runtime.note(`${skippedLine(reason, targets.length)} (${named})`);
      continue;
    }
    const which = more.length > 0 ? `${targets.length} targets` : `${first!.platform} ${first!.id}`;
    const isShown = isBatch === true ? reason === POSTED : reason !== PUBLISHED;
    if (isShown) runtime.note(`skipped ${which}: ${reason}`);
  }
}
