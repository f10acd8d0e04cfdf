// The server: answers what a client asks until the client closes its side or a signal ends it. Standard output
// carries the protocol and nothing else.

import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { Failure } from '../../errors.ts';
import { everyOperation } from '../../operations/areas.ts';
import { isChange } from '../../operations/operation.ts';
import { sanitizeLine } from '../../output/sanitize.ts';
import { version } from '../../version.ts';
import type { World } from '../../world.ts';
import type { LeafCall } from '../leaf.ts';
import { notesTo } from '../notes.ts';
import type { Surroundings } from '../verb.ts';
import { callTool, settingsNow, type Answer, type Host } from './call-tool.ts';
import { isServed } from './permission.ts';
import { describeTool, toolOf, type Tool } from './tools.ts';
import { wireOver } from './transport.ts';

/** A change that is under way when the client goes may end by itself within this time. */
const GRACE_MS = 10_000;

const instructions =
  'Operates a social publishing service. An error tells in `outcome` whether a change happened: none and refused mean that it did not, unknown that nobody knows, so look before you repeat it. `next` is a command for a person at a shell.';

/** Serves until the end. Throws what ends a program by SIGTERM or SIGHUP; Ctrl-C is an end like any other. */
export async function serve(call: LeafCall, { hide, mask }: Surroundings): Promise<void> {
  const { world, flags, settings } = call;
  const note = notesTo(world, settings);
  const tools = (await everyOperation()).map(({ area, name, operation }) =>
    toolOf(area, name, operation),
  );
  // Standard input is the client's: nothing that a call starts may read from it.
  const host: Host = {
    world: { ...world, stdin: { isTTY: false, chunks: nothing } },
    flags,
    grant: { writes: flags['allowWrites'] === true },
    hide,
    mask,
  };
  const wire = wireOver(world);
  const handle = serveStdio(() => serverOf(tools, host), {
    transport: wire,
    onerror: ({ message }) => void (settings.debug && note(`mcp: ${sanitizeLine(message)}`)),
  });
  note(`mcp: serving ${describe(tools, host)} until the client or Ctrl-C ends it`);
  await wire.ended;
  await within(GRACE_MS, wire.answered, world);
  await handle.close();
  const { reason } = world.signal as { readonly reason: unknown };
  if (reason instanceof Failure && reason.kind !== 'interrupted') throw reason;
}

async function* nothing(): AsyncGenerator<Uint8Array> {
  // There is none.
}

/** Waits for something, so many milliseconds at most and no longer than until a signal. Leaves no timer behind. */
async function within(ms: number, what: Promise<void>, { sleep, signal }: World): Promise<void> {
  const enough = new AbortController();
  const stop = () => enough.abort();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  void what.then(stop);
  try {
    await sleep(ms, enough.signal);
  } catch {
    // It came, or a signal did.
  }
  signal.removeEventListener('abort', stop);
}

/** Whom it serves, and what; the place may still be missing, and may change. */
function describe(tools: readonly Tool[], host: Host): string {
  const settings = settingsNow(host);
  const served = tools.filter(({ operation }) => isServed(operation, host.grant, settings));
  const writing = served.filter(({ operation }) => isChange(operation)).length;
  const what = writing === 0 ? 'all of which read' : `${writing} of which write`;
  return `${served.length} tools, ${what},`;
}

function serverOf(tools: readonly Tool[], host: Host): McpServer {
  const mcp = new McpServer(
    { name: 'social', title: 'social', version },
    { capabilities: { tools: { listChanged: false } }, instructions },
  );
  mcp.server.setRequestHandler('tools/list', () => {
    const settings = settingsNow(host);
    const served = tools.filter(({ operation }) => isServed(operation, host.grant, settings));
    return { tools: served.map((tool) => describeTool(tool, settings.account)) };
  });
  mcp.server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (tool === undefined) return unknown(params.name, tools);
    const world = { ...host.world, signal: signalOf(tool, host.world, mcpReq.signal) };
    return callTool(tool.operation, params.arguments ?? {}, { ...host, world });
  });
  return mcp;
}

/** A read ends when its client does not want it any more; a change that has left is ended by a signal alone. */
function signalOf({ operation }: Tool, { signal }: World, unwanted: AbortSignal): AbortSignal {
  if (isChange(operation)) return signal;
  const either = new AbortController();
  const cancelled = new Failure('interrupted', { what: 'cancelled by the client', sent: false });
  const end = () => either.abort(signal.aborted ? signal.reason : cancelled);
  for (const each of [signal, unwanted])
    each.addEventListener('abort', end, { once: true, signal: either.signal });
  if (signal.aborted || unwanted.aborted) end();
  return either.signal;
}

async function unknown(name: string, tools: readonly Tool[]): Promise<Answer> {
  const { closest } = await import('../closest.ts');
  const near = closest(
    name,
    tools.map((each) => each.name),
  );
  const text = `there is no tool ${JSON.stringify(name)}${near === undefined ? '' : `; did you mean ${near}?`}`;
  return { isError: true, content: [{ type: 'text', text }] };
}
