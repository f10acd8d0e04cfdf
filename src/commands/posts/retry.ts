// `posts retry` that cannot post twice: --failed and -i name only targets that failed and were never published;
// a conflict and a lost answer are followed by a look at the post.
import { Failure, usageFailure } from '../../base/errors.ts';
import { get } from '../../api/operations/posts.ts';
import { isTimestamp } from '../../api/schema/rules.ts';
import { callOperation } from '../../client/call-operation.ts';
import { mayPrompt } from '../../prompts/policy.ts';
import type { CommandHooks, BeforeResult, CallContext } from '../../client/call-context.ts';
import { adviseAfterWait, nextStep, waitLine } from './next-step.ts';
import type { Input } from '../../api/operations/define-operation.ts';
import {
  isPosted,
  isRetryable,
  targetsOf,
  type TargetState,
} from '../../api/schema/target-states.ts';

interface Seen extends TargetState {
  readonly error?: string;
}

export const retryHooks: CommandHooks = {
  options: [
    { flags: '--failed', description: 'Read the post first and name only its failed targets' },
    { flags: '-i, --interactive', description: 'Choose from the failed targets, on a terminal' },
  ],

  faults({ targetIds }, flags) {
    const narrows = flags['failed'] === true || flags['interactive'] === true;
    if (targetIds === undefined || !narrows) return [];
    return [{ field: '--target', problem: 'contradicts --failed and --interactive; choose one' }];
  },

  looks: (flags) => flags['failed'] === true || flags['interactive'] === true,

  async before(input, callContext, waits): Promise<BeforeResult> {
    if (retryHooks.looks!(callContext.flags)) return narrowed(input, callContext);
    if (!waits) return { input };
    // What is asked is asked first: the state before is the one that the consent is about.
    await callContext.change?.asks(input);
    const { result } = await read(input, callContext);
    const named = input['targetIds'] as readonly string[] | undefined;
    return { input, before: result.data, ...(named === undefined ? {} : { wanted: named }) };
  },

  advise: adviseAfterWait,

  after: nextStep,

  async failed(failure, input, callContext) {
    if (failure.facts.status !== 409 && failure.kind !== 'outcome_unknown') throw failure;
    const now = await look(input, callContext);
    if (now === undefined) throw failure;
    // What is refused because it is under way already is waited for; what is unknown names a look of its own.
    const next =
      failure.facts.status === 409
        ? waitLine(String(input['postId']), now.targets, callContext)
        : undefined;
    throw new Failure(failure.kind, {
      ...failure.facts,
      why: [...(failure.facts.why ?? []), ...now.lines],
      ...(next === undefined ? {} : { next }),
    });
  },
};

/** The same input with the targets that failed and can be retried; nothing to call where there are none. */
async function narrowed(input: Input, callContext: CallContext): Promise<BeforeResult> {
  const { flags, settings, runtime, change } = callContext;
  const chooses = flags['interactive'] === true;
  if (chooses && !mayPrompt(settings, runtime))
    throw usageFailure([{ field: '--interactive', problem: 'needs a terminal' }]);
  let now = await read(input, callContext);
  const failed = retryable(now.targets, callContext);
  let chosen = chooses && failed.length > 0 ? await choose(failed, callContext) : idsOf(failed);
  if (failed.length > 0 && chosen.length === 0)
    throw new Failure('declined', { what: 'no target was chosen; nothing was sent', sent: false });
  const asked = chosen.length > 0 && (await change?.asks({ ...input, targetIds: chosen })) === true;
  if (asked || (chooses && chosen.length > 0)) {
    // Somebody took their time: what has changed meanwhile is left out.
    now = await read(input, callContext);
    const still = idsOf(retryable(now.targets, callContext));
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
  return { result, targets: targetsOf(result.data) as readonly Seen[] };
}

const hasFailed = ({ status }: TargetState) => status === 'failed';
const idsOf = (targets: readonly TargetState[]) => targets.map(({ id }) => id);

/** The targets that failed and can be retried without posting twice; says which it leaves out. */
function retryable(targets: readonly Seen[], { runtime: { note } }: CallContext): readonly Seen[] {
  for (const target of targets) {
    const which = `${target.platform} ${target.id}`;
    if (target.status === 'publishing') note(`skipped ${which}: already publishing`);
    if (hasFailed(target) && isPosted(target))
      note(`skipped ${which}: failed, but already has a platform post`);
  }
  return targets.filter(isRetryable);
}

async function choose(
  failed: readonly Seen[],
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

/** Times as the table shows them: relative, or exact with --utc. */
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

/** How the post stands now, a line a target; nothing when it cannot be read either. */
async function look(
  input: Input,
  callContext: CallContext,
): Promise<
  { readonly lines: readonly string[]; readonly targets: readonly TargetState[] } | undefined
> {
  try {
    const { data, serverTime } = await callOperation(
      callContext,
      get,
      { postId: input['postId'] },
      { retries: 0 },
    );
    const when = await timesFor(callContext, serverTime);
    const targets = targetsOf(data);
    const moving = targets.filter(({ status }) => status === 'publishing');
    const meaning =
      moving.length > 0
        ? 'a retry is under way already'
        : targets.some(hasFailed)
          ? 'no retry is under way'
          : 'nothing of it has failed';
    const lines = [
      `the post reads now: ${meaning}`,
      ...targets.map(
        ({ platform, id, status, updatedAt }) => `${platform} ${id} ${status}${when(updatedAt)}`,
      ),
    ];
    return { lines, targets };
  } catch {
    return undefined;
  }
}
