// `posts wait`: waits until the targets of a post are published or failed. Sends only reads.

import { get } from '../../api/operations/posts.ts';
import { targetsOf } from '../../api/schema/post.ts';
import { Failure } from '../../base/errors.ts';
import type { CommandHooks } from '../../client/call-context.ts';
import { callOperation } from '../../client/call-operation.ts';
import { postAdvice } from './next-step.ts';
import { hasFilter, targetFilter } from './select-targets.ts';

export const waitHooks: CommandHooks = {
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
