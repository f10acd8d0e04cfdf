// `posts wait`: the wait of a retry, without the retry.

import { get, retry } from '../../operations/posts.ts';
import type { Operation } from '../../operations/operation.ts';
import { operation } from '../../operations/operation.ts';
import { described } from '../../schema/described.ts';
import { ResourceId } from '../../schema/ids.ts';
import { call } from '../calling.ts';
import type { Extra } from './extra.ts';

/** Reads like an operation to the command line; what it sends is the read of a post. */
export const waitForPost: Operation = {
  ...operation({
    command: 'posts wait',
    summary: 'Wait until the targets of a post have settled',
    method: 'GET',
    path: '/v1/posts/{postId}',
    input: {
      postId: described(ResourceId, 'Post to wait for', { argument: 'many' }),
      targetIds: described(retry.input.shape.targetIds, 'Only this target counts', {
        flag: 'target',
      }),
    },
    result: get.result,
    rows: 'targets',
    columns: ['platform', 'status', 'id', 'error', 'nativeUrl', 'updatedAt'],
    wait: { kind: 'targets', poll: get },
    assumes: [
      'transitions are not documented; publishing, scheduled and unknown statuses count as moving',
    ],
    examples: [['Wait for a post', 'social posts wait PostAutumnRecaps']],
  }),
  header: get.header,
};

export const postsWait: Extra = {
  async before(input, calling) {
    const instead = await call(calling, get, { postId: input['postId'] });
    const wanted = input['targetIds'] as readonly string[] | undefined;
    return { input, instead, ...(wanted === undefined ? {} : { wanted }) };
  },
};
