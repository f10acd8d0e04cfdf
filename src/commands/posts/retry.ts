// `posts retry` without posting twice: --failed and -i select only targets that failed and were never published; after a
// conflict or a lost answer the post is read again.

import { Failure, usageFailure } from '../../base/errors.ts';
import { get } from '../../api/operations/posts.ts';
import { isTimestamp } from '../../api/schema/rules.ts';
import { callOperation } from '../../client/call-operation.ts';
import { mayPrompt } from '../../prompts/policy.ts';
import type { CommandHooks, BeforeResult, CallContext } from '../../client/call-context.ts';
import { adviseAfterWait, nextStep, waitLine } from './next-step.ts';
import type { Input } from '../../api/operations/define-operation.ts';
import type { RawFlags } from '../../config/choices.ts';
import {
  isPosted,
  isRetryable,
  targetsOf,
  type TargetState,
} from '../../api/schema/target-states.ts';

type FailedTarget = TargetState & { readonly error?: string };

export const retryHooks: CommandHooks = {
  options: [
    { flags: '--failed', description: 'Retry only targets that are currently failed' },
    { flags: '-i, --interactive', description: 'Choose the targets from a list (terminal only)' },
  ],

  faults(_input, flags) {
    if (flags['target'] === undefined || !selectsTargets(flags)) return [];
    return [{ field: '--target', problem: 'cannot be combined with --failed or --interactive' }];
  },

  looks: selectsTargets,

  async before(input, callContext, waits): Promise<BeforeResult> {
    if (selectsTargets(callContext.flags)) return selectTargets(input, callContext);
    if (!waits) return { input };
    // Questions come first: the consent is about the state that is read after them.
    await callContext.change?.asks(input);
    const { result } = await read(input, callContext);
    return {
      input,
      before: result.data,
      wanted: input['targetIds'] as readonly string[] | undefined,
    };
  },

  advise: adviseAfterWait,

  after: nextStep,

  async failed(failure, input, callContext) {
    if (failure.facts.status !== 409 && failure.kind !== 'outcome_unknown') throw failure;
    const now = await currentState(input, callContext);
    if (now === undefined) throw failure;
    const { status, why = [] } = failure.facts;
    // A retry that is under way already can be waited for; an unknown outcome has its own next command.
    const next =
      status === 409 ? waitLine(String(input['postId']), now.targets, callContext) : undefined;
    throw new Failure(failure.kind, {
      ...failure.facts,
      why: [...why, ...now.lines],
      ...(next === undefined ? {} : { next }),
    });
  },
};

function selectsTargets(flags: RawFlags): boolean {
  return flags['failed'] === true || flags['interactive'] === true;
}

/** The input with the failed targets that can be retried; nothing is called where there are none. */
async function selectTargets(input: Input, callContext: CallContext): Promise<BeforeResult> {
  const { flags, settings, runtime, change } = callContext;
  const chooses = flags['interactive'] === true;
  if (chooses && !mayPrompt(settings, runtime))
    throw usageFailure([{ field: '--interactive', problem: 'needs a terminal' }]);
  let now = await read(input, callContext);
  const failed = retryable(named(now.targets, input), callContext);
  let chosen = chooses && failed.length > 0 ? await choose(failed, callContext) : idsOf(failed);
  if (failed.length > 0 && chosen.length === 0)
    throw new Failure('declined', { what: 'no target was selected; nothing was sent' });
  const asked = chosen.length > 0 && (await change?.asks({ ...input, targetIds: chosen })) === true;
  if (asked || (chooses && chosen.length > 0)) {
    // Answering took time: targets that have changed since are dropped.
    now = await read(input, callContext);
    const still = idsOf(retryable(named(now.targets, input), callContext));
    chosen = chosen.filter((id) => still.includes(id));
  }
  if (chosen.length > 0)
    return { input: { ...input, targetIds: chosen }, before: now.result.data, wanted: chosen };
  callContext.runtime.note(`nothing to retry in ${String(input['postId'])}; nothing was sent`);
  return { input, instead: now.result };
}

/** The post and its targets as they are now. */
async function read(input: Input, callContext: CallContext) {
  const result = await callOperation(callContext, get, { postId: input['postId'] });
  return { result, targets: targetsOf(result.data) as readonly FailedTarget[] };
}

/** The targets that a record names, or all. */
function named(targets: readonly FailedTarget[], { targetIds }: Input): readonly FailedTarget[] {
  const ids = targetIds as readonly string[] | undefined;
  return ids === undefined ? targets : targets.filter(({ id }) => ids.includes(id));
}

const hasFailed = ({ status }: TargetState) => status === 'failed';
const idsOf = (targets: readonly TargetState[]) => targets.map(({ id }) => id);

/** The failed targets that can be retried without posting twice; notes the skipped ones. */
function retryable(
  targets: readonly FailedTarget[],
  { runtime: { note } }: CallContext,
): readonly FailedTarget[] {
  for (const target of targets) {
    const which = `${target.platform} ${target.id}`;
    if (target.status === 'publishing') note(`skipped ${which}: already publishing`);
    if (hasFailed(target) && isPosted(target))
      note(`skipped ${which}: failed, but already has a platform post`);
  }
  return targets.filter(isRetryable);
}

async function choose(
  failed: readonly FailedTarget[],
  { settings, runtime }: CallContext,
): Promise<readonly string[]> {
  const ask = await runtime.ask(settings.accessible);
  return ask.checklist({
    message: 'Which targets to retry?',
    choices: failed.map(({ id, platform, error }) => ({
      value: id,
      name: `${platform} ${id}`,
      checked: true,
      ...(error === undefined ? {} : { hint: error }),
    })),
  });
}

/** Formats times as the table does: relative, or exact with --utc. */
async function timesFor({ settings, runtime }: CallContext, serverTime: number | undefined) {
  const [{ clockOf }, { relativeTime }] = await Promise.all([
    import('../../output/write-result.ts'),
    import('../../base/durations.ts'),
  ]);
  const now = clockOf(runtime, serverTime);
  return (time: unknown) => {
    if (typeof time !== 'string') return '';
    const exact = settings.utc || !isTimestamp(time);
    return `, updated ${exact ? time : relativeTime(Date.parse(time) - now)}`;
  };
}

/** The current state of the post, a line for each target; `undefined` when it cannot be read either. */
async function currentState(input: Input, callContext: CallContext) {
  try {
    const { postId } = input;
    const { data, serverTime } = await callOperation(callContext, get, { postId }, { retries: 0 });
    const when = await timesFor(callContext, serverTime);
    const targets = targetsOf(data);
    const rest = targets.some(hasFailed) ? 'no retry in progress' : 'no failed targets';
    const isRunning = targets.some(({ status }) => status === 'publishing');
    const lines = targets.map(
      ({ platform, id, status, updatedAt }) => `${platform} ${id} ${status}${when(updatedAt)}`,
    );
    const first = `current state: ${isRunning ? 'a retry is already in progress' : rest}`;
    return { lines: [first, ...lines], targets };
  } catch {
    return undefined;
  }
}
