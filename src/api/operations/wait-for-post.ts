// `posts wait` as an operation: what it sends is the read of a post.

import { type Operation, operation } from './define-operation.ts';
import { get, retry } from './posts.ts';
import { postReadSummaries } from './registry.ts';
import { targetColumns } from './shared-fields.ts';
import { waitForTargets } from './wait-for-targets.ts';
import { ResourceId } from '../schema/ids.ts';
import { described } from '../schema/rules.ts';

/** Reads like an operation to the command line; what it sends is the read of a post. */
export const waitForPost: Operation = {
  ...operation({
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
    columns: targetColumns,
    wait: waitForTargets(get),
    examples: [
      ['Wait for a post', 'social posts wait PostAutumnRecaps'],
      ['Count only one platform', 'social posts wait PostAutumnRecaps --platform mastodon'],
    ],
  }),
  header: get.header,
};
