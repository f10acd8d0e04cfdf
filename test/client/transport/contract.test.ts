// The contract of the HTTP clients, against servers that break every promise: what the failure says, and above all
// whether the request had been sent.

import { readFileSync } from 'node:fs';
import * as zlib from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Failure } from '../../../src/base/errors.ts';
import type { AnyMethod, HttpRequest, HttpResponse, Send } from '../../../src/base/http.ts';
import {
  openTransport,
  type TransportOptions,
} from '../../../src/client/transport/open-transport.ts';
import { makeCertificates, secureServer, type Certificates } from '../../support/certificates.ts';
import {
  closedPort,
  misbehavingServer,
  rawResponse,
  type SocketHandler,
} from '../../support/misbehaving-server.ts';
import { closeWith, type ConnectHandler, proxyServer, respondWith } from '../../support/proxy.ts';
import { recordingServer } from '../../support/recording-server.ts';

const never = new AbortController().signal;
const MiB = 1024 * 1024;

let certificates: Certificates;
beforeAll(() => {
  certificates = makeCertificates();
});
afterAll(() => certificates.remove());
const trusted = () => [readFileSync(certificates.ca, 'utf8')];

type Asking = Pick<HttpRequest, 'method' | 'sharesConnection'>;

/** The conditions that decide which client sends a request, and on which connection. */
const clients: readonly (readonly [string, connections: number | undefined, asking: Asking])[] = [
  ["Node's client, one connection a request", undefined, { method: 'POST' }],
  ["Node's client, kept connections", undefined, { method: 'POST', sharesConnection: true }],
  ["undici's pool, a read", 1, { method: 'GET', sharesConnection: true }],
  ["undici's pool, a change", 1, { method: 'POST', sharesConnection: true }],
];

async function failing(answer: Promise<HttpResponse>): Promise<Failure> {
  try {
    const { status } = await answer;
    throw new Error(`it answered with ${status}`);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

const lost = 'no response: the connection was lost';
const unexpected = 'unexpected protocol response';
const noHttp = 'the response is not valid HTTP';
const ok = rawResponse('200 OK', {}, '{}');

const write =
  (...parts: readonly (string | Uint8Array)[]): SocketHandler =>
  (socket) => {
    for (const part of parts) socket.write(part);
  };
const end =
  (bytes: string | Uint8Array): SocketHandler =>
  (socket) =>
    void socket.end(bytes);

/** Sends the start and then a little for ever, so that no pause is long. */
const drip =
  (start: string, each: string): SocketHandler =>
  (socket) => {
    socket.write(start);
    const timer = setInterval(() => socket.write(each), 10);
    socket.on('close', () => clearInterval(timer));
  };

describe.each(clients)('%s', (_name, connections, asking) => {
  const open = (options: Partial<TransportOptions> = {}): Send => {
    const opened = openTransport({ timeoutMs: 10_000, connections, ...options });
    onTestFinished(async () => opened.close());
    return async (...given) => opened.send(...given);
  };
  const request = (url: string, more: Partial<HttpRequest> = {}): HttpRequest => ({
    url,
    headers: { accept: 'application/json' },
    ...asking,
    ...more,
  });
  const failureAt = async (trick: SocketHandler, send = open()) =>
    failing(send(request((await misbehavingServer(trick)).url), never));

  describe('a response', () => {
    it.each<readonly [what: string, trick: SocketHandler, expected: object]>([
      [
        'of any status, with lower-case headers and text',
        write(rawResponse('418 Short', { 'X-Many': 'a', 'x-more': 'b' }, 'é🎉')),
        { status: 418, body: 'é🎉', headers: { 'x-many': 'a', 'x-more': 'b' } },
      ],
      [
        'with a header that came twice',
        write('HTTP/1.1 200 OK\r\nx-a: 1\r\nx-a: 2\r\ncontent-length: 0\r\n\r\n'),
        { headers: { 'x-a': '1, 2', 'content-length': '0' } },
      ],
      [
        'that is followed by unsolicited bytes',
        end(Buffer.concat([ok, Buffer.from('and more')])),
        { status: 200, body: '{}' },
      ],
      [
        'with a byte-order mark',
        write(rawResponse('200 OK', {}, '\ufeff{"a":"\ufeff"}')),
        { body: '{"a":"\ufeff"}' },
      ],
      [
        'that says it is not encoded',
        write(rawResponse('200 OK', { 'content-encoding': 'Identity' }, 'plain')),
        { body: 'plain' },
      ],
      [
        'after interim responses',
        write(
          ...['103 Early Hints', '102 Processing', '150 Odd'].map(
            (status) => `HTTP/1.1 ${status}\r\nx-a: b\r\n\r\n`,
          ),
          ok,
        ),
        { status: 200, body: '{}' },
      ],
    ])('%s is accepted', async (_what, trick, expected) => {
      const { url } = await misbehavingServer(trick);
      expect(await open()(request(url), never)).toMatchObject(expected);
    });

    it('may have headers named like object properties', async () => {
      const names = ['__proto__', 'Constructor', '__proto__', 'toString'];
      const lines = names.map((name, i) => `${name}: ${i}\r\n`).join('');
      const { url } = await misbehavingServer(
        write(`HTTP/1.1 200 OK\r\n${lines}content-length: 0\r\n\r\n`),
      );
      const { headers } = await open()(request(url), never);
      expect(Object.entries(headers)).toEqual([
        ['__proto__', '0, 2'],
        ['constructor', '1'],
        ['tostring', '3'],
        ['content-length', '0'],
      ]);
    });

    it('may arrive in single bytes', async () => {
      const bytes = rawResponse('200 OK', { 'Retry-After': '4000' }, '{"a":"é"}');
      const { url } = await misbehavingServer((socket) => {
        socket.setNoDelay(true);
        const next = (i: number): void => {
          if (i < bytes.length)
            socket.write(bytes.subarray(i, i + 1), () => setImmediate(next, i + 1));
        };
        next(0);
      });
      expect(await open()(request(url), never)).toEqual({
        status: 200,
        headers: {
          'content-type': 'application/json',
          'content-length': '10',
          'retry-after': '4000',
        },
        body: '{"a":"é"}',
      });
    });

    it('that redirects is not followed', async () => {
      const elsewhere = await recordingServer();
      const { url } = await recordingServer({ status: 307, headers: { location: elsewhere.url } });
      const answer = await open()(request(url), never);
      expect(answer).toMatchObject({ status: 307, headers: { location: elsewhere.url } });
      expect(elsewhere.connections()).toBe(0);
    });

    it('may have almost 16 KiB of headers and 10 MiB of body, and no more', async () => {
      const long = (number: number) => ({ 'x-long': 'x'.repeat(number === 1 ? 15_800 : 16_400) });
      const heads = await misbehavingServer((socket, number) =>
        socket.write(rawResponse('200 OK', long(number), '{}')),
      );
      const send = open();
      const { headers } = await send(request(heads.url), never);
      expect(headers['x-long']).toHaveLength(15_800);
      const tooLong = await failing(send(request(heads.url), never));
      expect(tooLong.facts.what).toBe('the response has headers that are too large');

      const bodies = await recordingServer((n) => ({
        body: 'x'.repeat(10 * MiB + (n === 1 ? 0 : 1)),
      }));
      expect((await send(request(bodies.url), never)).body).toHaveLength(10 * MiB);
      const tooLarge = await failing(send(request(bodies.url), never));
      expect(tooLarge).toMatchObject({
        kind: 'no_answer',
        facts: { what: 'the response is larger than 10 MiB', sent: true },
      });
    });

    it('of unknown length is cut at 10 MiB too', async () => {
      let written = 0;
      const failure = await failureAt((socket) => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        const more = (error?: Error | null): void => {
          if (error != null) return;
          written += MiB;
          socket.write(Buffer.alloc(MiB, 'x'), more);
        };
        more();
      });
      expect(failure.facts.what).toBe('the response is larger than 10 MiB');
      // The data in transit comes on top: the buffers of both ends of the connection.
      expect(written).toBeLessThan(20 * MiB);
    });
  });

  describe('a request that is sent', () => {
    const encoded = (encoding: string, body: Uint8Array) =>
      end(rawResponse('200 OK', { 'content-encoding': encoding }, body));
    const notAsked = (encoding: string) =>
      `the response uses content-encoding "${encoding}", which was not asked for`;
    /** Sixteen mebibytes of zeros, as a few bytes. */
    const bomb = zlib.brotliCompressSync(Buffer.alloc(16 * MiB));
    it.each<readonly [what: string, trick: SocketHandler, message: string]>([
      ['is reset', (socket) => void socket.resetAndDestroy(), lost],
      ['is answered by the end of the connection', (socket) => void socket.end(), lost],
      [
        'is answered in part',
        end(rawResponse('200 OK', { 'content-length': '50' }, '{"ok":true}')),
        'the response was cut off after 11 of 50 bytes',
      ],
      [
        'is answered by a chunk without an end',
        end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n'),
        'the response was cut off after 5 bytes',
      ],
      ['is answered by an SSH server', end('SSH-2.0-OpenSSH_9.6\r\n\r\n'), noHttp],
      ['is answered without a status line, as in HTTP/0.9', end('{"ok":true,"data":{}}'), noHttp],
      ...[
        'content-length: -2',
        'content-length: two',
        'content-length: 2\r\ncontent-length: 3',
        'content-length: 2\r\ntransfer-encoding: chunked',
        'x-a: b\0c\r\ncontent-length: 2',
      ].map(
        (fields) =>
          [
            `is answered with ${JSON.stringify(fields)}`,
            end(`HTTP/1.1 200 OK\r\n${fields}\r\n\r\n{}`),
            noHttp,
          ] as const,
      ),
      [
        'is answered with a chunk of no size',
        end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n'),
        noHttp,
      ],
      [
        'is answered with a change of the protocol',
        write('HTTP/1.1 101 S\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n'),
        unexpected,
      ],
      ...['101 Switching Protocols', '099 Odd'].map(
        (status) =>
          [`is answered with ${status}`, end(rawResponse(status, {}, '{}')), unexpected] as const,
      ),
      [
        'is answered in gzip, which it did not ask for',
        encoded('gzip', zlib.gzipSync('{"data":{}}')),
        notAsked('gzip'),
      ],
      ['is answered by a compression bomb', encoded('br', bomb), notAsked('br')],
      [
        'is answered in Latin-1',
        end(rawResponse('200 OK', {}, Buffer.from('{"a":"\xe9"}', 'latin1'))),
        'the response is not UTF-8',
      ],
    ])('and %s', async (_what, trick, message) => {
      const { kind, facts } = await failureAt(trick);
      expect({ kind, what: facts.what }).toEqual({ kind: 'no_answer', what: message });
      expect(facts).toMatchObject({ sent: true, retryable: false });
    });

    it.each<readonly [what: string, trick: SocketHandler, message: string]>([
      ['never answered', () => undefined, 'no response'],
      [
        'answered with one header after the other',
        drip('HTTP/1.1 200 OK\r\n', 'x-a: b\r\n'),
        'no response',
      ],
      [
        'answered with one interim response after the other',
        drip('', 'HTTP/1.1 102 Processing\r\n\r\n'),
        'no response',
      ],
      [
        'answered by a head alone',
        write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n'),
        'incomplete response',
      ],
      [
        'answered byte by byte',
        drip('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n', 'x'),
        'incomplete response',
      ],
    ])('and %s ends with its connection when its time is over', async (_what, trick, message) => {
      let closed = 0;
      const start = performance.now();
      const watched: SocketHandler = (socket, ...rest) => {
        socket.once('close', () => closed++);
        trick(socket, ...rest);
      };
      const { facts } = await failureAt(watched, open({ timeoutMs: 250 }));
      expect(performance.now() - start).toBeGreaterThan(240);
      await expect.poll(() => closed).toBe(1);
      expect(facts).toMatchObject({
        what: `${message} after 0.25s`,
        sent: true,
        retryable: false,
        timedOut: true,
      });
    });
  });

  describe('a connection', () => {
    it.each(['127.0.0.1', 'localhost'])('that %s refuses has sent nothing', async (host) => {
      const port = await closedPort();
      const failure = await failing(open()(request(`http://${host}:${port}`), never));
      expect(failure).toMatchObject({
        kind: 'no_answer',
        facts: {
          what: `connection refused by ${host}:${port}`,
          sent: false,
          retryable: true,
          hint: 'is the sandbox running? social sandbox serve',
        },
      });
    });

    it('is not opened for an invalid request', async () => {
      const service = await recordingServer();
      const wrong = request(service.url, { headers: { 'x-own': 'a\nb' } });
      expect((await failing(open()(wrong, never))).facts.sent).toBe(false);
      expect(service.requests).toEqual([]);
    });

    it('to a name that does not exist has sent nothing', async () => {
      const { facts } = await failing(open()(request('http://nowhere.invalid'), never));
      expect(facts.what).toMatch(/nowhere\.invalid/);
      expect(facts.sent).toBe(false);
    });

    it('that is still connecting at the timeout is closed, and another is tried', async () => {
      const lived: number[] = [];
      const service = await misbehavingServer(
        () => undefined,
        (socket) => {
          const start = performance.now();
          // No answer to the greeting of TLS.
          socket.resume().on('close', () => lived.push(performance.now() - start));
        },
      );
      const send = open({ timeoutMs: 250 });
      for (const times of [1, 2]) {
        const { facts } = await failing(send(request(`https://127.0.0.1:${service.port}`), never));
        expect(facts).toMatchObject({
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
      const { facts } = await failing(open()(request(`https://127.0.0.1:${service.port}`), never));
      expect(facts).toMatchObject({
        what: expect.stringMatching(`^no TLS connection to 127.0.0.1:${service.port} `) as string,
        sent: false,
        retryable: false,
      });
    });

    it('with an untrusted certificate sends nothing, and with a trusted one all', async () => {
      const server = await secureServer(certificates.pair('good'));
      const body = asking.method === 'GET' ? {} : { body: 'x'.repeat(100_000) };
      const { facts } = await failing(open()(request(server.url, body), never));
      expect(facts).toMatchObject({ sent: false, retryable: false });
      expect(facts.what).toMatch(
        /^certificate of 127\.0\.0\.1 is not trusted: signed by an unknown/,
      );
      expect(server.paths).toEqual([]);
      const send = open({ ca: trusted() });
      expect(await send(request(`${server.url}/x`, body), never)).toMatchObject({ status: 200 });
      expect(server.paths).toEqual(['/x']);
    });

    it('sends bytes unchanged', async () => {
      const service = await recordingServer();
      const bytes = Buffer.from('{"a": "é"}\r\n');
      const headers = { 'x-own': 'a', 'content-type': 'text/plain' };
      await open()(request(service.url, { headers, bytes }), never);
      expect(service.requests).toMatchObject([{ headers, body: bytes.toString() }]);
    });
  });

  describe('a proxy', () => {
    const through = async (deed: ConnectHandler, more: Partial<TransportOptions> = {}) => {
      const { url } = await proxyServer(deed);
      const proxy = new URL(url);
      const send = open({ ca: trusted(), proxy, ...more });
      return { answer: send(request('https://api.test/x'), never), host: proxy.host };
    };

    it.each<readonly [what: string, deed: ConnectHandler, words: string, retryable: boolean]>([
      ['refuses', respondWith('HTTP/1.1 407 No\r\n\r\n'), 'returned HTTP 407', false],
      ['fails', respondWith('HTTP/1.1 502 Bad\r\n\r\n'), 'returned HTTP 502', true],
      ['closes', closeWith(), 'opened no tunnel (ECONNRESET)', true],
      ['does not answer', respondWith(), 'opened no tunnel within 0.3s', true],
    ])('that %s has passed nothing on', async (_what, deed, words, retryable) => {
      const isSilent = words.includes('within');
      const { answer, host } = await through(deed, isSilent ? { timeoutMs: 300 } : {});
      const { facts } = await failing(answer);
      expect(facts).toMatchObject({ sent: false, retryable });
      // The time of the request may be over a moment before that of its connection.
      expect([
        `no connection to api.test: proxy ${host} ${words}`,
        ...(isSilent ? ['no connection to api.test after 0.3s'] : []),
      ]).toContain(facts.what);
    });
  });

  describe('Ctrl-C', () => {
    const cancelled = new Failure('interrupted', { what: 'cancelled', sent: false });

    it('before anything was sent is reported as such', async () => {
      const service = await recordingServer();
      const failure = await failing(open()(request(service.url), AbortSignal.abort(cancelled)));
      expect(failure).toMatchObject({ kind: 'interrupted', facts: { sent: false } });
      expect(service.requests).toEqual([]);
    });

    it('while waiting for a response is reported as sent, and closes the connection', async () => {
      const stop = new AbortController();
      let closed = 0;
      const { url } = await misbehavingServer((socket) => {
        socket.on('close', () => closed++);
        stop.abort(cancelled);
      });
      const failure = await failing(open()(request(url), stop.signal));
      expect(failure).toMatchObject({ kind: 'interrupted', facts: { sent: true } });
      await expect.poll(() => closed).toBe(1);
    });
  });

  it('closing ends all connections, also those being opened, and opens no other', async () => {
    const closed: Promise<unknown>[] = [];
    const watch = (socket: Parameters<SocketHandler>[0]) =>
      closed.push(new Promise((resolve) => socket.resume().once('close', resolve)));
    const silent = await misbehavingServer(watch);
    const opening = await misbehavingServer(() => undefined, watch);
    const { send, close } = openTransport({ timeoutMs: 10_000, connections });
    const answers = [send(request(silent.url), never)];
    answers.push(send(request(`https://127.0.0.1:${opening.port}`), never));
    const ended = Promise.all(answers.map(failing));
    await expect.poll(() => closed.length).toBe(2);
    close();
    await Promise.all(closed);
    expect((await ended).map(({ facts }) => facts.sent)).toEqual([true, false]);
    expect((await failing(send(request(silent.url), never))).facts.sent).toBe(false);
    expect(silent.connections()).toBe(1);
  });
});

it.each<readonly [method: AnyMethod, body: string | undefined, length: string | undefined]>([
  ['POST', '{"a":"é"}', '10'],
  ['DELETE', '{}', '2'],
  ['POST', undefined, '0'],
  ['PUT', undefined, '0'],
  ['PATCH', '', '0'],
  ['GET', undefined, undefined],
  ['HEAD', undefined, undefined],
  ['DELETE', undefined, undefined],
])('the body of a %s, %j, has Content-Length %s and no chunks', async (method, body, length) => {
  const service = await recordingServer();
  const { send, close } = openTransport({ timeoutMs: 10_000 });
  onTestFinished(close);
  await send({ method, url: service.url, headers: {}, ...(body !== undefined && { body }) }, never);
  const [{ headers }] = service.requests as [(typeof service.requests)[number]];
  expect(headers['content-length']).toBe(length);
  expect(headers).not.toHaveProperty('transfer-encoding');
});

describe('an unrequested "100 Continue"', () => {
  const service = () =>
    misbehavingServer(write('HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 100\r\nx-a: b\r\n\r\n', ok));
  const open = (connections: number | undefined) => {
    const { send, close } = openTransport({ timeoutMs: 10_000, connections });
    onTestFinished(close);
    return send;
  };

  it.each([
    ['GET', undefined],
    ['POST', undefined],
    ['GET', 2],
  ] as const)(
    'is ignored before the response to a %s, with %s connections',
    async (method, connections) => {
      const { url } = await service();
      const request = { method, url, headers: {}, sharesConnection: true };
      expect(await open(connections)(request, never)).toMatchObject({ status: 200, body: '{}' });
    },
  );

  it('fails in undici: later changes use Node’s client', async () => {
    const { url, requests } = await service();
    const send = open(2);
    const request = { method: 'POST', url, headers: {}, sharesConnection: true } as const;
    const { facts } = await failing(send(request, never));
    expect(facts).toMatchObject({ what: unexpected, sent: true });
    for (let i = 0; i < 2; i++) expect(await send(request, never)).toMatchObject({ status: 200 });
    expect(requests('POST')).toBe(3);
  });
});
