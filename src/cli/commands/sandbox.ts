// `sandbox serve | show | reset`: the embedded service as a server of its own, what is in it, and a fresh start.

import type { Command } from 'commander';
import { Failure, usageFailure } from '../../errors.ts';
import { toJson } from '../../json.ts';
import { samples } from '../../sandbox/seed/samples.ts';
import { makeGroup } from '../group.ts';
import { leaf, type LeafCall } from '../leaf.ts';
import { wholeNumber } from '../settings.ts';
import type { World } from '../../world.ts';
import type { Surroundings } from '../verb.ts';

export function add(program: Command, around: Surroundings): void {
  const group = makeGroup(program, 'sandbox', 'The embedded service, for trying things out');
  leaf(group, serveWords, around, serve);
  leaf(group, showWords, around, show);
  leaf(group, resetWords, around, reset);
}

const PORTS = { minimum: 0, maximum: 65_535 };

const serveWords = {
  word: 'serve',
  summary: 'Run the embedded service until Ctrl-C',
  details:
    'Listens on 127.0.0.1 only. With --json it prints one line when it is ready: url, token and an id of every kind.',
  example: 'social sandbox serve --port 8787',
  options: [
    { flags: '--port <n>', description: 'Port to listen on; 0 takes any (0)', bounds: PORTS },
  ],
};

const showWords = {
  word: 'show',
  summary: 'Show an id of every kind that the sandbox holds',
  example: 'social sandbox show',
};

const resetWords = {
  word: 'reset',
  summary: 'Start the sandbox over, with a new token',
  example: 'social sandbox reset',
};

async function serve(call: LeafCall): Promise<void> {
  const { world, flags, form } = call;
  const typed = typeof flags['port'] === 'string' ? flags['port'] : '0';
  const port = wholeNumber(PORTS.minimum, PORTS.maximum)(typed);
  if (typeof port === 'string') throw usageFailure([{ field: '--port', problem: port }]);
  const { startSandbox } = await import('../../sandbox/server.ts');
  const sandbox = await startSandbox({
    stateDir: world.stateDir(),
    port,
    now: world.now,
    note: noteTo(world),
  });
  try {
    const { url, token } = sandbox;
    if (form === 'json' || form === 'ndjson')
      await world.stdout.write(`${toJson({ url, token, samples })}\n`);
    else await world.stdout.write(`${asEnvironment(url, token)}\n`);
    if (form === 'table') await world.stderr.write('sandbox: serving until Ctrl-C\n');
    throw await stopOf(world.signal);
  } finally {
    await sandbox.close();
  }
}

/** Two lines that a shell can read: the sandbox's token guards nothing but the sandbox. */
const asEnvironment = (url: string, token: string) =>
  `export SOCIAL_BASE_URL=${url}\nexport SOCIAL_TOKEN=${token}`;

/** The signal that ends the server, as the failure that the command ends with. */
function stopOf(signal: AbortSignal): Promise<Failure> {
  const stopped = () => {
    const { kind } = signal.reason as Failure;
    return new Failure(kind, { what: 'sandbox stopped', sent: false, retryable: false });
  };
  return new Promise((resolve) => {
    if (signal.aborted) resolve(stopped());
    else signal.addEventListener('abort', () => resolve(stopped()), { once: true });
  });
}

async function show(call: LeafCall): Promise<void> {
  await print(call);
}

async function reset(call: LeafCall): Promise<void> {
  const { resetSandbox } = await import('../../sandbox/server.ts');
  const { world, settings } = call;
  await resetSandbox({ stateDir: world.stateDir(), now: world.now });
  if (!settings.quiet) await world.stderr.write('sandbox: started over\n');
  await print(call);
}

const noteTo =
  ({ stderr }: World) =>
  (line: string) =>
    void stderr.write(`${line}\n`);

async function print({ form, world, settings }: LeafCall): Promise<void> {
  const pairs = Object.entries(samples);
  const text =
    form === 'json' || form === 'ndjson'
      ? `${toJson({ samples }, form === 'json' && world.stdout.isTTY ? 2 : 0)}\n`
      : form === 'tsv'
        ? pairs.map((pair) => `${pair.join('\t')}\n`).join('')
        : settings.accessible
          ? pairs.map(([name, id]) => `${name}: ${id}\n`).join('')
          : `${(await import('../../output/table.ts')).fieldList(pairs, world.stdout.columns ?? 80)}\n`;
  await world.stdout.write(text);
}
