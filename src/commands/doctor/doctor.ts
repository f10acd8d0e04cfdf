// `doctor [--network]`: checks everything that a call depends on, and names the command that mends what is wrong.

import { localCommand } from '../../cli/local-command.ts';

export const add = localCommand({
  details:
    'Checks settings, token, keychain, proxy, certificates, terminal, completion, state and cache, and suggests fixes. Changes nothing, shows no secret, and does not connect without --network. Exits with 13 if a check fails.',
  example: 'social doctor',
  examples: [['Also check the connection and the clock', 'social doctor --network']],
  options: [
    {
      flags: '--network',
      description: 'Also check the connection, the token and the clock with one harmless request',
    },
  ],
  config: 'own',
  async run(call) {
    const { runChecks } = await import('./run-checks.ts');
    await runChecks(call);
  },
});
