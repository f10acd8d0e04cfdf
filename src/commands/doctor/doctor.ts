// `doctor [--offline]`: checks what every call depends on, and names the command that mends what is wrong.

import { localCommand } from '../../cli/local-command.ts';

export const add = localCommand({
  details:
    'Checks the program, the settings files, the context, the token, the keychain, and the service: it sends the same harmless request as auth login, unless --offline. Shows no token and leaves nothing behind. Exits with 13 if a check fails. For a bug report paste the output of social doctor --json, which contains paths and the address of the service.',
  example: 'social doctor',
  examples: [
    ['Show what to paste into a bug report', 'social doctor --json'],
    ['Check the setup without the network', 'social doctor --offline'],
  ],
  options: [{ flags: '--offline', description: 'Do not send a request to the service' }],
  config: 'own',
  run: async (call) => (await import('./run-checks.ts')).runChecks(call),
});
