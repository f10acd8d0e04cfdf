// `posts wait`: waits until the targets of a post are published or failed. Sends only reads.

import { type Operation, operation } from '../../api/operations/define-operation.ts';
import { get, retry } from '../../api/operations/posts.ts';
import { waitForTargets } from '../../api/operations/waits.ts';
import { described } from '../../api/schema/rules.ts';
import { targetsOf } from '../../api/schema/post.ts';
import { Failure } from '../../base/errors.ts';
import type { ListCommand } from '../../cli/run-operation.ts';
import type { CommandHooks } from '../../client/call-context.ts';
import { causesFlag } from '../../client/taught-causes.ts';
import { callOperation } from '../../client/call-operation.ts';
import { postAdvice } from './next-step.ts';
import { hasFilter, platformFlag, targetFilter } from './select-targets.ts';

export const waitOperation: Operation = operation({
  command: 'posts wait',
  summary: 'Wait until all targets of a post are published or failed',
  method: get.method,
  path: get.path,
  input: {
    postId: get.input.shape.postId,
    targetIds: described(
      retry.input.shape.targetIds,
      'Only this target (16 letters, see posts get)',
      {
        flag: 'target',
      },
    ),
  },
  result: get.result,
  rows: get.rows,
  header: get.header,
  columns: get.columns,
  wait: waitForTargets(get),
  examples: {
    'Wait for a post': 'social posts wait PostAutumnRecaps',
    'Count only one platform': 'social posts wait PostAutumnRecaps --platform mastodon',
  },
});

export const waitHooks: CommandHooks = {
  flags: [platformFlag('Wait only for targets on this platform'), causesFlag],

  async before(input, callContext) {
    const instead = await callOperation(callContext, get, { postId: input['postId'] });
    const named = input['targetIds'] as readonly string[] | undefined;
    if (!hasFilter(callContext.flags)) return { input, instead, wanted: named };
    const { isOn } = targetFilter(callContext.flags);
    const wanted = targetsOf(instead.data)
      .filter((target) => isOn(target) && named?.includes(target.id) !== false)
      .map(({ id }) => id);
    return { input, instead, wanted, idle: wanted.length === 0 ? 'nothing' : undefined };
  },

  // A wait for nothing is not a success.
  async after({ data }, { targetIds }, { flags }) {
    if (!hasFilter(flags)) return undefined;
    const named = targetIds as readonly string[] | undefined;
    const { isOn } = targetFilter(flags);
    if (targetsOf(data).some((target) => isOn(target) && named?.includes(target.id) !== false))
      return undefined;
    const platforms = (flags['platform'] as readonly string[]).join(', ');
    throw new Failure('ended_badly', {
      what: `${named === undefined ? 'the post has no target' : 'none of these targets is'} on ${platforms}`,
      sent: true,
      retryable: false,
    });
  },

  advise: postAdvice,
};

export const waitCommand: ListCommand = { operation: waitOperation, hooks: waitHooks, waits: true };
