// `sandbox serve | show | reset`: their words and flags. The code of each is loaded when it runs.

import type { CommandSpec } from '../../cli/command-spec.ts';
import { duration, int, oneOf, port, writtenPath } from '../../config/flag-types.ts';
import { startNames, starts } from '../../sandbox/seed/states.ts';
import { chaosPlan } from './chaos-option.ts';

/** The maximum of --seed. */
export const MAX_SEED = 999_999_999;

const states = startNames.map((name) => `${name} (${starts[name].description})`).join('; ');

export const sandboxCommands: readonly CommandSpec[] = [
  {
    words: ['sandbox', 'serve'],
    summary: 'Run the embedded service until Ctrl-C',
    effect: 'sets',
    details: [
      'Listens on 127.0.0.1 only. In a pipe it prints two lines for a shell, SOCIAL_BASE_URL and SOCIAL_TOKEN; with --json one line: url, token and an ID of each kind.',
      '--chaos: latency=200ms±100ms (or +-) delays requests; 429=5% answers with that status (400 to 599) and does nothing; reset=1% resets the connection and does nothing; lost=1% processes the request and sends no response. The same --seed and the same requests get the same faults.',
    ].join('\n\n'),
    example: "social sandbox serve --chaos 'latency=200ms±100ms,429=5%,lost=1%' --seed 7",
    flags: [
      {
        flags: '--port <n>',
        description: 'Port to listen on (default 0: any free port)',
        type: port,
      },
      {
        flags: '--settle <duration>',
        description: 'Time until a retried post is published (default 1s to 3s)',
        type: duration,
      },
      {
        flags: '--chaos <faults>',
        description: 'Inject faults (default none)',
        type: chaosPlan,
      },
      {
        flags: '--seed <n>',
        description: 'Seed of the faults (default random; needs --chaos)',
        type: int(0, MAX_SEED),
        requires: ['--chaos'],
      },
    ],
    run: async (call) => (await import('./serve.ts')).serveSandbox(call),
  },
  {
    words: ['sandbox', 'show'],
    summary: 'Show the sandbox’s contents, with an ID of each kind',
    example: 'social sandbox show',
    flags: [],
    run: async (call) => (await import('./show.ts')).showSandbox(call),
  },
  {
    words: ['sandbox', 'reset'],
    summary: 'Reset the sandbox; its token stays the same',
    effect: 'takes away',
    details: `States: ${states}.\n\nWith outage, it also writes two lists for --from with --column: failed-posts.csv, an export with one line per failed target, and deliveries.ndjson, the webhook deliveries of the failed posts.`,
    examples: [['Practise on 240 failed posts', 'social sandbox reset --state outage']],
    flags: [
      {
        flags: '--state <name>',
        description: 'State to reset to, demo by default',
        type: oneOf(startNames),
      },
      {
        flags: '--export <folder>',
        description: 'Folder for the two files of outage (default: in the state folder)',
        type: writtenPath('folder'),
      },
    ],
    run: async (call) => (await import('./show.ts')).resetSandboxState(call),
  },
];
