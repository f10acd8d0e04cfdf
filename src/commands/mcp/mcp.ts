// `mcp serve`: the operations as tools of an agent, over standard input and output.

import type { Command } from 'commander';
import { makeGroup } from '../../cli/command-group.ts';
import { addLocalCommand } from '../../cli/local-command.ts';
import type { CommandContext } from '../../cli/command-context.ts';

const words = {
  word: 'serve',
  summary: 'Serve the operations as tools, over standard input and output',
  details:
    'Speaks the Model Context Protocol, for a client that starts it. Reads alone: tools that change something are there with --allow-writes, and what deletes or disables then wants the id repeated in confirm. In a protected context nothing is changed unless --yes is given too, and nothing is ever deleted or disabled. Context, base URL and token count as for any command, and are looked up for each call.',
  example: 'social mcp serve',
  examples: [
    [
      'Let an agent also change things in the sandbox',
      'social mcp serve -C sandbox --allow-writes',
    ],
  ],
  options: [{ flags: '--allow-writes', description: 'Also serve the tools that change something' }],
  stdin: 'the messages of the client',
} as const;

export function add(program: Command, commandContext: CommandContext): void {
  const group = makeGroup(program, 'mcp', 'The operations as tools for an agent');
  addLocalCommand(group, words, commandContext, async (call) => {
    const { serveMcp } = await import('./server.ts');
    await serveMcp(call);
  });
}
