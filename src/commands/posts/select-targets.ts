// Selects the failed targets for `posts retry` after a read of the post: by --failed and the filters, or by a person
// with -i, never one that is published already. The skipped ones are counted by reason.

import {
  isPosted,
  isRetryable,
  targetsOf,
  type TargetState,
} from '../../api/schema/target-states.ts';
import type { Input } from '../../api/operations/define-operation.ts';
import { formatDuration } from '../../base/durations.ts';
import { Failure, ofResponse, usageFailure } from '../../base/errors.ts';
import { get } from '../../api/operations/posts.ts';
import type { BeforeResult, CallContext } from '../../client/call-context.ts';
import { callOperation } from '../../client/call-operation.ts';
import { remedies } from '../../client/remedies.ts';
import type { RawFlags } from '../../config/flags.ts';
import { mayPrompt } from '../../prompts/policy.ts';
import { errorOf, targetFilter, type TargetFilter } from './target-filter.ts';

/** True if the targets are selected by the state of the post. */
export const selectsTargets = (flags: RawFlags): boolean =>
  flags['failed'] === true || flags['interactive'] === true || targetFilter(flags) !== undefined;

/** Returns the input with the failed targets that can be retried; if there are none, the call is not made. */
export async function selectTargets(input: Input, callContext: CallContext): Promise<BeforeResult> {
  const { flags, settings, runtime, change, sentBefore } = callContext;
  const chooses = flags['interactive'] === true;
  if (chooses && !mayPrompt(settings, runtime))
    throw usageFailure({ field: '--interactive', problem: 'needs a terminal' });
  const filter = targetFilter(flags, callContext.causeRules);
  for (const cause of filter?.causes ?? []) {
    const { until } = remedies[cause];
    if (until !== undefined) runtime.note(`--cause ${cause}: a retry fails again until ${until}`);
  }
  let now = await readTargets(input, callContext);
  const { failed, left, asked } = select(named(now.targets, input), filter, sentBefore);
  noteLeft(left, callContext);
  let chosen = chooses && failed.length > 0 ? await choose(failed, callContext) : idsOf(failed);
  if (failed.length > 0 && chosen.length === 0)
    throw new Failure('declined', { what: 'no target was selected; nothing was sent' });
  const isAsked =
    chosen.length > 0 &&
    (await change?.confirm(Object.assign({}, input, { targetIds: chosen }))) === true;
  if (isAsked || (chooses && chosen.length > 0)) {
    // The prompt took time, so targets that have changed since are dropped.
    now = await readTargets(input, callContext);
    const still = idsOf(select(named(now.targets, input), filter, sentBefore).failed);
    chosen = chosen.filter((id) => still.includes(id));
  }
  // Published targets are not reported, unless nothing is left to retry.
  const isNews = (reason: string) => reason !== PUBLISHED || chosen.length === 0;
  const skipped = Object.fromEntries(
    [...left].flatMap(([reason, targets]) => (isNews(reason) ? [[reason, targets.length]] : [])),
  );
  if (chosen.length > 0)
    return {
      input: Object.assign({}, input, { targetIds: chosen }),
      before: now.result.data,
      wanted: chosen,
      skipped,
    };
  if (callContext.isBatch !== true) runtime.note(nothingToRetry(input));
  const wanted = filter === undefined ? (input['targetIds'] as readonly string[]) : idsOf(asked);
  const isMoving = asked.some(({ status }) => status === 'publishing');
  const isNothing = filter !== undefined && asked.length === 0;
  return {
    input,
    instead: now.result,
    wanted,
    skipped,
    idle: isNothing ? 'nothing' : isMoving ? 'moving' : 'settled',
  };
}

/**
 * Shows the checklist of `-i`: the failed targets that can be retried, all selected, each with its error. Resolves with
 * the selected IDs, if any. Throws `interrupted` if the prompt is cancelled.
 */
async function choose(
  failed: readonly TargetState[],
  { settings, runtime }: CallContext,
): Promise<readonly string[]> {
  const ask = await runtime.ask(settings.accessible);
  return ask.checklist({
    message: 'Which targets to retry?',
    choices: failed.map((target) => ({
      value: target.id,
      name: `${target.platform} ${target.id}`,
      checked: true,
      ...(errorOf(target) === '' ? {} : { hint: errorOf(target) }),
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
  const wanted = input['targetIds'] as readonly string[] | undefined;
  const published = wanted === undefined ? [] : named(targets, input).filter(isPublished);
  const before = result.data;
  if (wanted === undefined || published.length === 0) return { input, before, wanted };
  const skipped = { [PUBLISHED]: published.length };
  if (callContext.isBatch !== true)
    for (const { platform, id } of published) note(`skipped ${platform} ${id}: ${PUBLISHED}`);
  const left = wanted.filter((id) => published.every((target) => target.id !== id));
  if (left.length > 0)
    return { input: Object.assign({}, input, { targetIds: left }), before, wanted, skipped };
  if (callContext.isBatch !== true) note(nothingToRetry(input));
  return { input, instead: result, wanted, skipped, idle: 'settled' };
}

const isPublished = ({ status }: TargetState) => status === 'published';

const nothingToRetry = ({ postId }: Input) =>
  `nothing to retry in ${String(postId)}; nothing was changed`;

/**
 * Reads the post and its targets. Throws after a cached response: a target that it shows as failed may be published.
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
  return { result, targets: targetsOf(result.data) };
}

/** Returns the targets that a record names, or all. */
function named(targets: readonly TargetState[], { targetIds }: Input): readonly TargetState[] {
  const ids = targetIds as readonly string[] | undefined;
  return ids === undefined ? targets : targets.filter(({ id }) => ids.includes(id));
}

const idsOf = (targets: readonly TargetState[]) => targets.map(({ id }) => id);

/** Splits the targets: those that can be retried without posting twice, the others by reason, and those to wait for. */
function select(
  targets: readonly TargetState[],
  filter: TargetFilter | undefined,
  sentBefore: CallContext['sentBefore'] = () => false,
) {
  const isAskedFor = (target: TargetState) =>
    filter === undefined ||
    (filter.isOn(target) &&
      (filter.causes.length === 0 ||
        target.status === 'publishing' ||
        (target.status === 'failed' && filter.fits(target))));
  const asked = targets.filter(isAskedFor);
  const left = new Map<string, TargetState[]>();
  for (const target of targets) {
    const reason = reasonToLeave(target, filter, sentBefore);
    if (reason !== undefined) left.set(reason, [...(left.get(reason) ?? []), target]);
  }
  const failed = asked.filter((target) => isRetryable(target) && !sentBefore(target.id));
  return { failed, left, asked };
}

const PUBLISHED = 'already published';
const SENT = 'retried by an earlier run';
const POSTED = 'failed, but already has a platform post';

function reasonToLeave(
  target: TargetState,
  filter: TargetFilter | undefined,
  sentBefore: (id: string) => boolean,
): string | undefined {
  const { id, status } = target;
  const isOn = filter?.isOn(target) ?? true;
  if (status === 'publishing' && isOn) return 'already publishing';
  if (status === 'published' && isOn) return PUBLISHED;
  if (status !== 'failed') return undefined;
  if (!isOn || filter?.fits(target) === false) return 'failed, but not one of those asked for';
  if (sentBefore(id)) return SENT;
  return isPosted(target) ? POSTED : undefined;
}

/**
 * Reports skipped targets: for one post all but published ones; for many posts only those that a person has to check.
 */
function noteLeft(left: ReturnType<typeof select>['left'], callContext: CallContext): void {
  const { note } = callContext.runtime;
  for (const [reason, targets] of left) {
    const isShown = callContext.isBatch ? reason === POSTED : reason !== PUBLISHED;
    const [first, ...more] = targets;
    const which = more.length > 0 ? `${targets.length} targets` : `${first!.platform} ${first!.id}`;
    if (isShown) note(`skipped ${which}: ${reason}`);
  }
}
