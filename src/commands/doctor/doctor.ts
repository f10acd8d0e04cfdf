// `doctor [--network]`: looks at everything that a call depends on, and says for each how it stands and what mends it.

import type { Command } from 'commander';
import { addLocalCommand } from '../../cli/local-command.ts';
import type { CommandContext } from '../../cli/command-context.ts';

const words = {
  word: 'doctor',
  summary: 'Find what is wrong with this set-up',
  details:
    'Looks at settings, token, keychain, proxy, certificates, terminal, completion, state and cache, and names the command that mends what is not well. Changes nothing, shows no secret, and connects to nothing without --network. Ends with 13 when something fails.',
  example: 'social doctor',
  examples: [['Also try the service and compare its clock', 'social doctor --network']],
  options: [
    {
      flags: '--network',
      description: 'Send the service one harmless request, and compare clocks',
    },
  ],
  config: 'own',
} as const;

export function add(program: Command, commandContext: CommandContext): void {
  addLocalCommand(program, words, commandContext, async (call) => {
    const { runChecks } = await import('./run-checks.ts');
    await runChecks(call, commandContext);
  });
}
