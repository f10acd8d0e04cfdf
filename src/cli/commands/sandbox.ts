// `sandbox serve | show | reset`: the embedded service as a server of its own, what is in it, and a fresh start.

import type { Command } from 'commander';
import { type Fault, usageFailure } from '../../errors.ts';
import { toJson } from '../../json.ts';
import { quote } from '../../output/sanitize.ts';
import { fieldList } from '../../output/table.ts';
import { startNames, startPromises, type StartName } from '../../sandbox/seed/start-names.ts';
import { type ListedKind, listedKinds, type Survey } from '../../sandbox/survey.ts';
import type { World } from '../../world.ts';
import { closest } from '../closest.ts';
import { makeGroup } from '../group.ts';
import { leaf, type LeafCall } from '../leaf.ts';
import type { Surroundings } from '../verb.ts';

export function add(program: Command, around: Surroundings): void {
  const group = makeGroup(program, 'sandbox', 'The embedded service, for trying things out');
  leaf(group, serveWords, around, async (call) => {
    const { serve } = await import('./sandbox-serve.ts');
    await serve(call, startIn(call));
  });
  leaf(group, showWords, around, show);
  leaf(group, resetWords, around, reset);
}

const STATE_DETAILS = `States: ${startNames
  .map((name) => `${name} (${startPromises[name]})`)
  .join('; ')}.`;

const stateFlag = (description: string) => ({
  flags: '--state <name>',
  description,
  values: startNames,
});

const serveWords = {
  word: 'serve',
  summary: 'Run the embedded service until Ctrl-C',
  details: [
    'Listens on 127.0.0.1 only. In a pipe it prints two lines that a shell can read, SOCIAL_BASE_URL and SOCIAL_TOKEN; with --json one line when it is ready: url, token and an id of every kind.',
    'With --chaos it makes faults for trying out scripts: latency=200ms±100ms waits before anything is done; 429=5% answers that status (400 to 599; 429 and 503 with Retry-After: 1) and does nothing; reset=1% resets the connection before anything is done; lost=1% does it and never answers. The same --seed and requests meet the same faults. ± may be written +-.',
    STATE_DETAILS,
  ].join('\n\n'),
  example: "social sandbox serve --chaos 'latency=200ms±100ms,429=5%,lost=1%' --seed 7",
  options: [
    { flags: '--port <n>', description: 'Port to listen on; 0 takes any (0)' },
    stateFlag('Start over in this state; what is there is lost'),
    { flags: '--chaos <faults>', description: 'Make faults on purpose; none without it' },
    { flags: '--seed <n>', description: 'With --chaos: which requests meet them (random)' },
    { flags: '--record <file>', description: 'New private file with a line for each request' },
  ],
};

const showWords = {
  word: 'show',
  summary: 'Show what the sandbox holds, with an id of every kind',
  details: 'With --ids only the ids of one kind, one a line: a list for --from.',
  example: 'social sandbox show --ids failed-post',
  options: [
    { flags: '--ids <kind>', description: 'List the ids of this kind', values: listedKinds },
  ],
};

const resetWords = {
  word: 'reset',
  summary: 'Start the sandbox over, with a new token',
  details: STATE_DETAILS,
  example: 'social sandbox reset --state outage',
  options: [stateFlag('What to start with (demo)')],
};

async function reset(call: LeafCall): Promise<void> {
  const start = startIn(call) ?? 'demo';
  const { resetSandbox } = await import('../../sandbox/server.ts');
  const { world, settings } = call;
  await resetSandbox({ stateDir: world.stateDir(), now: world.now, start });
  if (!settings.quiet) await world.stderr.write(`sandbox: started over as ${start}\n`);
  await print(call, await survey(call));
}

async function show(call: LeafCall): Promise<void> {
  const kind = oneOf(call, 'ids', listedKinds);
  const seen = await survey(call, kind);
  if (kind === undefined) return print(call, seen);
  const { form, world } = call;
  const asJson = form === 'json';
  const text = asJson
    ? [toJson(seen.ids)]
    : seen.ids.map((id) => (form === 'ndjson' ? toJson(id) : id));
  await world.stdout.write(text.map((line) => `${line}\n`).join(''));
}

const startIn = (call: LeafCall): StartName | undefined => oneOf(call, 'state', startNames);

/** The value of a flag that has a few; throws when it is none of them. */
function oneOf<T extends string>(
  { flags }: LeafCall,
  name: string,
  values: readonly T[],
): T | undefined {
  const given = flags[name];
  if (typeof given !== 'string') return undefined;
  const found = values.find((each) => each === given);
  if (found !== undefined) return found;
  const near = closest(given, values);
  const fault: Fault = {
    field: `--${name}`,
    problem: `must be one of: ${values.join(', ')}; got ${quote(given)}`,
    ...(near === undefined ? {} : { fix: `did you mean ${near}?` }),
  };
  throw usageFailure([fault]);
}

async function survey({ world }: LeafCall, kind?: ListedKind) {
  const { surveySandbox } = await import('../../sandbox/server.ts');
  const place = { stateDir: world.stateDir(), now: world.now, note: noteTo(world) };
  return surveySandbox(place, kind);
}

const noteTo =
  ({ stderr }: World) =>
  (line: string) =>
    void stderr.write(`${line}\n`);

async function print({ form, world, settings }: LeafCall, seen: Survey): Promise<void> {
  const { state, createdAt, posts, samples } = seen;
  const count = Object.entries(posts).map(([status, number]) => `${number} ${status}`);
  const pairs: [string, string][] = [
    ['state', state],
    ['createdAt', createdAt],
    ['posts', count.join(', ')],
    ...Object.entries(samples),
  ];
  const text =
    form === 'json' || form === 'ndjson'
      ? `${toJson({ state, createdAt, posts, samples }, form === 'json' && world.stdout.isTTY ? 2 : 0)}\n`
      : form === 'tsv'
        ? pairs.map((pair) => `${pair.join('\t')}\n`).join('')
        : settings.accessible
          ? pairs.map(([name, id]) => `${name}: ${id}\n`).join('')
          : `${fieldList(pairs, world.stdout.columns ?? 80)}\n`;
  await world.stdout.write(text);
}
