// The tools that are more than one request: `posts_triage` reads many posts, `posts_wait` reads one until it has
// settled or its time is up.

import {
  MAX_WAIT_SECONDS,
  triageManyPosts,
  waitBriefly,
  waitForPost,
} from '../../api/operations/post-reads.ts';
import { type Input, type Operation, polledId } from '../../api/operations/define-operation.ts';
import { get, retry } from '../../api/operations/posts.ts';
import { targetsOf } from '../../api/schema/target-states.ts';
import type { Failure } from '../../base/errors.ts';
import { isSignal } from '../../base/exit-codes.ts';
import { splitShellWords } from '../../base/shell.ts';
import type { CallContext } from '../../client/call-context.ts';
import { callOperation } from '../../client/call-operation.ts';
import type { Result } from '../../client/read-response.ts';
import { retryPolicyFor } from '../../client/retry.ts';
import { suggestCommand } from '../../config/flags.ts';
import { asFailure, errorObject } from '../../output/error-report.ts';
import { defaultWaitOptions } from '../../wait/options.ts';
import { pollUntilSettled, type PollResult } from '../../wait/poll.ts';
import {
  gaveUp,
  judgeLook,
  lookAt,
  sayIfTooLate,
  stoppedWaiting,
  waitFailure,
  type WaitRequest,
} from '../../wait/wait-request.ts';
import { createTriage, type TriageKey } from '../posts/triage-groups.ts';
import { nextOfGroup } from '../posts/triage-next.ts';
import { groupReport } from '../posts/triage.ts';
import { waitHooks } from '../posts/wait.ts';
import type { Tool, ToolRun } from './tools.ts';

/** The first pause between polls; an agent’s wait is short. */
const FIRST_INTERVAL_MS = 1000;
/** How long a retry may leave a target as it was, after its answer: the same as in a wait after a retry. */
const STARTING_MS = 30_000;

/** How a post stood at a retry, by its answer or else by the first look after it, and when that was. */
interface Retried {
  data: unknown;
  readonly at: number;
}

/** The tools, and what keeps the answers of retries: a target that still reads as in one has not started yet. */
export function createPostTools(monotonic: () => number) {
  const retried = new Map<string, Retried>();
  const tools: readonly Tool[] = [
    {
      name: 'posts_triage',
      operation: triageManyPosts,
      requests: ({ postIds }) => postIdsOf(postIds).map((postId) => ({ postId })),
      run: triage,
    },
    {
      name: 'posts_wait',
      operation: waitBriefly,
      run: (input, context) => wait(input, retried.get(String(input['postId'])), context),
    },
  ];
  return {
    tools,
    answered(operation: Operation, { postId }: Input, data: unknown): void {
      if (operation !== retry) return;
      for (const [id, { at }] of retried) if (monotonic() - at > STARTING_MS) retried.delete(id);
      retried.set(String(postId), { data, at: monotonic() });
    },
  };
}

const postIdsOf = (given: unknown): readonly string[] => [...new Set(given as readonly string[])];

/** Reads each post and groups what failed. Fails where no post could be read. */
const triage: ToolRun = async ({ postIds, by = 'cause' }, { callContext, turn }) => {
  const ids = postIdsOf(postIds);
  let stopped: Failure | undefined;
  const request = async (postId: string) => {
    if (stopped !== undefined) throw stopped;
    return callOperation(callContext, get, { postId });
  };
  const look = async (postId: string): Promise<unknown> => {
    try {
      const { data } = await turn(() => request(postId));
      // A post that says nothing of its targets counts as one that could not be read.
      targetsOf(data);
      return data;
    } catch (error) {
      const failure = asFailure(error);
      // Every other read would end the same way, or the fault is this program's own.
      const endsAll = isSignal(failure.kind) || ['unauthorized', 'internal'].includes(failure.kind);
      if (!endsAll) return failure;
      stopped ??= failure;
      throw failure;
    }
  };
  const looks = await Promise.all(ids.map(look));
  const failures = looks.flatMap((each, i) =>
    each instanceof Error ? [{ postId: ids[i]!, failure: each as Failure }] : [],
  );
  if (failures.length === ids.length) throw failures[0]!.failure;
  const { mask } = callContext.runtime.secrets;
  const key = by as TriageKey;
  const found = createTriage(key, mask);
  for (const each of looks) if (!(each instanceof Error)) found.add(each);
  const flags = { ...callContext.flags, by: key };
  const line = suggestCommand(`posts triage ${ids.join(' ')} --by ${key}`, callContext);
  const [, ...argv] = splitShellWords(line)!;
  const next = { file: undefined, argv, callContext: { ...callContext, flags } };
  const unread = failures.map(({ postId, failure }) => ({ postId, ...errorObject(failure) }));
  return {
    data: {
      ...found.totals(),
      ...groupReport(found.groups(), key, (group) => nextOfGroup(group, next)),
      ...(unread.length === 0 ? {} : { unread }),
    },
  };
};

/** Polls until the post has settled, the time is up, or the server ends. */
async function wait(
  input: Input,
  before: Retried | undefined,
  { callContext: opened, turn, receivedAt, ending }: Parameters<ToolRun>[1],
): ReturnType<ToolRun> {
  const callContext = { ...opened, operation: waitForPost, hooks: waitHooks };
  const { settings, runtime } = callContext;
  const { maxSeconds = MAX_WAIT_SECONDS, ...about } = input;
  const start = runtime.monotonic();
  const waiting = {
    ...defaultWaitOptions,
    intervalMs: FIRST_INTERVAL_MS,
    timeoutMs: Number(maxSeconds) * 1000,
  };
  const request = {
    input: about,
    waiting,
    wanted: about['targetIds'] as readonly string[] | undefined,
  };
  const judge = (look: Result, elapsedMs: number) => {
    // The answer was empty, about another post, or without a target that is waited for.
    if (before !== undefined && !isAbout(before.data, request)) before.data = look.data;
    const own = { ...request, before: before?.data };
    return judgeLook(look, callContext, own, sinceRetry + elapsedMs);
  };
  const sinceRetry = before === undefined ? 0 : start - before.at;
  const clocks = retryPolicyFor(settings, runtime, 0);
  let seen: PollResult | undefined;
  try {
    seen = await pollUntilSettled(
      {
        ...waiting,
        // Time in the queue counts.
        timeoutMs: Math.max(1, receivedAt + waiting.timeoutMs - start),
        poll: (signal) => turn(() => lookAt(callContext, about, signal), signal),
        judge,
        onLook(last, verdict) {
          if (seen === undefined) sayIfTooLate(last, callContext, request);
          seen = { last, verdict };
        },
      },
      undefined,
      { ...clocks, sleep: (ms, signal) => clocks.sleep(ms, AbortSignal.any([signal, ending])) },
      runtime.signal,
    );
  } catch (error) {
    const failure = asFailure(error);
    // When the server is about to end, the client gets the last state.
    if (seen === undefined || !ending.aborted || runtime.signal.aborted)
      throw isSignal(failure.kind)
        ? stoppedWaiting(failure, seen?.verdict.standing, callContext, request)
        : failure;
  }
  if (seen.lost !== undefined) throw gaveUp(seen.lost, callContext, request);
  return waitReply(seen, callContext, request);
}

/** Whether data tells of the targets of the post that is waited for. */
const isAbout = (data: unknown, { input, wanted = [] }: Pick<WaitRequest, 'input' | 'wanted'>) =>
  waitForPost.wait!.tells!(data, polledId(waitForPost, input), wanted);

function waitReply(
  { last, verdict }: PollResult,
  callContext: CallContext,
  request: WaitRequest,
): { data: object; failure?: Failure } {
  const { state, standing } = verdict;
  const settled = state !== 'pending';
  const { failure } = waitFailure({ last, verdict }, callContext, request);
  const data = { settled, again: !settled, standing, post: last.data };
  if (settled) return failure === undefined ? { data } : { data, failure };
  const due = waitForPost.wait!.notBefore?.(
    last.data,
    { ...request.waiting, wanted: request.wanted },
    polledId(waitForPost, request.input),
  );
  return {
    data: { ...data, ...(due && { notBefore: due.at }), next: failure?.facts.next },
  };
}
