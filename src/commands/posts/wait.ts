// `posts wait`: stays until the targets of a post have settled. Sends nothing but reads.

import type { Command } from 'commander';
import { get } from '../../api/operations/posts.ts';
import { addOperationCommands } from '../../cli/operation-command.ts';
import { callOperation } from '../../client/call-operation.ts';
import type { CommandHooks } from '../../client/call-context.ts';
import { waitForPost } from '../../api/operations/wait-for-post.ts';
import type { CommandContext } from '../../cli/command-context.ts';
import { adviseAfterWait } from './next-step.ts';

export const waitHooks: CommandHooks = {
  async before(input, callContext) {
    const instead = await callOperation(callContext, get, { postId: input['postId'] });
    return { input, instead, wanted: input['targetIds'] as readonly string[] | undefined };
  },

  advise: adviseAfterWait,
};

export function add(program: Command, commandContext: CommandContext): void {
  addOperationCommands(
    program,
    waitForPost,
    { hooks: waitHooks, alwaysWaits: true },
    commandContext,
  );
}
