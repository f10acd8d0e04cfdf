// Many requests at once over a few connections: none too many, none mixed up, none lost, and nothing taken for an
// answer that nobody asked for.

import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { createServer } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openTransport } from '../../../src/client/transport/open-transport.ts';
import type { HttpRequest, Send } from '../../../src/base/http.ts';
import { makeCertificates } from '../../support/certificates.ts';
import { listenOnLoopback } from '../../support/listen.ts';
import { rawResponse, misbehavingServer } from '../../support/misbehaving-server.ts';

const monotonic = () => performance.now();
const never = new AbortController().signal;
/** A read that shares connections; any answer will do. */
const request = (url: string): HttpRequest => ({ method: 'GET', url, headers: {}, repeats: [] });

function open(connections: number): Send {
  const opened = openTransport({ monotonic, timeoutMs: 10_000, connections });
  onTestFinished(async () => opened.close());
  return async (...given) => opened.send(...given);
}

/** A server that answers nothing by itself; the sockets on which requests have come, in their order. */
async function silent() {
  const asked: Socket[] = [];
  const service = await misbehavingServer((socket) => asked.push(socket));
  const answer = (at: number, text = `"${at}"`) =>
    asked[at]!.write(rawResponse('200 OK', {}, text));
  const come = async (count: number) =>
    expect.poll(() => service.requests(), { interval: 5 }).toBe(count);
  return { ...service, asked, answer, come };
}

describe('connections', () => {
  it('are as many as allowed; further requests wait for the first that is free', async () => {
    const { url, come, answer, connections } = await silent();
    const send = open(2);
    const answers = [0, 1, 2, 3].map(() => send(request(url), never));
    await come(2);
    answer(1);
    expect(await answers[1]).toMatchObject({ body: '"1"' });
    await come(3);
    answer(2);
    expect(await answers[2]).toMatchObject({ body: '"2"' });
    await come(4);
    answer(0);
    answer(3);
    expect(await answers[0]).toMatchObject({ body: '"0"' });
    expect(await answers[3]).toMatchObject({ body: '"3"' });
    expect(connections()).toBe(2);
  });

  it('send nothing of a request that was given up in line, and serve the next', async () => {
    const { url, come, answer, requests } = await silent();
    const send = open(1);
    const retryPolicy = new AbortController();
    const first = send(request(url), never);
    const second = send(request(url), retryPolicy.signal);
    const third = send(request(url), never);
    await come(1);
    retryPolicy.abort(new Error('enough'));
    await expect(second).rejects.toThrow('enough');
    answer(0);
    await first;
    await come(2);
    answer(1);
    expect(await third).toMatchObject({ body: '"1"' });
    expect(requests()).toBe(2);
  });

  it('that fail make room for the next', async () => {
    const { url, come, asked, answer } = await silent();
    const send = open(1);
    const [first, second] = [send(request(url), never), send(request(url), never)];
    await come(1);
    asked[0]!.destroy();
    await expect(first).rejects.toMatchObject({ facts: { sent: true } });
    await come(2);
    answer(1);
    expect(await second).toMatchObject({ body: '"1"' });
  });

  it('end with all who wait for them', async () => {
    const { url, come, requests } = await silent();
    const { send, close } = openTransport({ monotonic, timeoutMs: 10_000, connections: 1 });
    const [first, second] = [send(request(url), never), send(request(url), never)];
    await come(1);
    await Promise.all([
      expect(first).rejects.toMatchObject({ facts: { sent: true } }),
      expect(second).rejects.toMatchObject({ facts: { sent: false } }),
      close(),
    ]);
    expect(requests()).toBe(1);
  });
});

describe('the end of the transport', () => {
  const closed = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve));

  it('closes what is kept open for the next read, and opens nothing any more', async () => {
    const { url, come, asked, answer, connections } = await silent();
    const { send, close } = openTransport({ monotonic, timeoutMs: 10_000, connections: 1 });
    const first = send(request(url), never);
    await come(1);
    answer(0);
    await first;
    await Promise.all([closed(asked[0]!), close()]);
    for (const more of [request(url), { ...request(url), method: 'POST' as const }])
      await expect(send(more, never)).rejects.toMatchObject({ facts: { sent: false } });
    expect(connections()).toBe(1);
  });

  it('opens nothing for a first read that it comes before', async () => {
    const { url, connections } = await silent();
    const { send, close } = openTransport({ monotonic, timeoutMs: 10_000, connections: 1 });
    const first = send(request(url), never);
    await Promise.all([expect(first).rejects.toMatchObject({ facts: { sent: false } }), close()]);
    expect(connections()).toBe(0);
  });

  it('closes what is still being opened', async () => {
    let begun: (socket: Socket) => void;
    const opening = new Promise<Socket>((resolve) => (begun = resolve));
    const { port } = await misbehavingServer(
      () => undefined,
      (socket) => {
        socket.resume();
        begun(socket);
      },
    );
    const { send, close } = openTransport({ monotonic, timeoutMs: 10_000 });
    // The other end says nothing to the greeting of TLS.
    const waiting = send(request(`https://127.0.0.1:${port}`), never);
    const socket = await opening;
    await Promise.all([
      closed(socket),
      close(),
      expect(waiting).rejects.toMatchObject({ facts: { sent: false } }),
    ]);
  });
});

describe('answers that come at once', () => {
  it('in pieces, in turns, are each put together from their own', async () => {
    const { url, come, asked } = await silent();
    const send = open(8);
    const texts = 'abcdefgh'.split('').map((letter) => JSON.stringify(`${letter}é`.repeat(50_000)));
    const answers = texts.map(() => send(request(url), never));
    await come(texts.length);
    const pieces = texts.map((text) => {
      const bytes = rawResponse('200 OK', {}, text);
      return Array.from({ length: 5 }, (_, i) => bytes.subarray(i * 40_001, (i + 1) * 40_001));
    });
    for (let i = 0; i < 5; i++)
      for (const [at, each] of pieces.entries()) asked[at]!.write(each[i]!);
    const bodies = (await Promise.all(answers)).map(({ body }) => body);
    expect(bodies.toSorted()).toEqual(texts);
  });

  it('in one packet with what nobody asked for lose that, and the connection', async () => {
    const { url, come, asked, answer, connections } = await silent();
    const send = open(1);
    const first = send(request(url), never);
    await come(1);
    asked[0]!.write(
      Buffer.concat([rawResponse('200 OK', {}, '"0"'), rawResponse('200 OK', {}, '"stray"')]),
    );
    expect(await first).toMatchObject({ body: '"0"' });
    const second = send(request(url), never);
    await come(2);
    answer(1);
    expect(await second).toMatchObject({ body: '"1"' });
    expect(connections()).toBe(2);
  });

  it('before the question are no answers', async () => {
    const { url, come, asked, answer, connections } = await silent();
    const send = open(1);
    const first = send(request(url), never);
    await come(1);
    answer(0);
    await first;
    answer(0, '"stray"');
    await new Promise((resolve) => asked[0]!.once('close', resolve));
    const second = send(request(url), never);
    await come(2);
    answer(1);
    expect(await second).toMatchObject({ body: '"1"' });
    expect(connections()).toBe(2);
  });
});

const read = (url: string): HttpRequest => ({ ...request(url), repeats: ['PostSpringLaunch'] });
const own = '{"id":"PostSpringLaunch"}';

/** Answers the requests in this order; how many came in each connection. */
async function answering(...answers: readonly (readonly [status: string, body: string])[]) {
  const perSocket = new Map<Socket, number>();
  const service = await misbehavingServer((socket, number) => {
    perSocket.set(socket, (perSocket.get(socket) ?? 0) + 1);
    const [status, body] = answers[number - 1] ?? [];
    if (status !== undefined) socket.write(rawResponse(status, {}, body));
  });
  return { url: service.url, uses: () => [...perSocket.values()] };
}

describe('an answer that does not name what was asked for', () => {
  it('counts where nobody was on its connection before, which is given up', async () => {
    const { url, uses } = await answering(['404 Not Found', '{}'], ['200 OK', own]);
    const send = open(1);
    expect(await send(read(url), never)).toMatchObject({ status: 404 });
    expect(await send(read(url), never)).toMatchObject({ status: 200 });
    expect(uses()).toEqual([1, 1]);
  });

  it.each([
    ['404 Not Found', '{}'],
    ['200 OK', '{"id":"PostOfSomebodyXX"}'],
    ['408 Request Timeout', ''],
  ])('is asked for again, once, where somebody was: %s', async (status, body) => {
    const last = ['410 Gone', '{}'] as const;
    const { url, uses } = await answering(['200 OK', own], [status, body], last, ['200 OK', own]);
    const send = open(1);
    expect(await send(read(url), never)).toMatchObject({ body: own });
    expect(await send(read(url), never)).toMatchObject({ status: 410 });
    expect(await send(read(url), never)).toMatchObject({ body: own });
    expect(uses()).toEqual([2, 1, 1]);
  });

  it.each(['429 Too Many Requests', '500 Oh', '503 Busy', '599 Oh'])(
    'counts all the same where it asks for rest: %s',
    async (status) => {
      const { url, uses } = await answering(['200 OK', own], [status, '{}'], ['200 OK', own]);
      const send = open(1);
      await send(read(url), never);
      expect(await send(read(url), never)).toMatchObject({ body: '{}' });
      expect(await send(read(url), never)).toMatchObject({ body: own });
      expect(uses()).toEqual([2, 1]);
    },
  );

  it('of an older connection gives up no newer one', async () => {
    const { url, come, asked, answer, connections } = await silent();
    const send = open(2);
    const [first, second] = [send(read(url), never), send(read(url), never)];
    await come(2);
    answer(0, '{}');
    expect(await first).toMatchObject({ body: '{}' });
    const third = send(read(url), never);
    await come(3);
    answer(2, own);
    await third;
    answer(1, '{}');
    await second;
    const fourth = send(read(url), never);
    await come(4);
    answer(3, own);
    await fourth;
    expect(asked[3]).toBe(asked[2]);
    expect(connections()).toBe(3);
  });

  it('is asked for again within the same time', async () => {
    const { url } = await misbehavingServer((socket, number) => {
      if (number <= 2) socket.write(rawResponse('200 OK', {}, number === 1 ? own : '{}'));
    });
    const { send, close } = openTransport({ monotonic, timeoutMs: 300, connections: 1 });
    onTestFinished(close);
    await send(read(url), never);
    const start = performance.now();
    await expect(send(read(url), never)).rejects.toMatchObject({
      facts: { what: 'no response after 0.3s', sent: true },
    });
    expect(performance.now() - start).toBeLessThan(900);
  });

  it('and the end of the network end together', async () => {
    const { url, uses } = await answering(['200 OK', own], ['404 Not Found', '{}']);
    const { send, close } = openTransport({ monotonic, timeoutMs: 10_000, connections: 1 });
    await send(read(url), never);
    const again = send(read(url), never);
    await expect.poll(() => uses()[0], { interval: 1 }).toBe(2);
    await Promise.all([expect(again).rejects.toMatchObject({ facts: { sent: true } }), close()]);
  });
});

describe('a read on a kept connection', () => {
  const answer = (socket: Socket) => void socket.write(rawResponse('200 OK', {}, own));

  /** Answers the first request, and does this with the others. How many came in each connection. */
  async function keptThen(trick: (socket: Socket) => void, then = trick) {
    const perSocket = new Map<Socket, number>();
    const service = await misbehavingServer((socket, number) => {
      perSocket.set(socket, (perSocket.get(socket) ?? 0) + 1);
      if (number === 1) answer(socket);
      else if (number === 2) trick(socket);
      else then(socket);
    });
    return { url: service.url, uses: () => [...perSocket.values()] };
  }
  const broken: readonly (readonly [what: string, trick: (socket: Socket) => void])[] = [
    ['is reset', (socket) => void socket.resetAndDestroy()],
    ['ends', (socket) => void socket.end()],
  ];

  it.each(broken)('that %s is sent again, on a connection of its own', async (_, trick) => {
    const { url, uses } = await keptThen(trick, answer);
    const send = open(1);
    await send(read(url), never);
    expect(await send(read(url), never)).toMatchObject({ status: 200, body: own });
    expect(uses()).toEqual([2, 1]);
    expect(await send(read(url), never)).toMatchObject({ body: own });
    expect(uses()).toEqual([2, 1, 1]);
  });

  it.each(broken)('that %s is sent once more at most', async (_, trick) => {
    const { url, uses } = await keptThen(trick);
    const send = open(1);
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
    ['HTTP/1.1 101 S\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n', 'unexpected protocol response'],
    ['HTTP/1.1 OK\r\n\r\n', 'the response is not valid HTTP'],
  ])('that is answered with %j is not sent again', async (bytes, what) => {
    const { url, uses } = await keptThen((socket) => void socket.end(bytes));
    const send = open(1);
    await send(read(url), never);
    await expect(send(read(url), never)).rejects.toMatchObject({ facts: { what, sent: true } });
    expect(uses()).toEqual([2]);
  });

  it('whose second connection is reset while it is opened is lost for good', async () => {
    const certificates = makeCertificates();
    onTestFinished(certificates.remove);
    let begun = 0;
    const server = createServer(certificates.pair('good'), (socket) => {
      socket.on('error', () => undefined);
      let number = 0;
      socket.on('data', () => {
        number++;
        if (number === 1) answer(socket);
        else socket.end();
      });
    });
    server.on('tlsClientError', () => undefined);
    server.on('connection', (socket: Socket) => {
      begun++;
      if (begun > 1) socket.resetAndDestroy();
    });
    const port = await listenOnLoopback(server);
    const ca = [readFileSync(certificates.ca, 'utf8')];
    const { send, close } = openTransport({
      monotonic,
      timeoutMs: 10_000,
      connections: 1,
      ca,
    });
    onTestFinished(close);
    const url = `https://127.0.0.1:${port}`;
    await send(read(url), never);
    await expect(send(read(url), never)).rejects.toMatchObject({
      facts: { what: `the connection to 127.0.0.1:${port} was lost`, sent: true },
    });
    expect(begun).toBe(2);
  });

  it('that was given up is not sent again', async () => {
    const stop = new AbortController();
    const { url, uses } = await keptThen(() => stop.abort(new Error('enough')));
    const send = open(1);
    await send(read(url), never);
    await expect(send(read(url), stop.signal)).rejects.toThrow('enough');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(uses()).toEqual([2]);
  });
});
