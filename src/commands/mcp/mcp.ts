// `mcp serve`: the operations as tools for an agent, over standard input and output.

import { localGroup } from '../../cli/local-command.ts';

export const add = localGroup([
  {
    word: 'serve',
    summary: 'Serve the operations as tools, over stdin and stdout',
    effect: 'once',
    failures: ['outcome_unknown'],
    details:
      'Speaks the Model Context Protocol; a client starts it. Read-only by default: --allow-writes adds the tools that change something, and a tool that deletes or disables needs the ID repeated in confirm. In a protected context nothing is changed unless --yes is given too, and nothing is ever deleted or disabled. Context, base URL and token are the same as for any command and are read again for each call.',
    example: 'social mcp serve',
    examples: [
      ['Let an agent make changes in the sandbox', 'social mcp serve -C sandbox --allow-writes'],
    ],
    options: [{ flags: '--allow-writes', description: 'Also serve the tools that make changes' }],
    stdin: 'the messages of the client',
    async run(call) {
      const { serveMcp } = await import('./server.ts');
      await serveMcp(call);
    },
  },
]);
