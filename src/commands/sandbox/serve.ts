// `sandbox serve`: the embedded service as a server, with faults and a recording where they are asked for.

import { closestWord } from '../../base/closest.ts';
import { Failure, type Fault, usageFailure } from '../../base/errors.ts';
import { toJson } from '../../base/json.ts';
import type { Runtime } from '../../base/runtime.ts';
import { quote } from '../../base/sanitize.ts';
import type { LocalCall } from '../../cli/local-command.ts';
import { wholeNumber } from '../../config/settings.ts';
import { secretPlaces } from '../../output/credentials.ts';
import { type ChaosPlan, describeChaosPlan } from '../../sandbox/chaos.ts';
import type { SandboxExchange } from '../../sandbox/http-exchange.ts';
import { startNames, PORTS, SEEDS } from '../../sandbox/options.ts';
import { startSandbox, summarizeSandbox } from '../../sandbox/server.ts';
import { readChaos } from './chaos-option.ts';
import { recorder, startRecording } from './recording.ts';
import type { RawFlags } from '../../config/choices.ts';

// The value of a flag that has a few.

/** The value that was typed; undefined without the flag. Throws a usage failure when it is none of `values`. */
export function oneOfFlag<T extends string>(
  { flags }: LocalCall,
  name: string,
  values: readonly T[],
): T | undefined {
  const given = flags[name];
  if (typeof given !== 'string') return undefined;
  const found = values.find((each) => each === given);
  if (found !== undefined) return found;
  const near = closestWord(given, values);
  const fault: Fault = {
    field: `--${name}`,
    problem: `must be one of: ${values.join(', ')}; got ${quote(given)}`,
    ...(near === undefined ? {} : { fix: `did you mean ${near}?` }),
  };
  throw usageFailure([fault]);
}

interface ServeFlags {
  readonly port: number;
  readonly chaos?: { readonly plan: ChaosPlan; readonly seed: number };
  readonly record?: string;
}

/** Serves until a signal comes, and ends with its failure. */
export async function serveSandbox(call: LocalCall): Promise<void> {
  const { runtime, flags } = call;
  const start = oneOfFlag(call, 'state', startNames);
  const { port, chaos, record } = readFlags(flags, runtime);
  const { maskWords } = await secretPlaces();
  const note = (line: string) => void runtime.stderr.write(`${maskWords(line)}\n`);
  const { deadHolders } = runtime;
  const place = { stateDir: runtime.stateDir(), deadHolders, now: runtime.now, note };
  const recording =
    record === undefined ? undefined : startRecording(record, await recorder(), note);
  const tally = new Map<string, number>();
  const onExchange = (exchange: SandboxExchange) => {
    const met = String(exchange.fault ?? 'none');
    tally.set(met, (tally.get(met) ?? 0) + 1);
    recording?.add(exchange);
  };
  try {
    const sandbox = await startSandbox({
      ...place,
      port,
      ...(start === undefined ? {} : { start }),
      ...(chaos === undefined ? {} : { chaos }),
      onExchange,
    });
    try {
      if (start !== undefined) note(`sandbox: started over as ${start}`);
      if (chaos !== undefined)
        note(
          `sandbox: making faults: --chaos '${describeChaosPlan(chaos.plan)}' --seed ${chaos.seed}`,
        );
      await announce(call, sandbox, async () => (await summarizeSandbox(place)).samples);
      runtime.onQuestion(() => `serving on ${sandbox.url}: ${sum(tally)} requests so far`);
      const stop = await stopOf(runtime.signal);
      if (chaos !== undefined) note(`sandbox: faults made: ${faultsMade(tally)}`);
      throw stop;
    } finally {
      await sandbox.close();
    }
  } finally {
    recording?.close();
  }
}

const sum = (tally: ReadonlyMap<string, number>): number =>
  [...tally.values()].reduce((all, each) => all + each, 0);

/** `none 93, 429 5, lost 2`, for the end. */
const faultsMade = (tally: ReadonlyMap<string, number>): string =>
  [...tally].map(([fault, times]) => `${fault} ${times}`).join(', ') || 'none, for nobody asked';

/** All that is wrong with the flags comes out at once. */
function readFlags(flags: RawFlags, runtime: Runtime): ServeFlags {
  const text = (name: string) => (typeof flags[name] === 'string' ? flags[name] : undefined);
  const faults: Fault[] = [];
  const number = (name: string, { minimum, maximum }: typeof PORTS, fallback: number): number => {
    const given = text(name);
    const read = given === undefined ? fallback : wholeNumber(minimum, maximum)(given);
    if (typeof read === 'number') return read;
    faults.push({ field: `--${name}`, problem: read });
    return fallback;
  };
  const port = number('port', PORTS, 0);
  const seed = number('seed', SEEDS, Math.floor(runtime.random() * SEEDS.maximum));
  const record = text('record');
  if (record === '') faults.push({ field: '--record', problem: 'needs the name of a file' });
  const asked = text('chaos');
  const plan = asked === undefined ? undefined : readChaos(asked);
  if (isFaults(plan)) faults.push(...plan);
  if (asked === undefined && text('seed') !== undefined)
    faults.push({ field: '--seed', problem: 'does nothing without --chaos', fix: 'add --chaos' });
  if (faults.length > 0) throw usageFailure(faults, 'social sandbox serve --help');
  return {
    port,
    ...(plan === undefined || isFaults(plan) ? {} : { chaos: { plan, seed } }),
    ...(record === undefined ? {} : { record }),
  };
}

const isFaults = (plan: ChaosPlan | readonly Fault[] | undefined): plan is readonly Fault[] =>
  Array.isArray(plan);

async function announce(
  { runtime, form }: LocalCall,
  { url, token }: { readonly url: string; readonly token: string },
  samples: () => Promise<object>,
): Promise<void> {
  const asJson = form === 'json' || form === 'ndjson';
  const text = asJson
    ? toJson({ url, token, samples: await samples() })
    : // The sandbox's token guards nothing but the sandbox.
      `export SOCIAL_BASE_URL=${url}\nexport SOCIAL_TOKEN=${token}`;
  await runtime.stdout.write(`${text}\n`);
  if (form === 'table') await runtime.stderr.write('sandbox: serving until Ctrl-C\n');
}

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
