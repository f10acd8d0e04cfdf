// The tools that make several requests: `posts_triage` reads many posts, `posts_wait` polls one until it is done or its
// time is up.

import * as z from 'zod/mini';
import type { Input, Operation } from '../../api/operations/define-operation.ts';
import { get } from '../../api/operations/posts.ts';
import { ResourceId } from '../../api/schema/ids.ts';
import { hasTargets, isRetryable } from '../../api/schema/post.ts';
import { described, enumeration } from '../../api/schema/rules.ts';
import { Failure } from '../../base/errors.ts';
import { shellLine, socialLine } from '../../base/shell.ts';
import { createLimiter, readEach } from '../../batch/limiter.ts';
import type { CallOutcome } from '../../client/session.ts';
import { callOperation } from '../../client/call-operation.ts';
import type { Client } from '../../client/open-client.ts';
import { isUnsure } from '../../client/read-cause.ts';
import { MAY_BE_PUBLISHED, skippedLine } from '../../client/remedies.ts';
import { errorObject } from '../../output/error-report.ts';
import { acceptedLately } from '../../history/accepted-lately.ts';
import { callAndWait } from '../../wait/call-and-wait.ts';
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
import { type BeforeChange, CONCURRENCY, type Tool } from './call-tool.ts';

/** The maximum number of posts in one triage. */
const MAX_POSTS = 100;
/** A wait returns within 50 s, before a client's usual timeout of a minute: it polls for 45. */
const MAX_WAIT_SECONDS = 45;

const triageManyPosts: Operation = {
  ...triageOperation,
  details: `${triageOperation.details}\nGives what \`social posts triage --json\` prints. Each item of \`records\` is an input for posts_retry; retry only those of the group temporary. Those of the group unsure may be published already: a person has to look at the account first. Posts that could not be read are listed in \`unread\`.`,
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

export const postTools: readonly Tool[] = [
  { name: 'posts_triage', operation: triageManyPosts, run: triage },
  { name: 'posts_wait', operation: waitBriefly, run: wait },
];

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

/**
 * Reads the post before a retry that names no target, because the service would retry all: targets that may be published
 * already are skipped, and the others named.
 */
export async function leaveOutUnsure(input: Input, client: Client): Promise<BeforeChange> {
  if (input['targetIds'] !== undefined) return { input };
  const { data } = await callOperation(client, get, { postId: input['postId'] });
  const failed = hasTargets(data) ? data.targets.filter(isRetryable) : [];
  const sure = failed.filter((target) => !isUnsure(target, client.causeRules));
  if (sure.length === failed.length) return { input };
  client.runtime.note(skippedLine(MAY_BE_PUBLISHED, failed.length - sure.length));
  if (sure.length === 0) return { instead: { data } };
  return { input: { ...input, targetIds: sure.map(({ id }) => id) } };
}

/** Polls until the post is done or the time is up: then the agent is asked to call again. */
async function wait(input: Input, client: Client): Promise<CallOutcome> {
  const { maxSeconds = MAX_WAIT_SECONDS, ...waitInput } = input;
  const waiting = { intervalMs: FIRST_INTERVAL_MS, timeoutMs: Number(maxSeconds) * 1000 };
  const session = {
    ...client,
    operation: waitOperation,
    hooks: waitHooks,
    acceptedLately: acceptedLately(client),
  };
  const { data: post, failure, ...ended } = await callAndWait(session, waiting, waitInput);
  if (failure?.kind !== 'still_pending')
    return { ...ended, failure, data: { settled: true, again: false, post } };
  const { what, next } = failure.facts;
  const line = next && shellLine(next);
  return { data: { settled: false, again: true, standing: what, post, next: line } };
}
