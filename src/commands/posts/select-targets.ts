// Reads a post and selects its targets by their state: with --failed and the filters, or in a checklist with -i. A
// retry never names a published target. Skipped targets are counted by reason.

import { get } from '../../api/operations/posts.ts';
import type { Input } from '../../api/operations/define-operation.ts';
import { isMoving, isPosted, targetsOf, type TargetState } from '../../api/schema/post.ts';
import { formatDuration } from '../../base/durations.ts';
import { Failure, ofResponse, usageFailure } from '../../base/errors.ts';
import type { BeforeResult, CallContext } from '../../client/call-context.ts';
import { callOperation } from '../../client/call-operation.ts';
import { isUnsure, readCause } from '../../client/read-cause.ts';
import { MAY_BE_PUBLISHED, skippedLine } from '../../client/remedies.ts';
import type { CauseRule, TargetCause } from '../../client/cause-rules.ts';
import type { RawFlags } from '../../config/flags.ts';
import { mayPrompt, openPrompts } from '../../prompts/confirm.ts';

/** True if --platform or --cause limits the targets. */
export const hasFilter = ({ platform, cause }: RawFlags): boolean =>
  platform !== undefined || cause !== undefined;

/** True if the targets are selected by the state of the post. */
export const selectsTargets = (flags: RawFlags): boolean =>
  flags['failed'] === true || flags['interactive'] === true || hasFilter(flags);

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
  const isOn = ({ platform }: TargetState) => platforms?.includes(platform) ?? true;
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
export async function selectTargets(input: Input, callContext: CallContext): Promise<BeforeResult> {
  const { flags, settings, runtime, change } = callContext;
  const isInteractive = flags['interactive'] === true;
  if (isInteractive && !mayPrompt(settings, runtime))
    throw usageFailure({ field: '--interactive', problem: 'needs a terminal' });
  const filter = targetFilter(flags, callContext.causeRules, namedTargets(input));
  let post = await readAndClassify(input, filter, callContext);
  noteSkipped(post.skipped, callContext);
  if (post.failed.length === 0) return readInsteadOfCall(input, post, callContext);
  let chosen = isInteractive ? await choose(post.failed, callContext) : idsOf(post.failed);
  if (chosen.length === 0)
    throw new Failure('declined', { what: 'no target was selected; nothing was sent' });
  const wasAsked = (await change?.confirm({ ...input, targetIds: chosen })) === true;
  if (wasAsked || isInteractive) {
    // The prompt took time, so targets that have changed since are dropped.
    post = await readAndClassify(input, filter, callContext);
    const still = idsOf(post.failed);
    chosen = chosen.filter((id) => still.includes(id));
    if (chosen.length === 0) return readInsteadOfCall(input, post, callContext);
  }
  // Published targets are counted only if nothing is left to retry.
  const { [PUBLISHED]: _published, ...skipped } = countsOf(post.skipped);
  const named = { ...input, targetIds: chosen };
  return { input: named, before: post.result.data, wanted: chosen, skipped };
}

/** Returns the post that was read in place of the call: none of its targets can be retried. */
function readInsteadOfCall(
  input: Input,
  { result, requested, skipped }: ClassifiedTargets,
  { flags, isBatch, runtime }: CallContext,
): BeforeResult {
  if (isBatch !== true) runtime.note(nothingToRetry(input));
  const isFiltered = hasFilter(flags);
  // Without a filter a wait is for the targets that the input names, or for all (`undefined`).
  const wanted = isFiltered ? idsOf(requested) : namedTargets(input);
  const idle = idleState(requested, isFiltered);
  return { input, instead: result, wanted, skipped: countsOf(skipped), idle };
}

const countsOf = (skipped: ClassifiedTargets['skipped']): Readonly<Record<string, number>> =>
  Object.fromEntries([...skipped].map(([reason, targets]) => [reason, targets.length]));

/** Returns the state of targets of which none can be retried. Only a filter can select no target at all. */
function idleState(requested: readonly TargetState[], isFiltered: boolean): BeforeResult['idle'] {
  if (isFiltered && requested.length === 0) return 'nothing';
  return requested.some(isMoving) ? 'moving' : 'done';
}

/** Returns the IDs of the targets that a line or a record names; `undefined` for all. */
export const namedTargets = ({ targetIds }: Input) => targetIds as readonly string[] | undefined;

/**
 * Shows the checklist of `-i`: the failed targets that can be retried, all selected, each with its error. Resolves with
 * the selected IDs, if any. Throws `interrupted` if the prompt is cancelled.
 */
async function choose(
  failed: readonly TargetState[],
  { settings, runtime }: CallContext,
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
 * without named targets stays unchanged.
 */
export async function withoutPublished(
  input: Input,
  callContext: CallContext,
): Promise<BeforeResult> {
  const { note } = callContext.runtime;
  const { result, targets } = await readTargets(input, callContext);
  const wanted = namedTargets(input);
  const published = targets.filter(
    ({ id, status }) => status === 'published' && wanted?.includes(id) === true,
  );
  const before = result.data;
  if (wanted === undefined || published.length === 0) return { input, before, wanted };
  const skipped = { [PUBLISHED]: published.length };
  if (callContext.isBatch !== true)
    for (const { platform, id } of published) note(`skipped ${platform} ${id}: ${PUBLISHED}`);
  const left = wanted.filter((id) => published.every((target) => target.id !== id));
  if (left.length > 0) return { input: { ...input, targetIds: left }, before, wanted, skipped };
  if (callContext.isBatch !== true) note(nothingToRetry(input));
  return { input, instead: result, wanted, skipped, idle: 'done' };
}

const nothingToRetry = ({ postId }: Input) =>
  `nothing to retry in ${String(postId)}; nothing was changed`;

/**
 * Reads the post and the targets that the input names, or all. Throws after a cached response: a target that it shows
 * as failed may be published.
 */
async function readTargets(input: Input, callContext: CallContext) {
  const result = await callOperation(callContext, get, { postId: input['postId'] });
  if (result.ageMs !== undefined)
    throw new Failure('no_answer', {
      ...ofResponse(`came from a cache and is ${formatDuration(result.ageMs)} old`),
      hint: 'its targets may have changed since; nothing was retried',
      sent: true,
      retryable: true,
    });
  const named = namedTargets(input);
  const targets = targetsOf(result.data).filter(({ id }) => named?.includes(id) ?? true);
  return { result, targets };
}

const idsOf = (targets: readonly TargetState[]) => targets.map(({ id }) => id);

type ClassifiedTargets = Awaited<ReturnType<typeof readAndClassify>>;

/**
 * Reads the targets and classifies them: `failed` can be retried without posting twice, `skipped` has the others by
 * reason, and `requested` all that the flags ask for, which a wait is about if none can be retried.
 */
async function readAndClassify(input: Input, filter: TargetFilter, callContext: CallContext) {
  const { result, targets } = await readTargets(input, callContext);
  const failed: TargetState[] = [];
  const skipped = new Map<string, TargetState[]>();
  for (const target of targets) {
    const reason = reasonToSkip(target, filter, callContext.sentBefore);
    if (reason !== undefined) skipped.set(reason, [...(skipped.get(reason) ?? []), target]);
    else if (target.status === 'failed') failed.push(target);
  }
  // Only a failed target has a cause. With --cause a publishing one is requested too: it may be in a retry.
  const isRequested = (target: TargetState) =>
    target.status === 'failed'
      ? filter.matches(target)
      : filter.isOn(target) && (filter.causes === undefined || target.status === 'publishing');
  return { result, failed, skipped, requested: targets.filter(isRequested) };
}

/** The usual reason to skip a target: no line reports it, and it is counted only if nothing is left to retry. */
const PUBLISHED = 'already published';
/** The only reason after which a person has to check the target: a retry could post it twice. */
const POSTED = 'failed, but already has a platform post';

/** Returns why a target is not retried; `undefined` if it is, or if nothing needs to be said. */
function reasonToSkip(
  target: TargetState,
  filter: TargetFilter,
  sentBefore: CallContext['sentBefore'],
): string | undefined {
  const { id, status } = target;
  if (status === 'publishing' && filter.isOn(target)) return 'already publishing';
  if (status === 'published' && filter.isOn(target)) return PUBLISHED;
  // A draft, a scheduled target or one on another platform needs no reason: no retry of it was expected.
  if (status !== 'failed') return undefined;
  if (filter.isOn(target) && !isPosted(target) && filter.leavesOut(target)) return MAY_BE_PUBLISHED;
  if (!filter.matches(target)) return 'failed, but not selected';
  if (sentBefore?.(id) === true) return 'retried by an earlier run';
  return isPosted(target) ? POSTED : undefined;
}

/**
 * Reports skipped targets: for one post all but published ones; for many posts only those that a person has to check.
 */
function noteSkipped(
  skipped: ReadonlyMap<string, readonly TargetState[]>,
  { runtime, isBatch }: CallContext,
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
