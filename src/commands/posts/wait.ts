// `posts wait`: waits until the targets of a post are published or failed. Sends only reads.

import type { Input } from '../../api/operations/define-operation.ts';
import { get } from '../../api/operations/posts.ts';
import { targetsOf, type TargetState } from '../../api/schema/post.ts';
import { Failure } from '../../base/errors.ts';
import type { CommandHooks } from '../../client/call-context.ts';
import { callOperation } from '../../client/call-operation.ts';
import type { RawFlags } from '../../config/flags.ts';
import { postAdvice } from './next-step.ts';
import { hasFilter, namedTargets, targetFilter } from './select-targets.ts';

export const waitHooks: CommandHooks = {
  async before(input, callContext) {
    const instead = await callOperation(callContext, get, { postId: input['postId'] });
    if (!hasFilter(callContext.flags)) return { input, instead, wanted: namedTargets(input) };
    const wanted = wantedTargets(instead.data, input, callContext.flags).map(({ id }) => id);
    return { input, instead, wanted, idle: wanted.length === 0 ? 'nothing' : undefined };
  },

  // A wait for nothing is not a success.
  async after({ data }, input, { flags }) {
    if (!hasFilter(flags) || wantedTargets(data, input, flags).length > 0) return;
    const platforms = (flags['platform'] as readonly string[]).join(', ');
    const none = namedTargets(input) ? 'none of these targets is' : 'the post has no target';
    throw new Failure('ended_badly', {
      what: `${none} on ${platforms}`,
      sent: true,
      retryable: false,
    });
  },

  ...postAdvice,
};

/** Returns the targets that the line names, or else all, without those on other platforms. */
function wantedTargets(post: unknown, input: Input, flags: RawFlags): readonly TargetState[] {
  const named = namedTargets(input);
  const { isOn } = targetFilter(flags);
  return targetsOf(post).filter((target) => isOn(target) && (named?.includes(target.id) ?? true));
}
