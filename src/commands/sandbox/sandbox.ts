// `sandbox serve | show | reset`: their words and flags, with the grammar of --chaos. The code of each is loaded when
// it runs.

import { parseDuration } from '../../base/durations.ts';
import type { CommandSpec } from '../../cli/command-spec.ts';
import { duration, int, oneOf, port, typeBy, writtenPath } from '../../config/flag-types.ts';
import { type ChaosFault, type ChaosPlan, MAX_SEED } from '../../sandbox/chaos.ts';
import type { StartName } from '../../sandbox/store/store.ts';

const CHAOS_RULE =
  'must be comma-separated parts, each once: latency=<duration>[±<duration>], <status 400-599>=<n>%, reset=<n>%, lost=<n>%; at most 100% in total, e.g. latency=200ms±100ms,429=5%,lost=1%';

const DURATION = '\\d+(?:ms|s|m|h)';
const PART = new RegExp(
  `^(?:latency=(${DURATION})(?:(?:±|\\+-)(${DURATION}))?|([45]\\d\\d|reset|lost)=(\\d{1,3}(?:\\.\\d{1,3})?)%)$`,
);

/** Parses a plan of faults; `undefined` for a text that breaks the rule. `+-` stands for `±`. */
export function readChaos(text: string): ChaosPlan | undefined {
  const parts = text.split(',').map((part) => PART.exec(part.trim()));
  // Only a latency has no name in its match.
  const names = parts.map((part) => part?.[3] ?? 'latency');
  if (new Set(names).size < names.length) return undefined;
  let latency: ChaosPlan['latency'];
  const faults: [ChaosFault, number][] = [];
  for (const part of parts) {
    if (part === null) return undefined;
    const [, delay, spread = '0ms', name, percent] = part;
    if (delay !== undefined) {
      const [ms, spreadMs] = [parseDuration(delay), parseSpread(spread)];
      if (ms === undefined || spreadMs === undefined || spreadMs > ms) return undefined;
      latency = { ms, spreadMs };
    } else {
      if (Number(percent) === 0) return undefined;
      faults.push([name === 'reset' || name === 'lost' ? name : Number(name), Number(percent)]);
    }
  }
  const total = faults.reduce((sum, [, percent]) => sum + percent, 0);
  return total > 100 ? undefined : { faults, latency };
}

/** A spread may be zero, a duration may not. */
const parseSpread = (text: string): number | undefined =>
  Number.parseInt(text, 10) === 0 ? 0 : parseDuration(text);

/** The states that a sandbox can start from, with their descriptions. */
const states: Readonly<Record<StartName, string>> = {
  demo: 'a post in each state; the default',
  outage:
    'the demo and 240 posts that failed in the last two hours, for eight different causes, and two that may be published already',
};
const stateList = Object.entries(states)
  .map(([name, text]) => `${name} (${text})`)
  .join('; ');

export const sandboxCommands: readonly CommandSpec[] = [
  {
    words: ['sandbox', 'serve'],
    summary: 'Run the embedded service until Ctrl-C',
    effect: 'sets',
    details: [
      'Listens on 127.0.0.1 only, until Ctrl-C ends it (130). In a pipe it prints two lines for a shell, SOCIAL_BASE_URL and SOCIAL_TOKEN; with --json one line: url, token and an ID of each kind.',
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
        flags: '--publish-after <duration>',
        description: 'Time until a retried post is published (default 1s to 3s)',
        type: duration,
      },
      {
        flags: '--chaos <faults>',
        description: 'Inject faults (default none)',
        type: typeBy(CHAOS_RULE, readChaos),
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
    details: 'In a pipe each field has a line: its name, a TAB and its value.',
    example: 'social sandbox show',
    run: async (call) => (await import('./show.ts')).showSandbox(call),
  },
  {
    words: ['sandbox', 'reset'],
    summary: 'Reset the sandbox; its token stays the same',
    effect: 'takes away',
    details: `States: ${stateList}.\n\nWith outage, it also writes two lists for --from with --column: failed-posts.csv, an export with one line per failed target, and deliveries.ndjson, the webhook deliveries of the failed posts.`,
    examples: { 'Practise on 240 failed posts': 'social sandbox reset --state outage' },
    flags: [
      {
        flags: '--state <name>',
        description: 'State to reset to, demo by default',
        type: oneOf(Object.keys(states)),
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
