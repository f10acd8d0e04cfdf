// The MCP server: answers a client until it closes its side or a signal ends the program. Standard output carries only
// the protocol.

import { EventEmitter, once, setMaxListeners } from 'node:events';
import { Duplex, Readable } from 'node:stream';
import { type JSONRPCMessage, McpServer } from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { type Input, isChange } from '../../api/operations/define-operation.ts';
import type { JsonSchema } from '../../api/operations/json-schema.ts';
import { everyOperation } from '../../api/operations/registry.ts';
import { raceAbort } from '../../base/abort.ts';
import { type Fault, Failure, usageFailure } from '../../base/errors.ts';
import { type FailureKind, isSignal } from '../../base/exit-codes.ts';
import { escapeInvisible } from '../../base/json.ts';
import type { Runtime } from '../../base/runtime.ts';
import { sanitizeLine } from '../../base/sanitize.ts';
import { createSemaphore } from '../../base/semaphore.ts';
import { version } from '../../base/version.ts';
import type { LocalCall } from '../../cli/local-command.ts';
import type { RawFlags } from '../../config/choices.ts';
import { accountFor } from '../../config/accounts.ts';
import { numberFlag } from '../../config/read-flag.ts';
import type { Settings } from '../../config/settings.ts';
import { secretPlaces } from '../../output/credentials.ts';
import { callTool, currentSettings, type ToolHost } from './call-tool.ts';
import { instructionsFor } from './instructions.ts';
import { createPostTools } from './post-tools.ts';
import { describeTool, isExposed, type Tool, toolOf } from './tools.ts';
import { changes, createWriteLimit, MAX_WRITES } from './write-limit.ts';

/** Calls that are running or queued when the client closes its side are still answered within this time. */
const GRACE_MS = 10_000;
/** The same when a signal ends the server: the answers then say what became of each call. */
const SIGNAL_GRACE_MS = 2_000;
const MAX_CONCURRENT = 16;

/**
 * Serves until the end. Throws the failure of SIGTERM or SIGHUP (Ctrl-C is a regular end), and at any end the failure
 * of changes whose outcome is unknown.
 */
export async function serveMcp({ runtime, flags, settings }: LocalCall): Promise<void> {
  const { note, signal } = runtime;
  // All calls listen to it.
  setMaxListeners(0, signal);
  const posts = createPostTools(runtime.monotonic);
  const ending = new AbortController();
  const requests = createSemaphore(MAX_CONCURRENT);
  const unsure: Failure[] = [];
  const host: ToolHost = {
    // Standard input is the client's: nothing that a call starts may read from it. Notes of a call go into its answer.
    runtime: { ...runtime, stdin: { isTTY: false, chunks: nothing }, note: () => undefined },
    flags,
    limit: createWriteLimit(maxWritesOf(flags)),
    places: await secretPlaces(),
    onUnknown: (failure) => void unsure.push(failure),
    onAnswer: posts.answered,
    ending: ending.signal,
    requests,
  };
  const operations = (await everyOperation()).map(({ area, name, operation }) =>
    toolOf(area, name, operation),
  );
  const now = currentSettings(host);
  const tools = [...operations, ...posts.tools].filter(({ operation }) =>
    isExposed(operation, host, now),
  );

  let unread: Failure | undefined;
  const stop = (error: Error) => {
    if (settings.debug) note(`mcp: ${sanitizeLine(error.message)}`);
    if (/exceeded maximum size|not valid for encoding/.test(error.message))
      unread ??= new Failure('local_io', {
        what: 'mcp: a message of the client is longer than 10 MiB, or not UTF-8',
      });
  };
  const input = async function* () {
    const decoder = new TextDecoder('utf-8', { fatal: true });
    try {
      for await (const chunk of runtime.stdin.chunks())
        yield Buffer.from(decoder.decode(chunk, { stream: true }));
    } catch (error) {
      // A signal ends the input like the client does.
      if (!signal.aborted) stop(error as Error);
    }
    // The SDK answers nothing after the end of the input, so the input ends when all is answered.
    ending.abort(new Failure('interrupted', { what: 'mcp: the client has gone' }));
    await within(GRACE_MS, answered(), runtime);
    const noSignal = new AbortController();
    if (signal.aborted)
      await within(SIGNAL_GRACE_MS, answered(), { ...runtime, signal: noSignal.signal });
  };
  const output = Duplex.from(async (messages: AsyncIterable<string>) => {
    for await (const message of messages) await runtime.stdout.write(escapeInvisible(message));
  });
  const wire = new StdioServerTransport(Readable.from(input()), output);
  const handle = serveStdio(() => serverOf(tools, host, now), { transport: wire, onerror: stop });
  const { answered, closed } = watch(wire);
  note(`mcp: serving ${describe(tools, host)}, until the client or Ctrl-C ends it`);
  await closed;
  // Queued calls are rejected; a change that was sent ends by itself, or by a signal.
  await handle.close();
  await requests.idle();
  const failure = lastFailure(runtime, unsure, unread);
  if (failure !== undefined) throw failure;
}

/** Tells when every request that came is answered, and when the transport is closed. */
function watch(wire: StdioServerTransport) {
  const unanswered = new Set<unknown>();
  const events = new EventEmitter();
  const answer = (id: unknown) => {
    unanswered.delete(id);
    if (unanswered.size === 0) events.emit('answered');
  };
  const { onmessage, onclose } = wire;
  const send = wire.send.bind(wire);
  const closed = new Promise<void>((resolve) => {
    Object.assign(wire, {
      onmessage(message: JSONRPCMessage) {
        if ('method' in message && 'id' in message) unanswered.add(message.id);
        onmessage?.(message);
        // A cancelled request is not answered.
        if ('method' in message && message.method === 'notifications/cancelled')
          answer(message.params?.['requestId']);
      },
      async send(message: JSONRPCMessage) {
        await send(message);
        if (!('method' in message)) answer(message.id);
      },
      onclose() {
        onclose?.();
        resolve();
      },
    });
  });
  const answered = async () => void (unanswered.size > 0 && (await once(events, 'answered')));
  return { closed, answered };
}

function serverOf(tools: readonly Tool[], host: ToolHost, settings: Settings): McpServer {
  const mcp = new McpServer(
    { name: 'social', title: 'social', version },
    {
      capabilities: { tools: { listChanged: false } },
      instructions: instructionsFor(tools, host.limit),
    },
  );
  for (const tool of tools) {
    const account = accountFor(settings, tool.operation.platform)?.id;
    const { name, inputSchema, ...rest } = describeTool(tool, account);
    mcp.registerTool(name, { ...rest, inputSchema: asGiven(inputSchema) }, (given, { mcpReq }) =>
      callTool(tool, given as Input, host, mcpReq.signal),
    );
  }
  return mcp;
}

/** The schema as it is listed. A call checks its input itself: it names all faults, as every other error does. */
const asGiven = (schema: JsonSchema) => ({
  '~standard': {
    version: 1 as const,
    vendor: 'social',
    validate: (value: unknown) => ({ value: value as Input }),
    jsonSchema: { input: () => schema, output: () => schema },
  },
});

/** `12 tools, 10 make changes`, with the limit of changes where there is one. */
function describe(tools: readonly Tool[], { limit: { max } }: ToolHost): string {
  const writing = tools.filter(({ operation }) => isChange(operation)).length;
  const limit = max === undefined ? '' : ` (at most ${changes(max)})`;
  const what = writing === 0 ? 'all read-only' : `${writing} make changes${limit}`;
  return `${tools.length} tools, ${what}`;
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
  unread: Failure | undefined,
): Failure | undefined {
  const [first, second] = unsure;
  if (first !== undefined) return second === undefined ? first : allOf(first.kind, unsure);
  const { reason } = signal as { readonly reason: unknown };
  if (reason instanceof Failure && reason.kind !== 'interrupted')
    return isSignal(reason.kind) ? new Failure(reason.kind, { what: 'mcp: stopped' }) : reason;
  return unread;
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
