// The tools as the protocol asks for them: their list, and one call with its turn, cancellation and progress.

import {
  type CallToolRequest,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { isChange } from '../../api/operations/define-operation.ts';
import { Failure, ifPossible } from '../../base/errors.ts';
import type { Semaphore } from '../../base/semaphore.ts';
import { quote, sanitizeLine } from '../../base/sanitize.ts';
import { version } from '../../base/version.ts';
import { accountFor } from '../../config/accounts.ts';
import { asFailure } from '../../output/error-report.ts';
import {
  callTool,
  failedResult,
  type ToolHost,
  type ToolResult,
  currentSettings,
} from './call-tool.ts';
import { nextCall } from './next-call.ts';
import { describeTool, isExposed, type RunContext, type Tool } from './tools.ts';
import { changes } from './write-limit.ts';

/** What all calls share. */
export interface ServedTools extends Omit<
  ToolHost,
  'receivedAt' | 'turn' | 'progress' | 'callFor'
> {
  readonly tools: readonly Tool[];
  /** Calls that make several requests, and the requests of all calls. */
  readonly calls: Semaphore;
  readonly requests: Semaphore;
}

/** The tools that may be called with the settings of now, which may change. */
export function exposedTools(served: ServedTools): readonly Tool[] {
  const settings = currentSettings(served);
  return served.tools.filter(({ operation }) => isExposed(operation, served, settings));
}

/** `12 tools, 10 make changes`, with the limit of changes where there is one. */
export function describeServed(served: ServedTools): string {
  const tools = exposedTools(served);
  const writing = tools.filter(({ operation }) => isChange(operation)).length;
  const { max } = served.limit;
  const limit = max === undefined ? '' : ` (at most ${changes(max)})`;
  const what = writing === 0 ? 'all read-only' : `${writing} make changes${limit}`;
  return `${tools.length} tools, ${what}`;
}

export function serverOf(served: ServedTools, instructions: string): McpServer {
  const mcp = new McpServer(
    { name: 'social', title: 'social', version },
    { capabilities: { tools: { listChanged: false } }, instructions },
  );
  mcp.server.setRequestHandler('tools/list', ({ params }) => {
    if (params?.cursor !== undefined)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        'unknown cursor: the list is one page',
      );
    const settings = currentSettings(served);
    const accountOf = ({ operation }: Tool) => accountFor(settings, operation.platform)?.id;
    return { tools: exposedTools(served).map((tool) => describeTool(tool, accountOf(tool))) };
  });
  mcp.server.setRequestHandler('tools/call', async ({ params }, context) => {
    const tool = served.tools.find(({ name }) => name === params.name);
    if (tool === undefined) throw await unknownTool(params.name, served.tools);
    return call(tool, params, served, context);
  });
  return mcp;
}

async function call(
  tool: Tool,
  params: CallToolRequest['params'],
  served: ServedTools,
  { mcpReq }: ServerContext,
): Promise<ToolResult> {
  const { runtime, calls, requests } = served;
  const receivedAt = runtime.monotonic();
  const { signal, release } = eitherOf(runtime.signal, mcpReq.signal);
  // A change that was sent is cancelled only by a signal of the program, not by the client.
  const own = isChange(tool.operation) ? runtime.signal : signal;
  const { progress, told } = progressOf(mcpReq, runtime.secrets.mask);
  const host: ToolHost = {
    ...served,
    runtime: { ...runtime, signal: own },
    receivedAt,
    turn: (request, sooner = signal) => requests.run(sooner, request),
    progress,
    // None where the settings cannot be read, which is what the call itself failed by.
    callFor: (line) => ifPossible(() => nextCall(line, exposedTools(served))),
  };
  try {
    const turns = tool.run === undefined ? requests : calls;
    const result = await turns.run(signal, () => callTool(tool, params.arguments ?? {}, host));
    // Nothing is reported after the answer.
    await told();
    return result;
  } catch (error) {
    return await failedResult(asFailure(error), host);
  } finally {
    release();
  }
}

/** Reports progress in order, to a client that gave a token for it. */
function progressOf(
  { _meta, notify }: ServerContext['mcpReq'],
  mask: (text: string) => string,
): Pick<RunContext, 'progress'> & { told(): Promise<void> } {
  const progressToken = _meta?.progressToken;
  let sent = Promise.resolve();
  if (progressToken === undefined) return { progress: () => undefined, told: () => sent };
  return {
    progress(progress, text, total) {
      const message = mask(sanitizeLine(text));
      const params = { progressToken, progress, message, ...(total && { total }) };
      const send = () => notify({ method: 'notifications/progress', params });
      // A client that has gone needs no progress.
      sent = sent.then(send).catch(() => undefined);
    },
    told: () => sent,
  };
}

/** A signal that aborts with the program's or with the client's cancellation. `release` removes the listeners. */
function eitherOf(signal: AbortSignal, unwanted: AbortSignal) {
  const either = new AbortController();
  const what = 'cancelled by the client; nothing was sent';
  const cancelled = new Failure('interrupted', { what });
  const end = () => either.abort(signal.aborted ? signal.reason : cancelled);
  const release = new AbortController();
  for (const each of [signal, unwanted])
    each.addEventListener('abort', end, { once: true, signal: release.signal });
  if (signal.aborted || unwanted.aborted) end();
  return { signal: either.signal, release: () => release.abort() };
}

async function unknownTool(name: string, tools: readonly Tool[]): Promise<ProtocolError> {
  const { didYouMean } = await import('../../base/closest.ts');
  const meant = didYouMean(
    name,
    tools.map((each) => each.name),
  );
  const text = [`unknown tool ${quote(name)}`, meant?.fix].filter(Boolean).join('; ');
  return new ProtocolError(ProtocolErrorCode.InvalidParams, text);
}
