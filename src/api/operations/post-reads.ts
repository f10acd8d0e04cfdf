// What reads posts and is no operation of the API, as operations: `posts triage`, `posts wait`, and what only an agent's
// tools have, a triage of many posts in one call and a wait that answers before the client's patience ends.

import * as z from 'zod/mini';
import { ResourceId } from '../schema/ids.ts';
import { described, enumeration } from '../schema/rules.ts';
import { type Operation, operation } from './define-operation.ts';
import { get, retry } from './posts.ts';
import { postReadSummaries } from './registry.ts';
import { targetColumns } from './shared-fields.ts';
import { waitForTargets } from './waits.ts';

/** What the failed targets can be grouped by. */
export const triageKeys = ['cause', 'platform', 'account'] as const;

const Counts = z.record(z.string(), z.int()).register(z.globalRegistry, { look: 'below' });

const TriageGroup = z.object({
  cause: z.optional(z.string()),
  platform: z.optional(z.string()),
  account: z.optional(z.string()),
  posts: z.int(),
  targets: z.int(),
  platforms: Counts,
  accounts: Counts,
  errors: z
    .array(z.object({ text: z.string(), count: z.int() }))
    .register(z.globalRegistry, { look: 'below' }),
  next: z.string(),
  records: z.array(z.object({ postId: z.string(), targetIds: z.array(z.string()) })),
});

const Triage = z.object({
  posts: z.int(),
  failedTargets: z.int(),
  groups: z.array(TriageGroup),
});

export type TriageGroup = z.output<typeof TriageGroup>;

export const triagePosts: Operation = operation({
  command: 'posts triage',
  summary: postReadSummaries.triage,
  details: [
    'Reads the posts and groups their failed targets; nothing is changed. The causes are temporary (timeouts, HTTP 5xx, rate limits), reconnect (tokens, permissions, sessions), content (too long, wrong format, duplicate), platform (quota, policy, restricted account) and other. They are a guess from the code and the words of the error.',
  ],
  method: 'GET',
  path: '/v1/posts/{postId}',
  input: { postId: described(ResourceId, 'Post ID', { argument: 'many' }) },
  result: Triage,
  rows: 'groups',
  columns: ['cause', 'posts', 'targets', 'platforms', 'accounts', 'errors', 'next'],
  examples: [
    ['See why a post failed', 'social posts triage PostSpringLaunch'],
    [
      'Save one list per cause, for posts retry --from',
      'social posts triage PostSpringLaunch PostHolidayTease --save triage',
    ],
  ],
});

export const waitForPost: Operation = operation({
  command: 'posts wait',
  summary: postReadSummaries.wait,
  method: 'GET',
  path: '/v1/posts/{postId}',
  input: {
    postId: described(ResourceId, 'Post ID', { argument: 'many' }),
    targetIds: described(retry.input.shape.targetIds, 'Wait only for this target', {
      flag: 'target',
    }),
  },
  result: get.result,
  rows: 'targets',
  header: get.header,
  columns: targetColumns,
  wait: waitForTargets(get),
  examples: [
    ['Wait for a post', 'social posts wait PostAutumnRecaps'],
    ['Count only one platform', 'social posts wait PostAutumnRecaps --platform mastodon'],
  ],
});

/** Posts that one triage reads. */
const MAX_POSTS = 100;
/** A wait answers within 50 s, before a client's usual timeout of a minute: it polls for 45. */
export const MAX_WAIT_SECONDS = 45;

export const triageManyPosts: Operation = {
  ...triagePosts,
  details: [
    ...triagePosts.details,
    'Gives what `social posts triage --json` prints. Each item of `records` is an input for posts_retry; retry only those of the group temporary. Posts that could not be read are listed in `unread`.',
  ],
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

export const waitBriefly: Operation = {
  ...waitForPost,
  details: [
    'Polls the post and answers within 50 seconds. `settled: false` with `again: true` means that it is still in progress: call the tool again with the same input.',
  ],
  input: z.strictObject({
    postId: described(ResourceId, 'Post ID', { argument: 'one' }),
    targetIds: waitForPost.input.shape['targetIds'] as z.ZodMiniType,
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
