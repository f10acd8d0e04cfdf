// The failed targets that `posts retry` may name, from a read of the post: those that --failed and the filters select,
// or that a person chooses with -i, never one that is published already. The skipped ones are
// counted by reason.

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

/** Whether the targets are chosen by what the post reads. */
export const selectsTargets = (flags: RawFlags): boolean =>
  flags['failed'] === true || flags['interactive'] === true || targetFilter(flags) !== undefined;

/** The input with the failed targets that can be retried; nothing is called where there are none. */
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
    // Answering took time: targets that have changed since are dropped.
    now = await readTargets(input, callContext);
    const still = idsOf(select(named(now.targets, input), filter, sentBefore).failed);
    chosen = chosen.filter((id) => still.includes(id));
  }
  // That others of a post are published is no news.
  const isNews = (reason: string) => reason !== PUBLISHED || chosen.length === 0;
  const skipped = Object.fromEntries(
    [...left].flatMap(([reason, those]) => (isNews(reason) ? [[reason, those.length]] : [])),
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
 * What `-i` offers: the failed targets that can be retried, all of them checked, each with its error. Resolves to the
 * IDs that a person leaves checked, if any. Throws `interrupted` where the question is left.
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
 * The input without the targets that it names and that read published; nothing is called where it names no others. One
 * that names none is left as it is.
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

/** The post and its targets as they are now. Throws where a cache answers: what it shows failed may be published. */
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

/** The targets that a record names, or all. */
function named(targets: readonly TargetState[], { targetIds }: Input): readonly TargetState[] {
  const ids = targetIds as readonly string[] | undefined;
  return ids === undefined ? targets : targets.filter(({ id }) => ids.includes(id));
}

const idsOf = (targets: readonly TargetState[]) => targets.map(({ id }) => id);

/** Those that can be retried without posting twice; the others by the reason; and those that a wait counts. */
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

/** What is published is no surprise; of many posts only what a person has to look at is worth a line of its own. */
function noteLeft(left: ReturnType<typeof select>['left'], callContext: CallContext): void {
  const { note } = callContext.runtime;
  for (const [reason, targets] of left) {
    const isShown = callContext.isBatch ? reason === POSTED : reason !== PUBLISHED;
    const [first, ...more] = targets;
    const which = more.length > 0 ? `${targets.length} targets` : `${first!.platform} ${first!.id}`;
    if (isShown) note(`skipped ${which}: ${reason}`);
  }
}
