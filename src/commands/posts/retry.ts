// `posts retry` without posting twice: --failed and -i select only targets that failed and were never published; after
// a conflict or a lost response the post is read again. The selection is in `select-targets.ts`.

import type { Input } from '../../api/operations/define-operation.ts';
import { get } from '../../api/operations/posts.ts';
import { isTimestamp } from '../../api/schema/rules.ts';
import { targetsOf } from '../../api/schema/post.ts';
import { formatDuration, relativeTime } from '../../base/durations.ts';
import { Failure } from '../../base/errors.ts';
import type { CommandHooks, BeforeResult, CallContext } from '../../client/call-context.ts';
import { callOperation } from '../../client/call-operation.ts';
import { clockOf } from '../../output/write-result.ts';
import { postAdvice, waitLine } from './next-step.ts';
import { selectsTargets, selectTargets, withoutPublished } from './select-targets.ts';

export const retryHooks: CommandHooks = {
  async before(input, callContext, waits): Promise<BeforeResult> {
    const { flags, sentBefore } = callContext;
    if (selectsTargets(flags) || sentBefore !== undefined) return selectTargets(input, callContext);
    if (!waits) return { input };
    // The prompt comes first, so that the post is read after the answer.
    await callContext.change?.confirm(input);
    return withoutPublished(input, callContext);
  },

  advise: postAdvice,

  async failed(failure, input, callContext) {
    if (failure.facts.status !== 409 && failure.kind !== 'outcome_unknown') throw failure;
    const { status, timedOut, why = [] } = failure.facts;
    const { runtime, settings } = callContext;
    const atMost = formatDuration(settings.timeoutMs);
    if (timedOut === true)
      runtime.note(`${failure.message}; reading the post to see its state (at most ${atMost})`);
    const now = await currentState(input, callContext);
    if (now === undefined && status === 409) throw failure;
    if (now === undefined) {
      const unread = 'current state: unknown; the post could not be read';
      throw new Failure(failure.kind, { ...failure.facts, why: [...why, unread] });
    }
    // A retry that is in progress can be waited for; an unknown outcome has its own next command.
    const next =
      status === 409 ? waitLine(String(input['postId']), now.targets, callContext) : undefined;
    throw new Failure(failure.kind, {
      ...failure.facts,
      why: [...why, ...now.lines],
      next: next ?? failure.facts.next,
    });
  },
};

/** Formats times as the table does: relative, or exact with --utc. */
function timesFor({ settings, runtime }: CallContext, serverTime: number | undefined) {
  const now = clockOf(runtime, serverTime);
  return (time: unknown) => {
    if (typeof time !== 'string') return '';
    const exact = settings.utc || !isTimestamp(time);
    return `, updated ${exact ? time : relativeTime(Date.parse(time) - now)}`;
  };
}

/** Describes the current state of the post, one line per target; `undefined` if it cannot be read either. */
async function currentState(input: Input, callContext: CallContext) {
  try {
    const { data, serverTime } = await callOperation(
      callContext,
      get,
      { postId: input['postId'] },
      { retries: 0 },
    );
    const when = timesFor(callContext, serverTime);
    const targets = targetsOf(data);
    const rest = targets.some(({ status }) => status === 'failed')
      ? 'no retry in progress'
      : 'no failed targets';
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
