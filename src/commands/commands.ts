// `commands [command…]`: the whole command line, as a list for people and as data for programs.

import { didYouMean } from '../base/closest.ts';
import { usageFailure } from '../base/errors.ts';
import { quoteUnlessSecret } from '../base/secret-words.ts';
import type { CommandNode } from '../cli/read-command-tree.ts';
import { localCommand } from '../cli/local-command.ts';
import { printRows } from '../output/write-result.ts';

export const add = localCommand({
  details:
    '--json prints them as data: each command with its summary, and its effect (reads; sets: a repeat changes nothing more; once: a repeat does it again; takes away). With --all, or with a command or a group, the data is complete: arguments, flags, values, examples, requests. The form of a value is in social schema <command>.',
  operands: [{ name: 'command', description: 'Command or group, e.g. posts retry', many: true }],
  options: [
    { flags: '--all', description: 'With --json: print the complete data of every command' },
  ],
  example: 'social commands --json',
  examples: [
    ['Show the complete data of one command', 'social commands posts retry --json'],
    ['Save the complete data', 'social commands --json --all > commands.json'],
  ],
  config: 'none',
  async run(call, { tree }) {
    const whole = await tree();
    const { name, version, commands: nodes } = whole;
    const typed = call.operands.join(' ');
    const isIn = ({ path }: CommandNode) => typed === '' || `${path} `.startsWith(`${typed} `);
    const found = nodes.filter((node) => !node.group && isIn(node));
    if (found.length === 0) throw unknown(typed, nodes);
    const isWhole = call.flags['all'] === true || typed !== '';
    const commands = isWhole ? found : found.map(summaryOf);
    const document = isWhole && typed === '' ? whole : { name, version, commands };
    await printRows(call, ['path', 'summary'], commands, document);
  },
});

const summaryOf = ({ path, summary, effect }: CommandNode): object => ({ path, summary, effect });

function unknown(typed: string, nodes: readonly CommandNode[]) {
  const meant = didYouMean(
    typed,
    nodes.map(({ path }) => path),
  );
  const fault = { field: 'unknown command', problem: quoteUnlessSecret(typed), fix: meant?.fix };
  return usageFailure(fault, `social commands ${meant?.near ?? ''}`.trim());
}
