// Runs `social mcp serve` in this process, message by message, to send what a client library would not, and to set the
// clock.

import { onTestFinished } from 'vitest';
import { runProgram } from '../../src/program.ts';
import { hostOf } from './in-process.ts';
import { freshHome, type Setting } from './program.ts';
import { testRuntime } from './test-cli.ts';
import { assertNoToken } from './token-leak-check.ts';

export interface RpcMessage {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

export interface McpSession {
  /** All messages of the server. */
  readonly messages: readonly RpcMessage[];
  /** Writes a line unchanged. */
  write(line: string): void;
  /** Sends a request; resolves to its response. */
  request(method: string, params?: object): Promise<RpcMessage>;
  /** Calls a tool; resolves to its result. */
  call(name: string, given: object): Promise<Readonly<Record<string, unknown>>>;
  /** Ends the input; resolves to the exit code. */
  end(): Promise<number>;
  stderr(): string;
}

export const initializeParams = (protocolVersion = '2025-11-25') => ({
  protocolVersion,
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
});

interface Timing {
  /** A sleep takes no time and moves this clock. */
  readonly clock?: { now: number };
  /** The longest sleep by the real clock. */
  readonly longestSleepMs?: number;
}

interface Hearing {
  /** Called with each message of the server. */
  readonly onMessage?: (message: RpcMessage) => void;
}

/** Starts a server. */
export function mcpSession(
  argv: readonly string[],
  {
    home = freshHome(),
    env = {},
    clock,
    longestSleepMs = Infinity,
    onMessage,
  }: Setting & Timing & Hearing = {},
): McpSession {
  const said = { stdout: '', stderr: '' };
  const lines: string[] = [];
  const messages: RpcMessage[] = [];
  const waiting = new Map<unknown, (message: RpcMessage) => void>();
  let wake = () => {};
  let isOver = false;
  let last = 0;
  const host = hostOf({ home, env }, said, longestSleepMs);
  const timed = clock && testRuntime(home, clock, {}, said);
  const exitCode = runProgram(['mcp', 'serve', ...argv], {
    ...host,
    ...(timed && { now: timed.now, monotonic: timed.monotonic, sleep: timed.sleep }),
    stdin: {
      isTTY: false,
      async *chunks() {
        for (;;) {
          const line = lines.shift();
          if (line !== undefined) yield Buffer.from(`${line}\n`);
          else if (isOver) return;
          else await new Promise<void>((resolve) => (wake = resolve));
        }
      },
    },
    stdout: {
      ...host.stdout,
      async write(text) {
        said.stdout += text;
        const message = JSON.parse(text) as RpcMessage;
        messages.push(message);
        onMessage?.(message);
        if (message.method === undefined) waiting.get(message.id)?.(message);
      },
    },
  });
  const write = (line: string) => {
    lines.push(line);
    wake();
  };
  const request = async (method: string, params?: object) => {
    const id = ++last;
    const answer = new Promise<RpcMessage>((resolve) => void waiting.set(id, resolve));
    write(JSON.stringify({ jsonrpc: '2.0', id, method, ...(params && { params }) }));
    return answer;
  };
  const end = async () => {
    isOver = true;
    wake();
    const code = await exitCode;
    assertNoToken({ argv, env, ...said });
    return code;
  };
  onTestFinished(async () => void (await end()));
  return {
    messages,
    write,
    request,
    async call(name, given) {
      const params = { name, arguments: given };
      const { result, error } = await request('tools/call', params);
      if (result === undefined) throw new Error(`${name}: ${error?.code} ${error?.message}`);
      return result;
    },
    end,
    stderr: () => said.stderr,
  };
}
