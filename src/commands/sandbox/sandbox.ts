// `sandbox serve | show | reset`: what they are called and take. What they do is loaded when one of them runs, for
// `-C sandbox` names this group too.

import { localGroup } from '../../cli/local-command.ts';
import { listedKinds, startNames, startDescriptions, PORTS, SEEDS } from '../../sandbox/options.ts';

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
    details: [
      'Listens on 127.0.0.1 only. In a pipe it prints two lines that a shell can read, SOCIAL_BASE_URL and SOCIAL_TOKEN; with --json one line when it is ready: url, token and an id of every kind.',
      'With --chaos it makes faults for trying out scripts: latency=200ms±100ms waits before anything is done; 429=5% answers that status (400 to 599; 429 and 503 with Retry-After: 1) and does nothing; reset=1% resets the connection before anything is done; lost=1% does it and never answers. The same --seed and requests meet the same faults. ± may be written +-.',
      STATE_DETAILS,
    ].join('\n\n'),
    example: "social sandbox serve --chaos 'latency=200ms±100ms,429=5%,lost=1%' --seed 7",
    options: [
      { flags: '--port <n>', description: 'Port to listen on; 0 takes any (0)', bounds: PORTS },
      stateFlag('Start over in this state; what is there is lost'),
      { flags: '--chaos <faults>', description: 'Make faults on purpose; none without it' },
      {
        flags: '--seed <n>',
        description: 'With --chaos: which requests meet them (random)',
        bounds: SEEDS,
      },
      {
        flags: '--record <file>',
        description: 'New private file with a line for each request',
        writes: true,
      },
    ],
    run: async (call) => (await import('./serve.ts')).serveSandbox(call),
  },
  {
    word: 'show',
    summary: 'Show what the sandbox holds, with an id of every kind',
    details: 'With --ids only the ids of one kind, one a line: a list for --from.',
    example: 'social sandbox show --ids failed-post',
    options: [
      { flags: '--ids <kind>', description: 'List the ids of this kind', values: listedKinds },
    ],
    run: async (call) => (await import('./show.ts')).showSandbox(call),
  },
  {
    word: 'reset',
    summary: 'Start the sandbox over; its token stays the same',
    details: STATE_DETAILS,
    example: 'social sandbox reset --state outage',
    options: [stateFlag('What to start with (demo)')],
    run: async (call) => (await import('./show.ts')).resetSandboxState(call),
  },
]);
