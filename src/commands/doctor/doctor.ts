// `doctor [--network]`: checks everything that a call depends on, and names the command that mends what is wrong.

import { localCommand } from '../../cli/local-command.ts';

export const add = localCommand({
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
  async run(call) {
    const { runChecks } = await import('./run-checks.ts');
    await runChecks(call);
  },
});
