// `posts wait`: waits until the targets of a post are published or failed. Sends only reads.

import { type Operation, operation } from '../../api/operations/define-operation.ts';
import { get, retry } from '../../api/operations/posts.ts';
import { waitForTargets } from '../../api/operations/waits.ts';
import { described } from '../../api/schema/rules.ts';
import { targetsOf, type TargetState } from '../../api/schema/target-states.ts';
import { Failure } from '../../base/errors.ts';
import type { ListCommand } from '../../cli/run-operation.ts';
import type { CommandHooks } from '../../client/call-context.ts';
import { causeFileFaults } from '../../client/taught-causes.ts';
import { callOperation } from '../../client/call-operation.ts';
import { causesFlag, platformFlag, targetFilter } from './target-filter.ts';
import { adviseAfterWait, adviseWaits } from './next-step.ts';

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
  examples: [
    ['Wait for a post', 'social posts wait PostAutumnRecaps'],
    ['Count only one platform', 'social posts wait PostAutumnRecaps --platform mastodon'],
  ],
});

export const waitHooks: CommandHooks = {
  flags: [platformFlag('Wait only for targets on this platform'), causesFlag],

  flagFaults: causeFileFaults,

  async before(input, callContext) {
    const instead = await callOperation(callContext, get, { postId: input['postId'] });
    const wanted = input['targetIds'] as readonly string[] | undefined;
    const filter = targetFilter(callContext.flags);
    if (filter === undefined) return { input, instead, wanted };
    const counted = targetsOf(instead.data).filter(filter.isOn);
    const ids = counted.map(({ id }) => id).filter((id) => wanted?.includes(id) ?? true);
    return { input, instead, wanted: ids, ...(ids.length === 0 ? { idle: 'nothing' } : {}) };
  },

  // A wait for nothing is not a success.
  async after({ data }, _input, { flags }) {
    const [filter, named] = [targetFilter(flags), flags['target'] as readonly string[] | undefined];
    const isNamed = ({ id }: TargetState) =>
      named === undefined || named.some((ids) => ids.split(',').includes(id));
    if (
      filter === undefined ||
      targetsOf(data).some((target) => filter.isOn(target) && isNamed(target))
    )
      return undefined;
    const platforms = (flags['platform'] as readonly string[]).join(', ');
    throw new Failure('ended_badly', {
      what: `${named === undefined ? 'the post has no target' : 'none of these targets is'} on ${platforms}`,
      sent: true,
      retryable: false,
    });
  },

  advise: { afterWait: adviseAfterWait, afterBatch: adviseWaits },
};

export const waitCommand: ListCommand = { operation: waitOperation, hooks: waitHooks, waits: true };
