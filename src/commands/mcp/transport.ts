// The two streams of the world as the wire of the protocol: a message a line, and nothing else on standard output.
// What is no message is answered as the protocol says, without the id that could not be read.

import {
  deserializeMessage,
  INVALID_REQUEST,
  PARSE_ERROR,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/server';
import { lineSplitter, type Line } from '../../batch/read/lines.ts';
import { toJson } from '../../base/json.ts';
import type { Runtime } from '../../base/runtime.ts';

export interface StdioTransport extends Transport {
  /** Resolves when nothing more will come: the client has closed its side, or a signal ends the program. */
  readonly ended: Promise<void>;
  /** Resolves when, after that, every request has its answer. */
  readonly answered: Promise<void>;
  /** What was wrong with the first message that could not be read at all: it is answered, but not to its id. */
  unread(): string | undefined;
}

/** A longer message is not read. */
const MOST_MESSAGE_BYTES = 10 * 1024 * 1024;

/** Reads from the first `start` on. Numbers of the service keep their digits on the way out. */
export function createStdioTransport({ stdin, stdout, signal }: Runtime): StdioTransport {
  const splitter = lineSplitter(MOST_MESSAGE_BYTES);
  const unanswered = new Set<unknown>();
  const [ended, answered] = [signalled(), signalled()];
  let over = false;
  let unread: string | undefined;

  const wire: StdioTransport = {
    ended: ended.promise,
    answered: answered.promise,
    unread: () => unread,
    start: async () => void read(),
    async send(message) {
      await stdout.write(`${toJson(message)}\n`);
      if (!('method' in message)) answer(message.id);
    },
    close: async () => wire.onclose?.(),
  };

  const answer = (id: unknown) => {
    unanswered.delete(id);
    if (over && unanswered.size === 0) answered.happen();
  };

  const take = (message: JSONRPCMessage) => {
    if ('method' in message && 'id' in message) unanswered.add(message.id);
    wire.onmessage?.(message);
    // What its client does not want any more is not answered.
    if ('method' in message && message.method === 'notifications/cancelled')
      answer(message.params?.['requestId']);
  };

  const takeLine = async (line: Line) => {
    const message = messageOf(line);
    if (message === undefined) return;
    if (!(message instanceof NoMessage)) return take(message);
    unread ??= line.fault;
    wire.onerror?.(message);
    const { code, message: text } = message;
    await stdout.write(`${toJson({ jsonrpc: '2.0', error: { code, message: text } })}\n`);
  };

  async function read(): Promise<void> {
    try {
      for await (const chunk of stdin.chunks())
        for (const line of splitter.push(chunk)) await takeLine(line);
      for (const line of splitter.end()) await takeLine(line);
    } catch (error) {
      // A stream that a signal ended has ended like any other.
      if (!signal.aborted) wire.onerror?.(error as Error);
    }
    over = true;
    ended.happen();
    if (unanswered.size === 0) answered.happen();
  }

  return wire;
}

/** A line that is none of the protocol's. */
class NoMessage extends Error {
  readonly code: number;
  constructor(message: string, code: number) {
    super(message);
    this.code = code;
  }
}

/** The message of a line; nothing where the line is empty. */
function messageOf({ text, fault }: Line): JSONRPCMessage | NoMessage | undefined {
  if (fault !== undefined) return new NoMessage(`the message ${fault}`, PARSE_ERROR);
  if (text.trim() === '') return undefined;
  try {
    return deserializeMessage(text);
  } catch (error) {
    return error instanceof SyntaxError
      ? new NoMessage('the message is not JSON', PARSE_ERROR)
      : new NoMessage('the message is not JSON-RPC', INVALID_REQUEST);
  }
}

function signalled(): { readonly promise: Promise<void>; happen(): void } {
  const hooks: (() => void)[] = [];
  const promise = new Promise<void>((resolve) => void hooks.push(resolve));
  return { promise, happen: () => hooks.forEach((resolve) => resolve()) };
}
