// Connections that serve several requests: which requests may use them, for how long, and what becomes of a request
// whose connection ends under it.

import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { HttpRequest, Send } from '../../../src/base/http.ts';
import { openTransport } from '../../../src/client/transport/open-transport.ts';
import { misbehavingServer, rawResponse } from '../../support/misbehaving-server.ts';
import { recordingServer } from '../../support/recording-server.ts';

const never = new AbortController().signal;
const ok = (text = '{}', headers = {}) => rawResponse('200 OK', headers, text);

function open(connections?: number): Send {
  const opened = openTransport({
    timeoutMs: 10_000,
    connections,
  });
  onTestFinished(async () => opened.close());
  return async (...given) => opened.send(...given);
}

const read = (url: string): HttpRequest => ({
  method: 'GET',
  url,
  headers: {},
  sharesConnection: true,
});
const change = (url: string): HttpRequest => ({ ...read(url), method: 'POST' });

/** A server that does this with each request; `onSocket` counts from 1 in each connection. */
async function serverThat(answer: (socket: Socket, onSocket: number, number: number) => void) {
  const perSocket = new Map<Socket, number>();
  const server = await misbehavingServer((socket, number) => {
    const onSocket = (perSocket.get(socket) ?? 0) + 1;
    perSocket.set(socket, onSocket);
    answer(socket, onSocket, number);
  });
  /** Returns the number of requests of each connection, in the order of the connections. */
  return { ...server, uses: () => [...perSocket.values()] };
}

describe('a request', () => {
  it('that may not share has a separate connection, and sends Connection: close', async () => {
    const service = await recordingServer();
    for (const connections of [undefined, 2]) {
      const before = service.connections();
      const send = open(connections);
      await send(read(service.url), never);
      for (const method of ['GET', 'POST'] as const)
        await send({ method, url: service.url, headers: {} }, never);
      expect(service.connections()).toBe(before + 3);
    }
    const said = service.requests.map(({ headers }) => headers['connection']);
    expect(said.slice(1, 3)).toEqual(['close', 'close']);
  });

  it('that may share uses the connection before it: a change that of a read', async () => {
    const service = await recordingServer();
    const send = open();
    for (const request of [read, change, change, read]) await send(request(service.url), never);
    expect(service.connections()).toBe(1);
  });

  it.each([read, change])('of a batch shares with others of its kind: %o', async (request) => {
    const service = await recordingServer();
    const send = open(2);
    const all = async () => {
      for (let i = 0; i < 5; i++) await send(request(service.url), never);
    };
    await Promise.all([all(), all()]);
    expect(service.connections()).toBe(2);
  });
});

describe.each<readonly [string, connections: number | undefined, typeof read]>([
  ["Node's client", undefined, change],
  ["undici's pool", 1, read],
  ["undici's pool", 1, change],
])('%s closes a connection', (_name, connections, request) => {
  it.each<readonly [what: string, answer: (socket: Socket) => void, pauseMs: number]>([
    [
      'that the service announces to close',
      (socket) => socket.write(ok('{}', { connection: 'close' })),
      0,
    ],
    [
      'whose announced lifetime is over',
      (socket) => socket.write(ok('{}', { 'keep-alive': 'timeout=1' })),
      0,
    ],
    ['that was idle for more than a second', (socket) => socket.write(ok()), 1300],
    ['that the service closes without notice', (socket) => void socket.end(ok()), 0],
    [
      'on which bytes come with the response',
      (socket) => socket.write(Buffer.concat([ok(), ok('"stray"')])),
      0,
    ],
    [
      'on which unsolicited bytes arrive',
      (socket) => socket.write(ok(), () => setTimeout(() => socket.write(ok('"stray"')), 5)),
      100,
    ],
  ])('%s', async (_what, answer, pauseMs) => {
    const { url, uses } = await serverThat((socket) => answer(socket));
    const send = open(connections);
    expect(await send(request(url), never)).toMatchObject({ body: '{}' });
    if (pauseMs > 0) await sleep(pauseMs);
    expect(await send(request(url), never)).toMatchObject({ body: '{}' });
    expect(uses()).toEqual([1, 1]);
  });
});

it('Node’s client closes a connection after Connection: close', async () => {
  const { url, uses } = await serverThat((socket) =>
    socket.write(ok('{}', { 'keep-alive': 'timeout=5, max=0' })),
  );
  const send = open();
  for (let i = 0; i < 2; i++) await send(change(url), never);
  expect(uses()).toEqual([1, 1]);
});

describe('a kept connection that ends when the next request starts', () => {
  const endings: readonly (readonly [string, (socket: Socket) => void])[] = [
    ['by a reset', (socket) => void socket.resetAndDestroy()],
    ['by an end', (socket) => void socket.end()],
  ];

  describe.each([undefined, 1])('with %s connections of a batch', (connections) => {
    it.each(endings)('%s leaves a change sent, and it is not sent again', async (_what, finish) => {
      const { url, requests } = await serverThat((socket, onSocket) =>
        onSocket === 1 ? socket.write(ok()) : finish(socket),
      );
      const send = open(connections);
      await send(read(url), never);
      await expect(send(change(url), never)).rejects.toMatchObject({
        kind: 'no_answer',
        facts: { what: 'no response: the connection was lost', sent: true },
      });
      await sleep(50);
      expect(requests('POST')).toBe(1);
    });

    it.each(endings)('%s makes a read use another connection', async (_what, finish) => {
      const { url, uses } = await serverThat((socket, onSocket) =>
        onSocket === 1 ? socket.write(ok()) : finish(socket),
      );
      const send = open(connections);
      for (let i = 0; i < 2; i++)
        expect(await send(read(url), never)).toMatchObject({ status: 200 });
      expect(uses()).toEqual([2, 1]);
    });

    it.each(endings)('%s is not retried', async (_what, finish) => {
      const { url, uses } = await serverThat((socket, _onSocket, number) =>
        number === 1 ? socket.write(ok()) : finish(socket),
      );
      const send = open(connections);
      await send(read(url), never);
      await expect(send(read(url), never)).rejects.toMatchObject({
        facts: { what: 'no response: the connection was lost', sent: true },
      });
      expect(uses()).toEqual([2, 1]);
    });

    it.each([
      [
        'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{',
        'the response was cut off after 1 of 9 bytes',
      ],
      ['HTTP/1.1 OK\r\n\r\n', 'the response is not valid HTTP'],
    ])('after %j is not another request', async (bytes, what) => {
      const { url, uses } = await serverThat((socket, onSocket) =>
        onSocket === 1 ? socket.write(ok()) : void socket.end(bytes),
      );
      const send = open(connections);
      await send(read(url), never);
      await expect(send(read(url), never)).rejects.toMatchObject({ facts: { what, sent: true } });
      expect(uses()).toEqual([2]);
    });
  });
});

describe('many reads at once', () => {
  /** A server that answers nothing by itself; the sockets on which requests have come, in their order. */
  async function silent() {
    const asked: Socket[] = [];
    const service = await misbehavingServer((socket) => asked.push(socket));
    const answer = (at: number) => asked[at]!.write(ok(`"${at}"`));
    const come = async (count: number) =>
      expect.poll(() => service.requests(), { interval: 5 }).toBe(count);
    return { ...service, asked, answer, come };
  }

  it('wait for a free connection, and send nothing for one aborted in the queue', async () => {
    const { url, come, answer, requests } = await silent();
    const send = open(2);
    const stop = new AbortController();
    const answers = [0, 1, 2].map(() => send(read(url), never));
    const givenUp = send(read(url), stop.signal);
    answers.push(send(read(url), never));
    await come(2);
    stop.abort(new Error('enough'));
    await expect(givenUp).rejects.toThrow('enough');
    answer(1);
    expect(await answers[1]).toMatchObject({ body: '"1"' });
    await come(3);
    answer(2);
    await come(4);
    answer(0);
    answer(3);
    const bodies = (await Promise.all(answers)).map(({ body }) => body);
    expect(bodies.toSorted()).toEqual(['"0"', '"1"', '"2"', '"3"']);
    expect(requests()).toBe(4);
  });

  it('each get their own heads and chunks', async () => {
    const { url, come, asked } = await silent();
    const send = open(8);
    const texts = 'abcdefgh'.split('').map((letter) => JSON.stringify(`${letter}é`.repeat(50_000)));
    const answers = texts.map(() => send(read(url), never));
    await come(texts.length);
    const all = texts.map((text) => ok(text, { 'x-letter': text[1]! }));
    // The first cuts are in the heads: in each name, at a value, before the end.
    const cuts = [0, 12, 25, 30, 64, 76, 90, 100, 40_001, 80_001, 160_001];
    for (const [i, from] of cuts.entries()) {
      for (const [at, bytes] of all.entries()) asked[at]!.write(bytes.subarray(from, cuts[i + 1]));
      await sleep(2);
    }
    const came = await Promise.all(answers);
    expect(came.map(({ body }) => body).toSorted()).toEqual(texts);
    for (const { body, headers } of came) expect(headers['x-letter']).toBe(body[1]);
  });
});
