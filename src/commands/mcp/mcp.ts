// `mcp serve`: the operations as tools for an agent, over standard input and output.

import { localGroup } from '../../cli/local-command.ts';

export const add = localGroup([
  {
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
    options: [
      { flags: '--allow-writes', description: 'Also serve the tools that change something' },
    ],
    stdin: 'the messages of the client',
    async run(call) {
      const { serveMcp } = await import('./server.ts');
      await serveMcp(call);
    },
  },
]);
