// The transport of the protocol over standard input and output: a message a line, and nothing else on standard output.
// An invalid message is answered as the protocol says, with its id where that can be read.

import {
  deserializeMessage,
  INVALID_PARAMS,
  INVALID_REQUEST,
  isInitializeRequest,
  PARSE_ERROR,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/server';
import { lineSplitter, type Line } from './lines.ts';
import { toJson } from '../../base/json.ts';
import type { Runtime } from '../../base/runtime.ts';

interface StdioTransport extends Transport {
  /** Resolves at the end of input: the client has closed its side, or a signal ends the program. */
  readonly ended: Promise<void>;
  /** Resolves when, after that, every request is answered. */
  readonly answered: Promise<void>;
  /** The fault of the first line that could not be read at all: its answer has no id. */
  unread(): string | undefined;
}

const MAX_MESSAGE_BYTES = 10 * 1024 * 1024;

/** Reads from `start` on. Numbers of the service keep their digits. */
export function createStdioTransport({ stdin, stdout, signal }: Runtime): StdioTransport {
  const splitter = lineSplitter(MAX_MESSAGE_BYTES);
  const unanswered = new Set<unknown>();
  const [ended, answered] = [deferred(), deferred()];
  let isOver = false;
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
    if (isOver && unanswered.size === 0) answered.resolve();
  };

  const receive = (message: JSONRPCMessage) => {
    if ('method' in message && 'id' in message) unanswered.add(message.id);
    wire.onmessage?.(message);
    // A cancelled request is not answered.
    if ('method' in message && message.method === 'notifications/cancelled')
      answer(message.params?.['requestId']);
  };

  const receiveLine = async (line: Line) => {
    const message = messageOf(line);
    if (message === undefined) return;
    if (!(message instanceof InvalidMessage)) return receive(message);
    unread ??= line.fault;
    wire.onerror?.(message);
    const { code, message: text, id } = message;
    const known = id === undefined ? {} : { id };
    await stdout.write(`${toJson({ jsonrpc: '2.0', ...known, error: { code, message: text } })}\n`);
  };

  async function read(): Promise<void> {
    try {
      for await (const chunk of stdin.chunks())
        for (const line of splitter.push(chunk)) await receiveLine(line);
      for (const line of splitter.end()) await receiveLine(line);
    } catch (error) {
      // A signal ends the input like the client does.
      if (!signal.aborted) wire.onerror?.(error as Error);
    }
    isOver = true;
    ended.resolve();
    if (unanswered.size === 0) answered.resolve();
  }

  return wire;
}

/** A line that is not a message of the protocol. */
class InvalidMessage extends Error {
  readonly code: number;
  readonly id: string | number | undefined;
  constructor(message: string, code: number, id?: string | number) {
    super(message);
    this.code = code;
    this.id = id;
  }
}

/** The message of a line; `undefined` for an empty line. */
function messageOf({ text, fault }: Line): JSONRPCMessage | InvalidMessage | undefined {
  if (fault !== undefined) return new InvalidMessage(`the message ${fault}`, PARSE_ERROR);
  if (text.trim() === '') return undefined;
  let message: JSONRPCMessage;
  try {
    message = deserializeMessage(text);
  } catch (error) {
    if (error instanceof SyntaxError)
      return new InvalidMessage('the message is not JSON', PARSE_ERROR);
    const value: unknown = JSON.parse(text);
    const what = Array.isArray(value) ? 'a batch, which is not supported' : 'not JSON-RPC';
    return new InvalidMessage(`the message is ${what}`, INVALID_REQUEST, idOf(value));
  }
  if (!('method' in message) || message.method !== 'initialize' || isInitializeRequest(message))
    return message;
  const what = 'initialize needs protocolVersion, capabilities and clientInfo';
  return new InvalidMessage(what, INVALID_PARAMS, idOf(message));
}

/** The id of what is no message, where it has one that an answer may carry. */
function idOf(value: unknown): string | number | undefined {
  const { id } = Object(value) as { readonly id?: unknown };
  return typeof id === 'string' || Number.isSafeInteger(id) ? (id as string | number) : undefined;
}

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve!: () => void;
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve };
}
