// `sandbox serve`: the sandbox as a server, optionally with injected faults.

import { once } from 'node:events';
import { Failure } from '../../base/errors.ts';
import { toJson } from '../../base/json.ts';
import type { Runtime } from '../../base/runtime.ts';
import { setVariableLine } from '../../base/shell.ts';
import type { Call } from '../../cli/command-spec.ts';
import { isJsonForm } from '../../config/flags.ts';
import { secretPlaces } from '../../output/redact-by-name.ts';
import type { ChaosFault } from '../../sandbox/chaos.ts';
import { summarizeSandbox } from '../../sandbox/contents.ts';
import { startSandbox } from '../../sandbox/serve.ts';
import type { StateOptions } from '../../sandbox/store/store.ts';
import { MAX_SEED, type TypedPlan } from './sandbox.ts';

interface ServeFlags {
  readonly port?: number;
  /** Milliseconds that a retried target publishes. */
  readonly settle?: number;
  readonly chaos?: TypedPlan;
  readonly seed?: number;
}

/** Serves until a signal, and throws its failure. */
export async function serveSandbox(call: Call): Promise<void> {
  const { runtime } = call;
  const flags = call.flags as ServeFlags;
  const { seed = Math.floor(runtime.random() * MAX_SEED) } = flags;
  const chaos = flags.chaos && { plan: flags.chaos, seed };
  // Notes show paths of requests, and a path may contain the credential of a pairing.
  const places = await secretPlaces();
  const note = (line: string) =>
    void runtime.stderr.write(`${line.split(' ').map(places.maskPath).join(' ')}\n`);
  const storeOptions = storeOptionsOf(runtime);
  const counts = new Map<string, number>();
  const onRequest = (_request: unknown, fault: ChaosFault | undefined) => {
    const name = String(fault ?? 'none');
    counts.set(name, (counts.get(name) ?? 0) + 1);
  };
  const sandbox = await startSandbox({
    ...storeOptions,
    port: flags.port ?? 0,
    settleMs: flags.settle,
    chaos,
    note,
    onRequest,
  });
  try {
    if (chaos !== undefined)
      note(`sandbox: injecting faults: --chaos '${chaos.plan.text}' --seed ${chaos.seed}`);
    await announce(call, sandbox, storeOptions);
    const stop = await stopOf(runtime.signal);
    // Shows `none 93, 429 5, lost 2`.
    const injected = [...counts].map(([fault, times]) => `${fault} ${times}`).join(', ');
    if (chaos !== undefined)
      note(`sandbox: faults injected: ${injected || 'none (no request with the token)'}`);
    throw stop;
  } finally {
    await sandbox.close();
  }
}

/** Returns the folder and the clock that the sandbox's store needs. */
export const storeOptionsOf = ({ stateDir, now }: Runtime) => ({
  stateDir: stateDir(),
  now,
});

async function announce(
  { runtime, form }: Call,
  { url, token }: { readonly url: string; readonly token: string },
  storeOptions: StateOptions,
): Promise<void> {
  const { platform } = runtime.program;
  // The token may be shown, because it protects only the sandbox.
  const text = isJsonForm(form)
    ? toJson({ url, token, samples: (await summarizeSandbox(storeOptions)).samples })
    : `${setVariableLine('SOCIAL_BASE_URL', url, platform)}\n${setVariableLine('SOCIAL_TOKEN', token, platform)}`;
  await runtime.stdout.write(`${text}\n`);
  if (form === 'table') await runtime.stderr.write('sandbox: serving until Ctrl-C\n');
}

/** Returns the signal that ends the server, as the failure that the command ends with. */
async function stopOf(signal: AbortSignal): Promise<Failure> {
  if (!signal.aborted) await once(signal, 'abort');
  return new Failure((signal.reason as Failure).kind, { what: 'sandbox stopped' });
}
