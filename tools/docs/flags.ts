// What both generators, of docs/commands.md and of the manual, read from the flags of the command tree.

import type { FlagNode } from '../../src/cli/read-command-tree.ts';

/** The flags below the title of their group, in order. */
export function byGroup(
  flags: readonly FlagNode[],
): readonly (readonly [string, readonly FlagNode[]])[] {
  const titles = [...new Set(flags.map(({ group }) => group))];
  return titles.map((title) => [title, flags.filter(({ group }) => group === title)]);
}
