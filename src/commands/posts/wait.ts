// `posts wait`: stays until the targets of a post have settled. Sends nothing but reads.

import type { CommandHooks } from '../../client/call-context.ts';
import { targetsOf, type TargetState } from '../../api/schema/target-states.ts';
import { Failure } from '../../base/errors.ts';
import { readPost } from './read-post.ts';
import { filterFaults, platformFlag, targetFilter } from './target-filter.ts';
import { adviseWaits } from './triage-next.ts';
import { adviseAfterWait } from './next-step.ts';

export const waitHooks: CommandHooks = {
  options: [platformFlag('Wait only for targets on this platform')],

  alwaysWaits: true,

  flagFaults: filterFaults,

  async before(input, callContext) {
    const instead = await readPost(input, callContext);
    const wanted = input['targetIds'] as readonly string[] | undefined;
    const filter = targetFilter(callContext.flags);
    if (filter === undefined) return { input, instead, wanted };
    const counted = targetsOf(instead.data).filter(filter.isOn);
    const ids = counted.map(({ id }) => id).filter((id) => wanted?.includes(id) ?? true);
    return { input, instead, wanted: ids, ...(ids.length === 0 ? { idle: 'nothing' } : {}) };
  },

  // A wait that counts nothing is no success.
  judge(data, flags) {
    const [filter, named] = [targetFilter(flags), flags['target'] as readonly string[] | undefined];
    const isNamed = ({ id }: TargetState) =>
      named === undefined || named.some((each) => each.split(',').includes(id));
    if (filter === undefined || targetsOf(data).some((each) => filter.isOn(each) && isNamed(each)))
      return;
    const platforms = (flags['platform'] as readonly string[]).join(', ');
    throw new Failure('ended_badly', {
      what: `${named === undefined ? 'the post has no target' : 'none of these targets is'} on ${platforms}`,
      sent: true,
      retryable: false,
    });
  },

  advise: adviseAfterWait,
  adviseBatch: adviseWaits,
};
