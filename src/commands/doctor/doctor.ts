// `doctor [--network] [--report]`: checks everything that a call depends on, and names the command that mends what is
// wrong.

import { localCommand } from '../../cli/local-command.ts';

export const add = localCommand({
  details:
    'Checks settings, token, keychain, proxy, certificates, terminal, completion, state and cache, and suggests fixes. Changes nothing, shows no secret, and does not connect without --network. Exits with 13 if a check fails. --report prints Markdown for a bug report: versions, terminal, settings and findings, without tokens, addresses, names, IDs and paths; it exits with 0 whatever the checks find.',
  example: 'social doctor',
  examples: [
    ['Show what to paste into a bug report', 'social doctor --report'],
    ['Also check the connection and the clock', 'social doctor --network'],
  ],
  options: [
    {
      flags: '--network',
      description: 'Also check the connection, the token and the clock with one harmless request',
    },
    {
      flags: '--report',
      description: 'Print a report to paste into a bug report, without anything private',
    },
  ],
  config: 'own',
  run: async (call) => (await import('./run-checks.ts')).runChecks(call),
});
