// `sandbox serve`: the embedded service as a server, optionally with injected faults.

import { once } from 'node:events';
import { durationRule, parseDuration } from '../../base/durations.ts';
import { Failure, type Fault, usageFailure } from '../../base/errors.ts';
import { toJson } from '../../base/json.ts';
import type { Runtime } from '../../base/runtime.ts';
import { quote } from '../../base/sanitize.ts';
import { setVariableLine } from '../../base/shell.ts';
import type { LocalCall } from '../../cli/local-command.ts';
import { isJsonForm, type RawFlags } from '../../config/choices.ts';
import { numberFlag, PORTS } from '../../config/read-flag.ts';
import { secretPlaces } from '../../output/credentials.ts';
import { type ChaosFault, describeChaosPlan } from '../../sandbox/chaos.ts';
import { summarizeSandbox } from '../../sandbox/contents.ts';
import { startSandbox } from '../../sandbox/serve.ts';
import { chaosFault, readChaos } from './chaos-option.ts';

const SEEDS = { minimum: 0, maximum: 999_999_999 };

/** Serves until a signal comes, and ends with its failure. */
export async function serveSandbox(call: LocalCall): Promise<void> {
  const { runtime, flags } = call;
  const serving = readFlags(flags, runtime);
  const { chaos } = serving;
  const places = await secretPlaces();
  const note = (line: string) => void runtime.stderr.write(`${places.maskWords(line)}\n`);
  const place = placeIn(runtime);
  const counts = new Map<string, number>();
  const onRequest = (_request: unknown, fault: ChaosFault | undefined) => {
    const name = String(fault ?? 'none');
    counts.set(name, (counts.get(name) ?? 0) + 1);
  };
  const sandbox = await startSandbox({ ...place, ...serving, note, onRequest });
  try {
    if (chaos !== undefined)
      note(
        `sandbox: injecting faults: --chaos '${describeChaosPlan(chaos.plan)}' --seed ${chaos.seed}`,
      );
    await announce(call, sandbox, async () => (await summarizeSandbox(place)).samples);
    const stop = await stopOf(runtime.signal);
    // `none 93, 429 5, lost 2`
    const made = [...counts].map(([fault, times]) => `${fault} ${times}`).join(', ');
    if (chaos !== undefined) note(`sandbox: faults injected: ${made || 'none (no requests)'}`);
    throw stop;
  } finally {
    await sandbox.close();
  }
}

/** Where the sandbox is, and what its store needs. */
export const placeIn = ({ stateDir, now }: Runtime) => ({
  stateDir: stateDir(),
  now,
});

/** Throws one `usage` failure with all faults of the flags. */
function readFlags(flags: RawFlags, runtime: Runtime) {
  const text = (name: string) => (typeof flags[name] === 'string' ? flags[name] : undefined);
  const faults: Fault[] = [];
  const port = numberFlag(flags, '--port', PORTS, faults) ?? 0;
  const typedSeed = numberFlag(flags, '--seed', SEEDS, faults);
  const seed = typedSeed ?? Math.floor(runtime.random() * SEEDS.maximum);
  const settle = text('settle');
  const settleMs = settle === undefined ? undefined : parseDuration(settle);
  if (settle !== undefined && settleMs === undefined)
    faults.push({ field: '--settle', problem: `${durationRule}, got ${quote(settle)}` });
  const asked = text('chaos');
  const plan = asked === undefined ? undefined : readChaos(asked);
  if (asked !== undefined && plan === undefined) faults.push(chaosFault(asked));
  if (asked === undefined && text('seed') !== undefined)
    faults.push({ field: '--seed', problem: 'requires --chaos', fix: 'add --chaos' });
  if (faults.length > 0) throw usageFailure(faults, 'social sandbox serve --help');
  return { port, settleMs, ...(plan && { chaos: { plan, seed } }) };
}

async function announce(
  { runtime, form }: LocalCall,
  { url, token }: { readonly url: string; readonly token: string },
  samples: () => Promise<object>,
): Promise<void> {
  const { platform } = runtime.program;
  // The sandbox's token guards nothing but the sandbox.
  const text = isJsonForm(form)
    ? toJson({ url, token, samples: await samples() })
    : `${setVariableLine('SOCIAL_BASE_URL', url, platform)}\n${setVariableLine('SOCIAL_TOKEN', token, platform)}`;
  await runtime.stdout.write(`${text}\n`);
  if (form === 'table') await runtime.stderr.write('sandbox: serving until Ctrl-C\n');
}

/** The signal that ends the server, as the failure that the command ends with. */
async function stopOf(signal: AbortSignal): Promise<Failure> {
  if (!signal.aborted) await once(signal, 'abort');
  return new Failure((signal.reason as Failure).kind, { what: 'sandbox stopped' });
}
