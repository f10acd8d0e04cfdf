// The two streams of the world as the wire of the protocol: a message a line, and nothing else on standard output.

import { ReadBuffer, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/server';
import { toJson } from '../../json.ts';
import type { World } from '../../world.ts';

export interface Wire extends Transport {
  /** Resolves when nothing more will come: the client has closed its side, or a signal ends the program. */
  readonly ended: Promise<void>;
  /** Resolves when, after that, every request has its answer. */
  readonly answered: Promise<void>;
}

/** Reads from the first `start` on. Numbers of the service keep their digits on the way out. */
export function wireOver({ stdin, stdout, signal }: World): Wire {
  const buffer = new ReadBuffer();
  const unanswered = new Set<unknown>();
  const [ended, answered] = [signalled(), signalled()];
  let over = false;

  const wire: Wire = {
    ended: ended.promise,
    answered: answered.promise,
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

  const takeAll = () => {
    for (;;) {
      try {
        const message = buffer.readMessage();
        if (message === null) return;
        take(message);
      } catch (error) {
        // A line that is no message; the next one may be.
        wire.onerror?.(error as Error);
      }
    }
  };

  async function read(): Promise<void> {
    try {
      for await (const chunk of stdin.chunks()) {
        buffer.append(Buffer.from(chunk));
        takeAll();
      }
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

function signalled(): { readonly promise: Promise<void>; happen(): void } {
  const hooks: (() => void)[] = [];
  const promise = new Promise<void>((resolve) => void hooks.push(resolve));
  return { promise, happen: () => hooks.forEach((resolve) => resolve()) };
}
