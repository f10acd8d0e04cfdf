// `sandbox serve`: the sandbox as a server, optionally with injected faults.

import { once } from 'node:events';
import { Failure } from '../../base/errors.ts';
import { toJson } from '../../base/json.ts';
import type { Runtime } from '../../base/runtime.ts';
import { labelledLine, setVariableLine } from '../../base/shell.ts';
import type { Invocation } from '../../cli/command-spec.ts';
import { isJsonForm } from '../../config/flags.ts';
import { secretPlaces } from '../../output/redact-by-name.ts';
import { type ChaosPlan, MAX_SEED } from '../../sandbox/chaos.ts';
import { summarizeSandbox } from '../../sandbox/contents.ts';
import { startSandbox } from '../../sandbox/serve.ts';
import type { StateOptions } from '../../sandbox/store/store.ts';

interface ServeFlags {
  readonly port?: number;
  /** Milliseconds that a retried target publishes. */
  readonly publishAfter?: number;
  readonly chaos?: ChaosPlan;
  readonly seed?: number;
}

/** Serves until a signal, and throws its failure. */
export async function serveSandbox(call: Invocation): Promise<void> {
  const { runtime, typedFlags } = call;
  const {
    port = 0,
    publishAfter: publishAfterMs,
    chaos: plan,
    seed: typedSeed,
  } = call.flags as ServeFlags;
  const seed = typedSeed ?? Math.floor(runtime.random() * MAX_SEED);
  // Notes show paths of requests, and a path may contain the credential of a pairing.
  const places = await secretPlaces();
  const note = (line: string) =>
    void runtime.stderr.write(`${line.split(' ').map(places.maskPath).join(' ')}\n`);
  const storeOptions = storeOptionsOf(runtime);
  const chaos = plan && { plan, seed };
  const sandbox = await startSandbox({ ...storeOptions, port, publishAfterMs, chaos, note });
  try {
    const faults = ['--chaos', String(typedFlags['chaos']), '--seed', String(seed)];
    if (chaos !== undefined) note(labelledLine('sandbox: injecting faults', faults));
    await announce(call, sandbox, storeOptions);
    if (!runtime.signal.aborted) await once(runtime.signal, 'abort');
    throw new Failure((runtime.signal.reason as Failure).kind, { what: 'sandbox stopped' });
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
  { runtime, form }: Invocation,
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
