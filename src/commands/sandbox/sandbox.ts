// `sandbox serve | show | reset`: what they are called and take. What they do is loaded when one of them
// runs, for `-C sandbox` names this group too.

import { localGroup } from '../../cli/local-command.ts';
import { listedKinds, startNames, startDescriptions } from '../../sandbox/options.ts';

const STATE_DETAILS = `States: ${startNames
  .map((name) => `${name} (${startDescriptions[name]})`)
  .join('; ')}.`;

const stateFlag = (description: string) => ({
  flags: '--state <name>',
  description,
  values: startNames,
});

export const add = localGroup([
  {
    word: 'serve',
    summary: 'Run the embedded service until Ctrl-C',
    effect: 'sets',
    details: [
      'Listens on 127.0.0.1 only. In a pipe it prints two lines for a shell, SOCIAL_BASE_URL and SOCIAL_TOKEN; with --json one line when it is ready: url, token and an ID of each kind.',
      '--chaos injects faults for testing scripts: latency=200ms±100ms delays requests; 429=5% answers with that status (400 to 599; 429 and 503 with Retry-After: 1) and does nothing; reset=1% resets the connection and does nothing; lost=1% processes the request and sends no response. The same --seed and the same requests get the same faults. ± may be written +-.',
      STATE_DETAILS,
    ].join('\n\n'),
    example: "social sandbox serve --chaos 'latency=200ms±100ms,429=5%,lost=1%' --seed 7",
    options: [
      {
        flags: '--port <n>',
        description: 'Port to listen on (default 0: any free port)',
      },
      stateFlag('Reset to this state first; the current state is lost'),
      {
        flags: '--settle <duration>',
        description: 'Time that a retried post takes to publish (default 1 to 3 seconds)',
      },
      { flags: '--chaos <faults>', description: 'Inject faults (default none)' },
      {
        flags: '--seed <n>',
        description: 'Seed of the faults (default random; needs --chaos)',
      },
      {
        flags: '--record <file>',
        description: 'Write each request to this new private file',
        writes: true,
      },
    ],
    run: async (call, { argv }) => (await import('./serve.ts')).serveSandbox(call, argv),
  },
  {
    word: 'show',
    summary: 'Show the sandbox’s contents, with an ID of each kind',
    details: 'With --ids, prints only the IDs of one kind, one per line: a list for --from.',
    example: 'social sandbox show --ids failed-post',
    options: [
      { flags: '--ids <kind>', description: 'List the IDs of this kind', values: listedKinds },
    ],
    run: async (call) => (await import('./show.ts')).showSandbox(call),
  },
  {
    word: 'reset',
    summary: 'Reset the sandbox; its token stays the same',
    effect: 'takes away',
    details: `${STATE_DETAILS}\n\nWith outage, it also writes two lists for --from with --column: failed-posts.csv, an export with one line per failed target, and deliveries.ndjson, the webhook deliveries of the failed posts.`,
    example: 'social sandbox reset --state outage',
    options: [
      stateFlag('State to reset to, demo by default'),
      {
        flags: '--export <folder>',
        description: 'Folder for the two files of outage (default: in the state folder)',
        writes: true,
      },
    ],
    run: async (call) => (await import('./show.ts')).resetSandboxState(call),
  },
]);
