// The network against servers that break every promise: what the failure says, and above all whether
// the request had been sent.

import type { Socket } from 'node:net';
import * as zlib from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openTransport } from '../../../src/client/transport/open-transport.ts';
import { Failure } from '../../../src/base/errors.ts';
import type { HttpRequest, HttpResponse, Send } from '../../../src/base/http.ts';
import { recordingServer } from '../../support/recording-server.ts';
import {
  closedPort,
  rawResponse,
  misbehavingServer,
  type SocketHandler,
} from '../../support/misbehaving-server.ts';

const monotonic = () => performance.now();
const never = new AbortController().signal;
const MiB = 1024 * 1024;

/** The HTTP clients, which keep one contract; undici is for reads that share connections. */
const clients = [
  ["Node's client", undefined],
  ['undici', 1],
] as const;

function openBy(connections: number | undefined, timeoutMs = 10_000): Send {
  const opened = openTransport({ monotonic, timeoutMs, connections });
  onTestFinished(async () => opened.close());
  return async (...given) => opened.send(...given);
}

const request = (url: string, method: HttpRequest['method'] = 'GET'): HttpRequest => ({
  method,
  url,
  headers: { accept: 'application/json' },
  // Any answer will do.
  ...(method === 'GET' ? { repeats: [] } : {}),
});

async function failing(answer: Promise<HttpResponse>): Promise<Failure> {
  try {
    const { status } = await answer;
    throw new Error(`it answered with ${status}`);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

async function failureAt(trick: SocketHandler, send: Send): Promise<Failure> {
  const { url } = await misbehavingServer(trick);
  return failing(send(request(url), never));
}

describe.each(clients)('an answer to %s', (_client, connections) => {
  const open = () => openBy(connections);

  it('is taken as it comes: status, lower-case headers, text', async () => {
    const { url } = await misbehavingServer((socket) =>
      socket.write(rawResponse('418 Short', { 'X-Many': 'a', 'x-more': 'b' }, 'é🎉')),
    );
    const answer = await open()(request(url), never);
    expect(answer).toMatchObject({ status: 418, body: 'é🎉' });
    expect(answer.headers).toMatchObject({ 'x-many': 'a', 'x-more': 'b' });
  });

  it('keeps both values of a header that came twice', async () => {
    const { url } = await misbehavingServer((socket) =>
      socket.write('HTTP/1.1 200 OK\r\nx-a: 1\r\nx-a: 2\r\ncontent-length: 0\r\n\r\n'),
    );
    const { headers } = await open()(request(url), never);
    expect(headers).toMatchObject({ 'x-a': '1, 2', 'content-length': '0' });
  });

  it('may have headers by the names of what every object has', async () => {
    const names = ['__proto__', 'Constructor', 'hasOwnProperty', 'toString'];
    const lines = [...names, ...names].map((name, i) => `${name}: ${i}\r\n`).join('');
    const { url } = await misbehavingServer((socket) =>
      socket.write(`HTTP/1.1 200 OK\r\n${lines}content-length: 0\r\n\r\n`),
    );
    const { headers } = await open()(request(url), never);
    expect(Object.entries(headers)).toEqual([
      ['__proto__', '0, 4'],
      ['constructor', '1, 5'],
      ['hasownproperty', '2, 6'],
      ['tostring', '3, 7'],
      ['content-length', '0'],
    ]);
  });

  it('may be followed by what nobody has asked for', async () => {
    const { url } = await misbehavingServer((socket) =>
      socket.end(Buffer.concat([rawResponse('200 OK', {}, '{}'), Buffer.from('and more')])),
    );
    expect(await open()(request(url), never)).toMatchObject({ status: 200, body: '{}' });
  });

  it.each(['identity', 'Identity', ''])('may say that it is not encoded: %j', async (encoding) => {
    const { url } = await misbehavingServer((socket) =>
      socket.write(rawResponse('200 OK', { 'content-encoding': encoding }, 'plain')),
    );
    expect((await open()(request(url), never)).body).toBe('plain');
  });

  it('may follow early hints and a "processing"', async () => {
    const { url } = await misbehavingServer((socket) => {
      socket.write('HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n');
      socket.write('HTTP/1.1 102 Processing\r\n\r\n');
      socket.write(rawResponse('200 OK', {}, '{}'));
    });
    expect(await open()(request(url), never)).toMatchObject({ status: 200, body: '{}' });
  });

  it.each(['GET', 'POST'] as const)(
    'may follow a "continue" that nobody asked for, and each other interim response: %s',
    async (method) => {
      const { url, requests } = await misbehavingServer((socket) => {
        for (const status of ['100 Continue', '100', '103 Early Hints', '150 Odd', '100 Continue'])
          socket.write(`HTTP/1.1 ${status}\r\nx-a: b\r\n\r\n`);
        socket.write(rawResponse('200 OK', {}, '{}'));
      });
      const answer = await open()(request(url, method), never);
      expect(answer).toMatchObject({ status: 200, body: '{}' });
      expect(requests('POST')).toBe(method === 'POST' ? 1 : 0);
    },
  );

  it('may come in single bytes', async () => {
    const bytes = rawResponse('200 OK', {}, '{"a":"é"}');
    const { url } = await misbehavingServer((socket) => {
      socket.setNoDelay(true);
      const next = (i: number): void => {
        if (i < bytes.length)
          socket.write(bytes.subarray(i, i + 1), () => setImmediate(next, i + 1));
      };
      next(0);
    });
    expect((await open()(request(url), never)).body).toBe('{"a":"é"}');
  });

  it('that is a redirect is an answer like any other', async () => {
    const elsewhere = await recordingServer();
    const { url } = await recordingServer({ status: 307, headers: { location: elsewhere.url } });
    const answer = await open()(request(url, 'POST'), never);
    expect(answer).toMatchObject({ status: 307, headers: { location: elsewhere.url } });
    expect(elsewhere.connections()).toBe(0);
  });

  it('may have almost 16 KiB of headers, and no more', async () => {
    const KiB = 1024;
    const { url } = await misbehavingServer((socket, number) =>
      socket.write(
        rawResponse('200 OK', { 'x-long': 'x'.repeat((number === 1 ? 15.5 : 16) * KiB) }, '{}'),
      ),
    );
    const send = open();
    const { headers } = await send(request(url), never);
    expect(headers['x-long']).toHaveLength(15.5 * KiB);
    const failure = await failing(send(request(url), never));
    expect(failure.facts.what).toBe('the response has headers that are too large');
  });

  it('may have 10 MiB and no byte more', async () => {
    const { url } = await recordingServer((n) => ({
      body: 'x'.repeat(10 * MiB + (n === 1 ? 0 : 1)),
    }));
    const send = open();
    expect((await send(request(url), never)).body).toHaveLength(10 * MiB);
    const failure = await failing(send(request(url), never));
    expect(failure).toMatchObject({
      kind: 'no_answer',
      facts: { what: 'the response is larger than 10 MiB', sent: true },
    });
  });

  it('without an end is cut at 10 MiB too', async () => {
    let written = 0;
    const failure = await failureAt((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      const more = (error?: Error | null): void => {
        if (error != null) return;
        written += MiB;
        socket.write(Buffer.alloc(MiB, 'x'), more);
      };
      more();
    }, open());
    expect(failure.facts.what).toBe('the response is larger than 10 MiB');
    // What is on its way comes on top: what both ends of the connection hold.
    expect(written).toBeLessThan(20 * MiB);
  });
});

describe.each(clients)('a connection of %s', (_client, connections) => {
  const open = () => openBy(connections);

  it('that is refused has sent nothing', async () => {
    const failure = await failing(open()(request(`http://127.0.0.1:${await closedPort()}`), never));
    expect(failure).toMatchObject({
      kind: 'no_answer',
      facts: {
        sent: false,
        retryable: true,
        hint: expect.stringContaining('social sandbox serve'),
      },
    });
    expect(failure.facts.what).toMatch(/^connection refused by 127\.0\.0\.1:\d+$/);
  });

  it('is not used where the request cannot be one', async () => {
    const service = await recordingServer();
    const wrong = { ...request(service.url), headers: { 'x-own': 'a\nb' } };
    const failure = await failing(open()(wrong, never));
    expect(failure).toMatchObject({ kind: 'no_answer', facts: { sent: false } });
    expect(service.requests).toEqual([]);
  });

  it('that is refused on every address of a name is one failure with one reason', async () => {
    const failure = await failing(open()(request(`http://localhost:${await closedPort()}`), never));
    expect(failure.facts.what).toMatch(/^connection refused by localhost:\d+$/);
    expect(failure.facts.sent).toBe(false);
  });

  it('to a name that does not exist has sent nothing', async () => {
    const failure = await failing(open()(request('http://nowhere.invalid'), never));
    expect(failure.facts.what).toMatch(/nowhere\.invalid/);
    expect(failure.facts.sent).toBe(false);
  });

  it('that is still being opened when the time is over ends with it, and another is tried', async () => {
    const lived: number[] = [];
    const service = await misbehavingServer(
      () => undefined,
      (socket) => {
        const start = performance.now();
        // No answer to the greeting of TLS.
        socket.resume().on('close', () => lived.push(performance.now() - start));
      },
    );
    const send = openBy(connections, 250);
    for (const times of [1, 2]) {
      const failure = await failing(send(request(`https://127.0.0.1:${service.port}`), never));
      expect(failure.facts).toMatchObject({
        brief: 'no connection after 0.25s',
        sent: false,
        retryable: true,
      });
      await expect.poll(() => lived.length).toBe(times);
    }
    for (const ms of lived) expect(ms).toBeLessThan(1000);
  });

  it('that does not speak TLS has sent nothing', async () => {
    const service = await misbehavingServer(
      () => undefined,
      (socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
    );
    const failure = await failing(open()(request(`https://127.0.0.1:${service.port}`), never));
    expect(failure.facts).toMatchObject({ sent: false, retryable: false });
    expect(failure.facts.what).toBe(
      `127.0.0.1:${service.port} does not speak HTTPS; check http:// or https://`,
    );
  });

  it('carries bytes as they are, under the ID of the request', async () => {
    const service = await recordingServer();
    const bytes = Buffer.from('{"a": "é"}\r\n');
    const headers = { 'x-own': 'a', 'content-type': 'text/plain' };
    const send = open();
    for (const id of ['one', 'two', undefined])
      await send({ ...request(service.url, 'POST'), headers, bytes, ...(id && { id }) }, never);
    await send({ ...request(service.url, 'POST'), headers: { 'x-own': 'b' }, id: 'last' }, never);
    const seen = service.requests.map(({ headers: sent, body }) => [
      sent['x-request-id'],
      sent['x-own'],
      body,
    ]);
    const text = bytes.toString();
    expect(seen).toEqual([
      ['one', 'a', text],
      ['two', 'a', text],
      [undefined, 'a', text],
      ['last', 'b', ''],
    ]);
  });
});

describe('a body', () => {
  it.each([
    ['POST', '{"a":"é"}', '10'],
    ['DELETE', '{}', '2'],
    ['POST', undefined, '0'],
    ['PUT', undefined, '0'],
    ['PATCH', '', '0'],
    ['GET', undefined, undefined],
    ['HEAD', undefined, undefined],
    ['DELETE', undefined, undefined],
  ] as const)('of a %s, %j, has the length %s and no chunks', async (method, body, length) => {
    const service = await recordingServer();
    const given = body === undefined ? {} : { body };
    await openBy(undefined)({ method, url: service.url, headers: {}, ...given }, never);
    const [{ headers }] = service.requests as [(typeof service.requests)[number]];
    expect(headers['content-length']).toBe(length);
    expect(headers).not.toHaveProperty('transfer-encoding');
  });
});

describe('a connection', () => {
  it('is used for one request where there is no batch', async () => {
    const service = await recordingServer({ body: '{"id":"PostSpringLaunch"}' });
    const send = openBy(undefined);
    const read = { ...request(service.url), repeats: ['PostSpringLaunch'] };
    for (let i = 0; i < 3; i++) await send(read, never);
    expect(service.connections()).toBe(3);
  });

  it('is used again for the next read of a batch, and for no change', async () => {
    const service = await recordingServer({ body: '{"id":"PostSpringLaunch"}' });
    const send = openBy(1);
    const read = { ...request(service.url), repeats: ['PostSpringLaunch'] };
    for (let i = 0; i < 3; i++) await send(read, never);
    expect(service.connections()).toBe(1);
    for (const more of [{}, { repeats: [] }, { repeats: read.repeats }])
      await send({ ...request(service.url, 'POST'), ...more }, never);
    expect(service.requests.slice(3).map(({ headers }) => headers['connection'])).toEqual([
      'close',
      'close',
      'close',
    ]);
    // None of them on the one that the reads have left open.
    expect(service.connections()).toBe(4);
    await send(read, never);
    expect(service.connections()).toBe(4);
    // Nor is it for a read whose answer names nothing.
    await send({ method: 'GET', url: service.url, headers: {} }, never);
    expect(service.connections()).toBe(5);
    expect(service.requests.at(-1)!.headers['connection']).toBe('close');
  });
});

/** Sixteen mebibytes of zeros, as a few bytes. */
const bomb = zlib.brotliCompressSync(Buffer.alloc(16 * MiB));

const lost = 'no response: the connection was lost';

/** What is no HTTP, each with its bytes. */
const broken: readonly (readonly [what: string, bytes: string])[] = [
  ['in another language', 'SSH-2.0-OpenSSH_9.6\r\n\r\n'],
  ['as HTTP/0.9 did', '{"ok":true,"data":{}}'],
  ['with a length below zero', 'HTTP/1.1 200 OK\r\ncontent-length: -2\r\n\r\n{}'],
  ['with a length that is a word', 'HTTP/1.1 200 OK\r\ncontent-length: two\r\n\r\n{}'],
  ['with two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}'],
  [
    'with a length and in chunks',
    'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
  ],
  ['with a NUL in a header', 'HTTP/1.1 200 OK\r\nx-a: b\0c\r\ncontent-length: 2\r\n\r\n{}'],
  [
    'with a chunk of no size',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n',
  ],
];

describe.each(clients)('a request that was sent by %s', (_client, connections) => {
  it.each<readonly [what: string, trick: SocketHandler, message: string]>([
    ['is reset', (socket) => void socket.resetAndDestroy(), lost],
    ['meets an end', (socket) => void socket.end(), lost],
    [
      'is answered in part',
      (socket) => void socket.end(rawResponse('200 OK', { 'content-length': '50' }, '{"ok":true}')),
      'the response was cut off after 11 of 50 bytes',
    ],
    [
      'is answered by a chunk and no end',
      (socket) =>
        void socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n'),
      'the response was cut off after 5 bytes',
    ],
    ...broken.map(
      ([what, head]) =>
        [
          `is answered ${what}`,
          (socket: Parameters<SocketHandler>[0]) => void socket.end(head),
          'the response is not valid HTTP',
        ] as const,
    ),
    [
      'is answered with another protocol',
      (socket) =>
        void socket.write('HTTP/1.1 101 S\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n'),
      'unexpected protocol response',
    ],
    ...['101 Switching Protocols', '099 Odd', '000 Odd'].map(
      (status) =>
        [
          `is answered with ${status}`,
          (socket: Parameters<SocketHandler>[0]) =>
            void socket.end(rawResponse(status, {}, '{"ok":true,"data":{}}')),
          'unexpected protocol response',
        ] as const,
    ),
    [
      'is answered with more than 16 KiB of headers',
      (socket) => void socket.end(rawResponse('200 OK', { 'x-long': 'x'.repeat(17 * 1024) }, '{}')),
      'the response has headers that are too large',
    ],
    [
      'is answered in gzip, which it did not ask for',
      (socket) =>
        void socket.end(
          rawResponse('200 OK', { 'content-encoding': 'gzip' }, zlib.gzipSync('{"data":{}}')),
        ),
      'the response uses content-encoding "gzip", which was not asked for',
    ],
    ...[
      ['fifty encodings', Array.from({ length: 50 }, () => 'gzip').join(', ')],
      ['a bomb', 'br'],
    ].map(
      ([what, encoding]) =>
        [
          `is answered in ${what!}`,
          (socket: Parameters<SocketHandler>[0]) =>
            void socket.end(rawResponse('200 OK', { 'content-encoding': encoding! }, bomb)),
          `the response uses content-encoding "${encoding!}", which was not asked for`,
        ] as const,
    ),
    [
      'is answered in Latin-1',
      (socket) => void socket.end(rawResponse('200 OK', {}, Buffer.from('{"a":"\xe9"}', 'latin1'))),
      'the response is not UTF-8',
    ],
    [
      'is answered in UTF-16',
      (socket) =>
        void socket.end(rawResponse('200 OK', {}, Buffer.from('\ufeff{"a":"é"}', 'utf16le'))),
      'the response is not UTF-8',
    ],
  ])('and %s', async (_what, trick, message) => {
    const failure = await failureAt(trick, openBy(connections));
    expect({ kind: failure.kind, what: failure.facts.what, sent: failure.facts.sent }).toEqual({
      kind: 'no_answer',
      what: message,
      sent: true,
    });
    expect(failure.facts.retryable).toBe(false);
  });

  it.each<readonly [what: string, trick: SocketHandler, message: string]>([
    ['never answered', () => undefined, 'no response'],
    [
      'answered with one header after the other',
      (socket) => drip(socket, 'HTTP/1.1 200 OK\r\n', 'x-a: b\r\n'),
      'no response',
    ],
    [
      'answered byte by byte',
      (socket) => drip(socket, 'HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n', 'x'),
      'incomplete response',
    ],
    ...['100 Continue', '102 Processing', '103 Early Hints', '199 Odd'].map(
      (status) =>
        [
          `answered with ${status} and nothing else`,
          (socket: Parameters<SocketHandler>[0]) => drip(socket, '', `HTTP/1.1 ${status}\r\n\r\n`),
          'no response',
        ] as const,
    ),
  ])('and %s ends when its time is over', async (_what, trick, message) => {
    const failure = await failureAt(trick, openBy(connections, 250));
    expect(failure.facts).toMatchObject({
      what: `${message} after 0.25s`,
      sent: true,
      retryable: false,
      timedOut: true,
    });
  });
});

/** Sends the start and then a little for ever, so that no pause is long. */
function drip(socket: Parameters<SocketHandler>[0], start: string, each: string): void {
  socket.write(start);
  const timer = setInterval(() => socket.write(each), 10);
  socket.on('close', () => clearInterval(timer));
}

describe.each(clients)('Ctrl-C with %s', (_client, connections) => {
  const open = () => openBy(connections);
  const cancelled = new Failure('interrupted', { what: 'cancelled', sent: false });

  it('before anything was sent says so', async () => {
    const service = await recordingServer();
    const failure = await failing(open()(request(service.url), AbortSignal.abort(cancelled)));
    expect(failure).toMatchObject({ kind: 'interrupted', facts: { sent: false } });
    expect(service.requests).toEqual([]);
  });

  it('while an answer is awaited says that the request was sent', async () => {
    const stop = new AbortController();
    const { url } = await misbehavingServer(() => stop.abort(cancelled));
    const failure = await failing(open()(request(url, 'POST'), stop.signal));
    expect(failure).toMatchObject({ kind: 'interrupted', facts: { sent: true } });
  });

  it('ends the connection of each request, also after another has failed', async () => {
    const stop = new AbortController();
    const asked: Socket[] = [];
    let closed = 0;
    const { url, requests } = await misbehavingServer((socket) => {
      socket.on('close', () => closed++);
      asked.push(socket);
    });
    const send = open();
    const first = failing(send(request(url), stop.signal));
    await expect.poll(requests).toBe(1);
    const second = failing(send(request(url, 'POST'), stop.signal));
    await expect.poll(requests).toBe(2);
    asked[0]!.write('HTTP/1.1 099 Odd\r\ncontent-length: 9\r\n\r\n');
    await first;
    await expect.poll(() => closed).toBe(1);
    stop.abort(cancelled);
    expect(await second).toMatchObject({ kind: 'interrupted', facts: { sent: true } });
    await expect.poll(() => closed).toBe(2);
  });
});
