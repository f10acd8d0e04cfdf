// An agent that talks to `social mcp serve`: the client of the MCP SDK, over the streams of the built program or with a
// server in this process.

import { Client, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { onTestFinished } from 'vitest';
import { assertNoToken } from './token-leak-check.ts';
import { mcpSession } from './mcp-session.ts';
import { bareEnv, freshHome, launcher, type Setting } from './program.ts';

export interface ToolResult {
  readonly isError: boolean;
  readonly text: string;
  /** The other messages of the server. */
  readonly notes: readonly string[];
  readonly data: unknown;
}

export interface ErrorObject {
  readonly code: string;
  readonly message: string;
  readonly hint: string | null;
  readonly next: string | null;
  readonly outcome: string;
  readonly sent: boolean;
  readonly exitCode: number;
}

export interface McpClient {
  readonly client: Client;
  tools(): Promise<readonly Tool[]>;
  call(name: string, given?: Record<string, unknown>, signal?: AbortSignal): Promise<ToolResult>;
  /** Calls a tool that must fail, and resolves to its error. */
  error(name: string, given?: Record<string, unknown>): Promise<ErrorObject>;
  stderr(): string;
}

export type Tool = Awaited<ReturnType<Client['listTools']>>['tools'][number];

/** Starts the server and connects. All of its output is searched for tokens. */
export async function mcpClient(
  argv: readonly string[] = [],
  setting: Setting = {},
): Promise<McpClient> {
  const { home = freshHome(), env, program = launcher } = setting;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, 'mcp', 'serve', ...argv],
    env: bareEnv(home, env) as Record<string, string>,
    stderr: 'pipe',
  });
  let said = '';
  transport.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  return connected(transport, env, () => said);
}

/** Starts a server in this process: for calls that are not about processes, streams or signals. */
export async function mcpClientInProcess(
  argv: readonly string[] = [],
  setting: Setting = {},
): Promise<McpClient> {
  const transport: Transport = {
    start: async () => undefined,
    send: async (message) => session.write(JSON.stringify(message)),
    close: async () => {
      await session.end();
      transport.onclose?.();
    },
  };
  const session = mcpSession(argv, {
    ...setting,
    onMessage: (message) => transport.onmessage?.(message as never),
  });
  return connected(transport, setting.env, session.stderr);
}

async function connected(
  transport: Transport,
  env: Setting['env'],
  stderr: () => string,
): Promise<McpClient> {
  const client = new Client({ name: 'agent-of-the-tests', version: '1.0.0' });
  await client.connect(transport);
  onTestFinished(() => client.close());

  const call = async (name: string, given = {}, signal?: AbortSignal): Promise<ToolResult> => {
    const options = signal === undefined ? {} : { signal };
    const result = await client.callTool({ name, arguments: given }, options);
    assertNoToken({ env, stdout: JSON.stringify(result), stderr: stderr() });
    const [text = '', ...notes] = (result.content as { readonly text: string }[]).map(
      (each) => each.text,
    );
    return {
      isError: result.isError === true,
      text,
      notes,
      data: result.structuredContent,
    };
  };
  return {
    client,
    call,
    tools: async () => (await client.listTools()).tools,
    async error(name, given) {
      const { isError, data } = await call(name, given);
      if (!isError) throw new Error(`${name} did not fail`);
      return (data as { error: ErrorObject }).error;
    },
    stderr,
  };
}
