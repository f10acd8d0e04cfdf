// `__complete` where the build has prepared nothing, or not yet: builds the whole command line and reads it.

import { readTree } from '../read-tree.ts';
import type { Surroundings } from '../verb.ts';
import { complete } from './complete.ts';
import { prepare } from './prepared.ts';

/** What a shell is told; without a question what the build keeps for later ones. */
export async function completeUnprepared(
  asked: readonly string[],
  around: Surroundings,
): Promise<string> {
  const tree = prepare(await readTree(around));
  return asked.length === 0 ? `${JSON.stringify(tree)}\n` : complete(asked, tree, around.world);
}
