// `mcp serve`: the operations as tools for an agent, over standard input and output.

import type { CommandSpec } from '../../cli/command-spec.ts';
import { int } from '../../config/flag-types.ts';

export const mcpCommands: readonly CommandSpec[] = [
  {
    words: ['mcp', 'serve'],
    summary: 'Serve the operations as tools, over stdin and stdout',
    effect: 'once',
    dryRun: true,
    details:
      'Speaks the Model Context Protocol; a client starts it. Read-only by default: --allow-writes adds the tools that change something, and a tool that deletes or disables needs the ID repeated in confirm. With --max-writes, further changes are refused once so many were sent, those with an unknown outcome included; changes that were refused before they were sent do not count. In a protected context nothing is changed unless --yes is given too, and nothing is ever deleted or disabled. Context, base URL and token are the same as for any command and are read again for each call.',
    example: 'social mcp serve',
    examples: {
      'Let an agent make changes in the sandbox': 'social mcp serve -C sandbox --allow-writes',
      'Let an agent send at most 10 changes': 'social mcp serve --allow-writes --max-writes 10',
    },
    flags: [
      { flags: '--allow-writes', description: 'Also serve the tools that make changes' },
      {
        flags: '--max-writes <n>',
        description: 'With --allow-writes: maximum changes to send (default no limit)',
        type: int(1, 1_000_000),
        requires: ['--allow-writes'],
      },
    ],
    run: async (call) => (await import('./server.ts')).serveMcp(call),
  },
];
