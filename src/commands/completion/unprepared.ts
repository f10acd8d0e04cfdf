// `__complete` where the build has prepared nothing, or not yet: builds the whole command line and reads it.

import type { CommandContext } from '../../cli/command-context.ts';
import { complete } from './complete.ts';
import { toCompletionTree } from './completion-tree.ts';

/** What a shell is told; without a question what the build keeps for later ones. */
export async function completeUnprepared(
  asked: readonly string[],
  context: CommandContext,
): Promise<string> {
  const tree = toCompletionTree(await context.tree());
  return asked.length === 0 ? `${JSON.stringify(tree)}\n` : complete(asked, tree, context.runtime);
}
