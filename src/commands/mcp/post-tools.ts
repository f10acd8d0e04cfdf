// The tools that make several requests: `posts_triage` reads many posts, `posts_wait` polls one until it is done or its
// time is up.

import * as z from 'zod/mini';
import type { Input, Operation } from '../../api/operations/define-operation.ts';
import { get, retry } from '../../api/operations/posts.ts';
import { retriedTargets, START_GRACE_MS } from '../../api/operations/waits.ts';
import { ResourceId } from '../../api/schema/ids.ts';
import { described, enumeration } from '../../api/schema/rules.ts';
import { Failure } from '../../base/errors.ts';
import { shellLine, socialLine } from '../../base/shell.ts';
import { createLimiter, readEach } from '../../batch/limiter.ts';
import type { CallOutcome } from '../../client/call-context.ts';
import { callOperation } from '../../client/call-operation.ts';
import type { Client } from '../../client/open-client.ts';
import { errorObject } from '../../output/error-report.ts';
import { waitUntilSettled } from '../../wait/wait.ts';
import { triageKeys, triageOperation, waitOperation } from '../posts/posts.ts';
import { nextOfGroup } from '../posts/next-step.ts';
import {
  groupTargets,
  type TriageKey,
  triageReport,
  type UnpublishedTarget,
  unpublishedTargetsOf,
} from '../posts/triage-groups.ts';
import { waitHooks } from '../posts/retry.ts';
import { CONCURRENCY, type Tool } from './call-tool.ts';

/** The maximum number of posts in one triage. */
const MAX_POSTS = 100;
/** A wait returns within 50 s, before a client's usual timeout of a minute: it polls for 45. */
const MAX_WAIT_SECONDS = 45;

const triageManyPosts: Operation = {
  ...triageOperation,
  details: `${triageOperation.details}\nGives what \`social posts triage --json\` prints. Each item of \`records\` is an input for posts_retry; retry only those of the group temporary. Posts that could not be read are listed in \`unread\`.`,
  input: z.strictObject({
    postIds: described(
      z
        .array(ResourceId, { error: 'must be a list of IDs' })
        .check(
          z.minLength(1, { error: 'needs at least one id' }),
          z.maxLength(MAX_POSTS, { error: `may have at most ${MAX_POSTS} ids` }),
        ),
      'Post IDs',
      { argument: 'many' },
    ),
    by: z.optional(described(enumeration(triageKeys), 'What to group by (default cause)')),
  }),
};

const secondsRule = `must be a whole number from 1 to ${MAX_WAIT_SECONDS}`;

const waitBriefly: Operation = {
  ...waitOperation,
  details:
    'Polls the post and answers within 50 seconds. `settled: false` with `again: true` means that it is still in progress: call the tool again with the same input.',
  input: z.strictObject({
    postId: described(ResourceId, 'Post ID', { argument: 'one' }),
    targetIds: waitOperation.input.shape['targetIds'] as z.ZodMiniType,
    maxSeconds: z.optional(
      described(
        z
          .int({ error: secondsRule })
          .check(
            z.minimum(1, { error: secondsRule }),
            z.maximum(MAX_WAIT_SECONDS, { error: secondsRule }),
          ),
        `Answer after this many seconds at the latest (default and maximum ${MAX_WAIT_SECONDS})`,
      ),
    ),
  }),
};

/** The first interval between polls; an agent’s wait is short. */
const FIRST_INTERVAL_MS = 1000;

/** The time of the last retry of each post by this server. */
type Retries = Map<unknown, number>;

/** Makes the tools, and `onChange`, by which they learn of each successful retry. */
export function createPostTools(monotonic: () => number) {
  const retries: Retries = new Map();
  const tools: readonly Tool[] = [
    { name: 'posts_triage', operation: triageManyPosts, run: triage },
    {
      name: 'posts_wait',
      operation: waitBriefly,
      run: (input, client) => wait(input, retries, client),
    },
  ];
  return {
    tools,
    onChange(operation: Operation, { postId }: Input): void {
      if (operation === retry) retries.set(postId, monotonic());
    },
  };
}

/** Reads each post and groups failed targets. Fails if no post could be read. */
async function triage({ postIds, by = 'cause' }: Input, client: Client): Promise<CallOutcome> {
  const { runtime, settings } = client;
  const ids = [...new Set(postIds as readonly string[])];
  const { signal } = runtime;
  const pace = { concurrency: CONCURRENCY, rate: undefined };
  const limiter = createLimiter(pace, settings, runtime, { signal });
  const posts = await readEach(ids, { limiter, signal }, async (postId) => {
    const { data } = await callOperation(client, get, { postId });
    // A post without target data counts as one that could not be read.
    return unpublishedTargetsOf(data, client);
  });
  const key = by as TriageKey;
  const targets: UnpublishedTarget[] = [];
  const unread: object[] = [];
  for (const [i, post] of posts.entries()) {
    if (!(post instanceof Failure)) targets.push(...post);
    // This is the last post, and none before it could be read either.
    else if (ids.length === unread.length + 1) throw post;
    else unread.push({ postId: ids[i], ...errorObject(post) });
  }
  const line = socialLine({ words: ['posts', 'triage'], ids, flags: ['--by', key] }, client);
  const report = triageReport(
    ids.length - unread.length,
    groupTargets(targets, key),
    key,
    (group) => nextOfGroup(group, { by: key, line, where: client }),
  );
  return { data: { ...report, unread: unread.length > 0 ? unread : undefined } };
}

/** Polls until the post is done or the time is up: then the agent is asked to call again. */
async function wait(input: Input, retries: Retries, client: Client): Promise<CallOutcome> {
  const { maxSeconds = MAX_WAIT_SECONDS, ...waitInput } = input;
  const { postId, targetIds } = waitInput as { postId: string; targetIds?: readonly string[] };
  const { signal, monotonic } = client.runtime;
  const first = await callOperation(client, get, { postId });
  const retriedAt = retries.get(postId) ?? -Infinity;
  // After a retry, a target that still shows its failure may not have started.
  const isRetried = monotonic() - retriedAt < START_GRACE_MS;
  const before = isRetried ? first.data : undefined;
  const wanted = targetIds ?? (isRetried ? retriedTargets(before, before) : undefined);
  const waiting = { intervalMs: FIRST_INTERVAL_MS, timeoutMs: Number(maxSeconds) * 1000 };
  const callContext = { ...client, operation: waitOperation, hooks: waitHooks };
  const ended = await waitUntilSettled(
    callContext,
    { input: waitInput, waiting, first, before, wanted },
    { signal },
  );
  const { data: post, failure } = ended;
  if (failure?.kind !== 'still_pending')
    return { ...ended, data: { settled: true, again: false, post } };
  const { what, next } = failure.facts;
  const line = next && shellLine(next);
  return { data: { settled: false, again: true, standing: what, post, next: line } };
}
