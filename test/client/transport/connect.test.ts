// Connections to names, and tunnels through a proxy: each opened within its limit.

import type { LookupOptions } from 'node:dns';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import * as https from 'node:https';
import * as net from 'node:net';
import { networkInterfaces } from 'node:os';
import { createSecureContext, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type ConnectOptions, createConnector } from '../../../src/client/transport/connect.ts';
import type { HttpRequest } from '../../../src/base/http.ts';
import {
  CONNECT_TIMEOUT,
  NOT_THIS_MACHINE,
  ProxyFault,
} from '../../../src/client/transport/errors.ts';
import { type Connect, sendThrough } from '../../../src/client/transport/exchange.ts';
import { loopbackLookup, openTransport } from '../../../src/client/transport/open-transport.ts';
import { createPoolClient } from '../../../src/client/transport/pool.ts';
import { createNodeClient } from '../../../src/client/transport/single.ts';
import { listenOnLoopback } from '../../support/listen.ts';
import { blackholePort } from '../../support/blackhole-port.ts';
import { makeCertificates, secureServer, type Certificates } from '../../support/certificates.ts';
import { type ConnectHandler, proxyServer, respondWith, tunnelTo } from '../../support/proxy.ts';

let certificates: Certificates;
beforeAll(() => {
  certificates = makeCertificates();
});
afterAll(() => certificates.remove());

function connector(options: ConnectOptions, timeoutMs = 10_000) {
  const made = createConnector(options, timeoutMs);
  onTestFinished(made.stop);
  return made;
}

/** Connections through a proxy at this address. */
function connectorThrough(address: string, ca?: ConnectOptions['ca'], timeoutMs?: number) {
  return connector({ proxy: new URL(address), ca }, timeoutMs);
}

const trusted = () => [readFileSync(certificates.ca, 'utf8')];
const service = new URL('https://api.test');

it('the first of two addresses gets enough time for a distant host', async () => {
  const port = await blackholePort('127.0.0.1');
  const { connect } = connector({
    lookup: (_name, _options, callback) =>
      callback(null, [
        { address: '127.0.0.1', family: 4 },
        // No server listens here, so it fails at once.
        { address: '::1', family: 6 },
      ]),
  });
  const start = performance.now();
  const refused = connect(new URL(`http://two.test:${port}`));
  await expect(refused).rejects.toMatchObject({ code: 'ETIMEDOUT' });
  expect(performance.now() - start).toBeGreaterThan(600);
});

it('TLS and HTTP get the host name without its final dot', async () => {
  const names: string[] = [];
  const protocols: string[][] = [];
  const pair = certificates.pair('good');
  const { port } = await secureServer({
    ...pair,
    ALPNCallback: (offered) => {
      protocols.push(offered.protocols);
      return 'http/1.1';
    },
    SNICallback: (name, callback) => {
      names.push(name);
      callback(null, createSecureContext(pair));
    },
  });
  const { connect } = connector({
    ca: trusted(),
    lookup: (_name, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
  });
  const to = (hostname: string) => connect(new URL(`https://${hostname}:${port}`));
  for (const hostname of ['api.test', 'api.test.'])
    await expect(to(hostname)).resolves.toBeTruthy();
  expect(protocols[0]).toEqual(['http/1.1']);
  await expect(to('other.test.')).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  await expect(to('127.0.0.1')).resolves.toBeTruthy();
  expect(names).toEqual(['api.test', 'api.test', 'other.test']);
});

describe('a name that must resolve to this machine', () => {
  const resolve = (name: string, options: LookupOptions = {}) =>
    new Promise<{ code: string | undefined; address: unknown }>((done) =>
      loopbackLookup(name, options, (error, address) => done({ code: error?.code, address })),
    );

  it.each(['localhost', '127.9.8.7', '::1'])('%s does', async (name) => {
    const here = expect.stringMatching(/^(?:127\.|::1$)/) as string;
    expect(await resolve(name)).toEqual({ code: undefined, address: here });
    const { address } = await resolve(name, { all: true });
    expect(address).toContainEqual(expect.objectContaining({ address: here }));
  });

  it.each(['192.0.2.1', '0.0.0.0', '2001:db8::1', '::2'])('%s does not', async (name) => {
    for (const options of [{}, { all: true }])
      expect(await resolve(name, options)).toEqual({ code: NOT_THIS_MACHINE, address: '' });
  });

  it('that does not resolve fails with the error of the system', async () => {
    const { code } = await resolve('no host has a name like this');
    expect(code).toMatch(/^E/);
  });
});

describe('nothing leaves after the time limit of a connection', () => {
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const change = (port: number, scheme: string): HttpRequest => ({
    method: 'POST',
    url: `${scheme}://127.0.0.1:${port}/v1/x`,
    headers: {},
    body: '{}',
  });

  it.each([
    ['alone', (connect: Connect) => createNodeClient(connect, { keepAlive: false })],
    [
      'that shares connections',
      (connect: Connect) => createNodeClient(connect, { keepAlive: true }),
    ],
    ['of a batch', (connect: Connect) => createPoolClient(connect, 2)],
  ])('of a call %s, if the connection is there a moment later', async (_what, clientOf) => {
    let received = '';
    let accepted = 0;
    const server = net.createServer((socket) => {
      accepted++;
      socket.on('data', (chunk) => (received += chunk.toString()));
    });
    const port = await listenOnLoopback(server);
    const late: Connect = async () => {
      await pause(200);
      const socket = net.connect(port, '127.0.0.1').on('error', () => undefined);
      await once(socket, 'connect');
      return socket;
    };
    const limits = { timeoutMs: 50, connectMs: 50, proxyHost: undefined };
    await expect(
      sendThrough(clientOf(late), change(port, 'http'), new AbortController().signal, limits),
    ).rejects.toMatchObject({ kind: 'no_answer', facts: { sent: false, timedOut: true } });
    await pause(500);
    expect(accepted).toBe(1);
    expect(received).toBe('');
  });

  it('to a service that begins TLS late', async () => {
    const requests: string[] = [];
    const secure = https.createServer(certificates.pair('good'), ({ method }, response) => {
      requests.push(method!);
      response.end();
    });
    let isClosed = false;
    const port = await listenOnLoopback(
      net.createServer((socket) => {
        socket.once('close', () => (isClosed = true));
        setTimeout(() => secure.emit('connection', socket), 400);
      }),
    );
    const { connect } = connector({ ca: trusted() }, 100);
    await expect(connect(new URL(`https://127.0.0.1:${port}`))).rejects.toMatchObject({
      code: CONNECT_TIMEOUT,
    });
    const options = { ca: trusted(), timeoutMs: 100 };
    const { send, close } = openTransport(options);
    onTestFinished(close);
    await expect(send(change(port, 'https'), new AbortController().signal)).rejects.toMatchObject({
      facts: { sent: false },
    });
    await pause(800);
    expect(requests).toEqual([]);
    expect(isClosed).toBe(true);
  });
});

/** Answers the request for a tunnel with these parts, each a packet of its own. */
const inParts =
  (port: number, parts: readonly string[]): ConnectHandler =>
  async (socket) => {
    socket.setNoDelay(true);
    for (const part of parts.slice(0, -1)) {
      socket.write(part);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    tunnelTo(port, parts.at(-1))(socket);
  };

describe('a proxy tunnel', () => {
  it.each([
    ['HTTP/1.1 200 OK\r\n', 'Via: 1.1 p\r\n\r\n'],
    ['HTTP/1.0 200 Connection established\r\n\r\n'],
    ['HTTP/1.1 200\r\n\r\n'],
    ['HTTP/1.1 204 No Content\r\n\r\n'],
    // The length means nothing here.
    ['HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n'],
  ])('is open after %j', async (...parts) => {
    const { port } = await secureServer(certificates.pair('good'));
    const { url } = await proxyServer(inParts(port, parts));
    const socket = await connectorThrough(url, trusted()).connect(service);
    expect((socket as TLSSocket).authorized).toBe(true);
  });

  const problems: readonly (readonly [string, object])[] = [
    ['HTTP/1.1 300 Choices\r\n\r\n', { status: 300 }],
    ['HTTP/1.1 407 No\r\n\r\n', { status: 407 }],
    ['HTTP/1.1 101 Switching\r\n\r\n', { status: 101 }],
    ['HTTP/1.1 200 OK\r\n\r\nhello', {}],
    ['SSH-2.0\r\n\r\n', {}],
    ['HTTP/1.1 OK\r\n\r\n', {}],
    [`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(17 * 1024)}`, {}],
  ];
  it.each(problems)('is not opened by %j', async (answer, facts) => {
    const { url } = await proxyServer(respondWith(answer));
    const fault = await connectorThrough(url)
      .connect(service)
      .catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(ProxyFault);
    expect(fault).toMatchObject({ problem: 'no tunnel', ...facts });
  });

  it.each([
    ['that is not answered', respondWith(), 'no tunnel'],
    ['whose answer drips', respondWith('HTTP/1.1 200 OK\r\n'), 'no tunnel'],
    ['that leads nowhere', respondWith('HTTP/1.1 200 OK\r\n\r\n'), undefined],
  ])(
    '%s ends at its limit, and the connection to the proxy is closed',
    async (_what, deed, problem) => {
      let socket: net.Socket | undefined;
      const { url } = await proxyServer((given) => {
        socket = given;
        deed(given);
      });
      const failed = connectorThrough(url, undefined, 400).connect(service);
      const error: unknown = await failed.catch((why: unknown) => why);
      const cause = error instanceof ProxyFault ? error.cause : error;
      expect(cause).toMatchObject({ code: 'CONNECT_TIMEOUT' });
      expect(error instanceof ProxyFault ? error.problem : undefined).toBe(problem);
      await expect.poll(() => socket?.destroyed).toBe(true);
    },
  );

  it('is requested with host and port, and with the user of the proxy URL', async () => {
    const headFor = async (user: string, target: string) => {
      const { url, heads } = await proxyServer(respondWith('HTTP/1.1 403 No\r\n\r\n'));
      const at = `http://${user}${new URL(url).host}`;
      await expect(connectorThrough(at).connect(new URL(target))).rejects.toThrow('proxy');
      return heads[0]!;
    };
    expect(await headFor('', 'https://api.test')).toBe(
      'CONNECT api.test:443 HTTP/1.1\r\nhost: api.test:443\r\nconnection: keep-alive\r\n\r\n',
    );
    const numbered = await headFor('', 'https://[2001:db8::1]:8443');
    expect(numbered).toMatch(/^CONNECT \[2001:db8::1\]:8443 .*\r\nhost: \[2001:db8::1\]:8443\r\n/);
    for (const [user, meant] of [
      ['us%40er:pass%2Fword@', 'us@er:pass/word'],
      ['user@', 'user:'],
      [':word@', ':word'],
    ] as const)
      expect(await headFor(user, 'https://api.test')).toContain(
        `\r\nproxy-authorization: Basic ${Buffer.from(meant).toString('base64')}\r\n`,
      );
  });

  it('is not requested after an abort', async () => {
    const { url, asked, heads } = await proxyServer(respondWith());
    const { connect, stop } = connectorThrough(url, undefined, 60_000);
    const first = connect(service).catch((error: unknown) => error);
    await asked;
    stop();
    expect(await first).toBeInstanceOf(Error);
    await expect(connect(service)).rejects.toThrow('proxy');
    expect(heads).toHaveLength(1);
  });

  const hasIPv6 = Object.values(networkInterfaces()).some((each) =>
    each!.some((one) => one.address === '::1'),
  );
  it.runIf(hasIPv6)('is opened by a proxy at an IPv6 address', async () => {
    const { port } = await secureServer(certificates.pair('good'));
    const { url } = await proxyServer(tunnelTo(port), undefined, '::1');
    await expect(connectorThrough(url, trusted()).connect(service)).resolves.toBeTruthy();
  });

  it('through a proxy without a listener fails', async () => {
    const fault = await connectorThrough('http://127.0.0.1:1')
      .connect(service)
      .catch((error: unknown) => error);
    expect(fault).toMatchObject({ problem: 'unreachable' });
  });
});
