// The head of a response that arrives in two reads, split at every byte: each header has its value, also while other
// responses arrive.

import type { Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { openTransport } from '../../src/client/transport/open-transport.ts';
import { retryAfterMs } from '../../src/client/rate-limit.ts';
import { rawResponse, misbehavingServer } from '../support/misbehaving-server.ts';

const never = new AbortController().signal;

/** A head of which each number has its own, all of the same length. */
const headersOf = (number: number) => ({
  date: `Mon, 02 Mar 2026 09:${String(number % 60).padStart(2, '0')}:00 GMT`,
  'content-type': 'application/json; charset=utf-8',
  'Retry-After': `${4000 + (number % 1000)}`,
  'X-Request-Id': `request-${String(number).padStart(6, '0')}`,
  'x-ratelimit-remaining': `${1000 + (number % 1000)}`,
});
const answerTo = (number: number) =>
  rawResponse(
    '429 Too Many Requests',
    headersOf(number),
    `{"answer":"${String(number).padStart(6, '0')}"}`,
  );
const HEAD_BYTES = answerTo(0).indexOf('\r\n\r\n') + 4;

/** Returns the expected headers: names in lower case, each value unchanged. */
const seenOf = (number: number) => {
  const bytes = answerTo(number);
  const body = bytes.subarray(HEAD_BYTES).toString();
  const own = Object.entries({ ...headersOf(number), 'content-length': `${body.length}` });
  const headers = Object.fromEntries(own.map(([name, value]) => [name.toLowerCase(), value]));
  return { status: 429, headers, body };
};

interface Half {
  readonly socket: Socket;
  readonly bytes: Buffer;
  readonly at: number;
}

/**
 * Answers `together` requests at once: the first part of each, a turn, the rest of each. `/n/at` asks for answer n,
 * split there.
 */
async function splitting(together: number) {
  let asked: Half[] = [];
  const answer = (socket: Socket, _number: number, path: string) => {
    const [, number, at] = path.split('/').map(Number);
    socket.setNoDelay(true);
    asked.push({ socket, bytes: answerTo(number!), at: at! });
    if (asked.length < together) return;
    const now = asked;
    asked = [];
    for (const each of now) each.socket.write(each.bytes.subarray(0, each.at));
    setTimeout(() => {
      for (const each of now) each.socket.write(each.bytes.subarray(each.at));
    }, 2);
  };
  return misbehavingServer(answer);
}

it('a response head split at any byte is read whole, eight at once', async () => {
  const together = 8;
  const service = await splitting(together);
  const { send, close } = openTransport({
    timeoutMs: 10_000,
    connections: together,
  });
  onTestFinished(close);
  let number = 0;
  const ask = async (at: number) => {
    const mine = ++number;
    const url = `${service.url}/${mine}/${at}`;
    const answer = await send({ method: 'GET', url, headers: {}, sharesConnection: true }, never);
    expect({ at, ...answer }).toEqual({ at, ...seenOf(mine) });
    expect(retryAfterMs(answer.headers)).toBe((4000 + (mine % 1000)) * 1000);
  };
  for (let at = 1; at < HEAD_BYTES; at++)
    await Promise.all(
      // Each request has its response split at another byte.
      Array.from({ length: together }, (_, i) => ask(1 + ((at + i * 37) % (HEAD_BYTES - 1)))),
    );
  expect(service.connections()).toBe(together);
  expect(number).toBe((HEAD_BYTES - 1) * together);
});
