// The MCP server: answers a client until it closes its side or a signal ends the program. Standard output carries only
// the protocol.

import { setMaxListeners } from 'node:events';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { everyOperation } from '../../api/operations/registry.ts';
import { raceAbort } from '../../base/abort.ts';
import { type Fault, Failure, usageFailure } from '../../base/errors.ts';
import { type FailureKind, isSignal } from '../../base/exit-codes.ts';
import type { Runtime } from '../../base/runtime.ts';
import { sanitizeLine } from '../../base/sanitize.ts';
import { createSemaphore } from '../../base/semaphore.ts';
import type { LocalCall } from '../../cli/local-command.ts';
import type { RawFlags } from '../../config/choices.ts';
import { numberFlag } from '../../config/read-flag.ts';
import { secretPlaces } from '../../output/credentials.ts';
import { createPostTools } from './post-tools.ts';
import { instructionsFor } from './instructions.ts';
import { describeServed, exposedTools, type ServedTools, serverOf } from './serve-tools.ts';
import { toolOf } from './tools.ts';
import { createStdioTransport } from './transport.ts';
import { createWriteLimit, MAX_WRITES } from './write-limit.ts';

/** Calls that are running or queued when the client closes its side are still answered within this time. */
const GRACE_MS = 10_000;
/** A wait is then answered with the last state, this long before that time is up. */
const LAST_STATE_MS = 2_000;
/** The same when a signal ends the server: the answers then say what became of each call. */
const SIGNAL_GRACE_MS = 2_000;
const MAX_CONCURRENT = 16;

/**
 * Serves until the end. Throws the failure of SIGTERM or SIGHUP (Ctrl-C is a regular end), and at any end the failure
 * of changes whose outcome is unknown.
 */
export async function serveMcp(call: LocalCall): Promise<void> {
  const { runtime, flags, settings } = call;
  const { note } = runtime;
  // All calls listen to it.
  setMaxListeners(0, runtime.signal);
  const limit = createWriteLimit(maxWritesOf(flags));
  const posts = createPostTools(runtime.monotonic);
  const operations = (await everyOperation()).map(({ area, name, operation }) =>
    toolOf(area, name, operation),
  );
  const wire = createStdioTransport(runtime);
  const ending = new AbortController();
  const unsure: Failure[] = [];
  const [calls, requests] = [createSemaphore(MAX_CONCURRENT), createSemaphore(MAX_CONCURRENT)];
  const served: ServedTools = {
    // Standard input is the client's: nothing that a call starts may read from it. Notes of a call go into its answer.
    runtime: { ...runtime, stdin: { isTTY: false, chunks: nothing }, note: () => undefined },
    flags,
    limit,
    places: await secretPlaces(),
    tools: [...operations, ...posts.tools],
    onUnknown: (failure) => void unsure.push(failure),
    onAnswer: posts.answered,
    ending: ending.signal,
    calls,
    requests,
  };
  const instructions = instructionsFor(exposedTools(served), limit);
  const handle = serveStdio(() => serverOf(served, instructions), {
    transport: wire,
    onerror: ({ message }) => void (settings.debug && note(`mcp: ${sanitizeLine(message)}`)),
  });
  note(`mcp: serving ${describeServed(served)}, until the client or Ctrl-C ends it`);
  await wire.ended;
  await within(GRACE_MS - LAST_STATE_MS, wire.answered, runtime);
  ending.abort(new Failure('interrupted', { what: 'mcp: the client has gone' }));
  await within(LAST_STATE_MS, wire.answered, runtime);
  if (runtime.signal.aborted)
    await within(SIGNAL_GRACE_MS, wire.answered, {
      ...runtime,
      signal: new AbortController().signal,
    });
  // Queued calls are rejected; a change that was sent ends by itself, or by a signal.
  await handle.close();
  await Promise.all([calls.idle(), requests.idle()]);
  const failure = lastFailure(runtime, unsure, wire.unread());
  if (failure !== undefined) throw failure;
}

/** The value of `--max-writes`. Throws `usage` where it cannot be used. */
function maxWritesOf(flags: RawFlags): number | undefined {
  const field = '--max-writes';
  const faults: Fault[] = [];
  const max = numberFlag(flags, field, MAX_WRITES, faults);
  if (flags['maxWrites'] !== undefined && flags['allowWrites'] !== true)
    faults.push({ field, problem: 'requires --allow-writes', fix: 'add --allow-writes' });
  if (faults.length > 0) throw usageFailure(faults);
  return max;
}

async function* nothing(): AsyncGenerator<Uint8Array> {
  // There is none.
}

/** Waits for a promise, for some time at most and until a signal. Leaves no timer behind. */
async function within(ms: number, what: Promise<void>, { sleep, signal }: Runtime): Promise<void> {
  const done = new AbortController();
  try {
    await raceAbort(Promise.race([what, sleep(ms, done.signal)]), signal);
  } catch {
    // The signal came first.
  }
  done.abort();
}

/** The failure that the server ends with, if any. */
function lastFailure(
  { signal }: Runtime,
  unsure: readonly Failure[],
  unread: string | undefined,
): Failure | undefined {
  const [first, second] = unsure;
  if (first !== undefined) return second === undefined ? first : allOf(first.kind, unsure);
  const { reason } = signal as { readonly reason: unknown };
  if (reason instanceof Failure && reason.kind !== 'interrupted')
    return isSignal(reason.kind) ? new Failure(reason.kind, { what: 'mcp: stopped' }) : reason;
  if (unread === undefined) return undefined;
  const what = `mcp: ignored a message of the client: it ${unread}`;
  return new Failure('local_io', { what });
}

/** Several changes with an unknown outcome, as one failure. */
function allOf(kind: FailureKind, unsure: readonly Failure[]): Failure {
  return new Failure(kind, {
    what: `mcp: stopped; ${unsure.length} changes were sent and have an unknown outcome`,
    why: unsure.map(({ facts: { what, hint, next } }) => [what, next ?? hint].join('; see: ')),
    details: { unknown: unsure.length },
    sent: true,
    outcome: 'unknown',
  });
}
