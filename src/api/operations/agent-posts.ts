// The operations that only an agent's tools have: `posts triage` for many posts in one call, and a `posts wait` that
// answers before the client's patience ends.

import * as z from 'zod/mini';
import { ResourceId } from '../schema/ids.ts';
import { described, enumeration } from '../schema/rules.ts';
import type { Operation } from './define-operation.ts';
import { triageKeys, triagePosts } from './triage-posts.ts';
import { waitForPost } from './wait-for-post.ts';

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
    'Polls the post and answers within 50 seconds. `settled: false` with `again: true` means that it is still in progress: call the tool again with the same input. With `notBefore`, nothing happens before that time.',
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
