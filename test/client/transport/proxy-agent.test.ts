// Tunnels through a proxy: how its answer may come, and that nothing outlives its limit or its end.

import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { addressOf, createConnector } from '../../../src/client/transport/connector.ts';
import { ProxyFault } from '../../../src/client/transport/network-errors.ts';
import { createProxy } from '../../../src/client/transport/proxy-agent.ts';
import { openTransport } from '../../../src/client/transport/open-transport.ts';
import { makeCertificates, secureServer, type Certificates } from '../../support/certificates.ts';
import { respondWith, proxyServer, tunnelTo, type ConnectHandler } from '../../support/proxy.ts';

let certificates: Certificates;
beforeAll(() => {
  certificates = makeCertificates();
});
afterAll(() => certificates.remove());

const monotonic = () => performance.now();
const signal = new AbortController().signal;
const post = { method: 'POST', url: 'https://api.test/x', headers: {} } as const;

/** What is sent through a proxy at this address; every request has a connection of its own. */
function through(url: string) {
  const ca = [readFileSync(certificates.ca, 'utf8')];
  const opened = openTransport({ monotonic, timeoutMs: 10_000, ca, proxy: createProxy(url) });
  onTestFinished(async () => opened.close());
  return async () => opened.send(post, signal);
}

/** Connections through a proxy at this address, each opened within so many milliseconds. */
function connectorThrough(url: string, timeoutMs: number, ca?: readonly string[]) {
  const connector = createConnector(createProxy(url).opening({ ca }), timeoutMs, monotonic);
  onTestFinished(connector.stop);
  return connector;
}

/** Opens a tunnel to a port with an answer in these parts, each a packet of its own. */
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

describe('the answer of a proxy', () => {
  it('may be cut anywhere', async () => {
    const server = await secureServer(certificates.pair('good'));
    const answer = 'HTTP/1.1 200 OK\r\nVia: 1.1 p\r\n\r\n';
    let cut = 0;
    const { url, heads } = await proxyServer((socket) => {
      cut++;
      return inParts(server.port, [answer.slice(0, cut), answer.slice(cut)])(socket);
    });
    const send = through(url);
    for (let i = 1; i < answer.length; i++) expect((await send()).status).toBe(200);
    expect(heads).toHaveLength(answer.length - 1);
  });

  it.each([
    ['of the old protocol', 'HTTP/1.0 200 Connection established\r\n\r\n'],
    ['without a phrase', 'HTTP/1.1 200\r\n\r\n'],
    ['with another good status', 'HTTP/1.1 204 No Content\r\n\r\n'],
    ['with line feeds alone', 'HTTP/1.1 200 OK\nVia: p\n\n'],
    ['with a length, which means nothing', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n'],
    ['after hints', 'HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\n\r\n'],
  ])('may be %s', async (_, answer) => {
    const server = await secureServer(certificates.pair('good'));
    const { url } = await proxyServer(tunnelTo(server.port, answer));
    expect((await through(url)()).status).toBe(200);
  });
});

const hasIPv6 = Object.values(networkInterfaces()).some((each) =>
  each!.some((one) => one.address === '::1'),
);

it.runIf(hasIPv6)('a proxy at the number of an IPv6 host carries requests', async () => {
  const server = await secureServer(certificates.pair('good'));
  const { url, heads } = await proxyServer(tunnelTo(server.port), undefined, '::1');
  expect(url).toContain('@[::1]:');
  expect((await through(url)()).status).toBe(200);
  expect(heads).toHaveLength(1);
  expect(createProxy(url).host).toBe(new URL(url).host);
});

const address = addressOf(new URL('https://api.test'));

describe('a tunnel', () => {
  it.each([
    ['is not answered', respondWith(), 'silent'],
    ['drips', respondWith('HTTP/1.1 200 OK\r\n'), 'silent'],
    ['is open and leads nowhere', respondWith('HTTP/1.1 200 OK\r\n\r\n'), undefined],
  ])('that %s ends at its limit, and the proxy is let go', async (_, deed, problem) => {
    let socket: Socket | undefined;
    const { url } = await proxyServer((given) => {
      socket = given;
      deed(given);
    });
    // The tunnel has to be open before the limit.
    const { connect } = connectorThrough(url, problem === undefined ? 500 : 100);
    const error = await connect(address).catch((outcome: Error) => outcome);
    const cause = error instanceof ProxyFault ? error.cause : error;
    expect(cause).toMatchObject({ code: 'CONNECT_TIMEOUT' });
    expect(error instanceof ProxyFault ? error.facts : {}).toEqual(
      problem === undefined ? {} : { problem },
    );
    await expect.poll(() => socket?.destroyed).toBe(true);
  });

  it('that stands is kept when the time for opening it is over', async () => {
    const server = await secureServer(certificates.pair('good'));
    const { url } = await proxyServer(tunnelTo(server.port));
    const ca = [readFileSync(certificates.ca, 'utf8')];
    const openWithin = (timeoutMs: number) =>
      connectorThrough(url, timeoutMs, ca)
        .connect(address)
        .catch(() => null);
    let [limit, socket] = [100, await openWithin(100)];
    for (; socket === null; limit *= 2) socket = await openWithin(limit * 2);
    await new Promise((resolve) => setTimeout(resolve, limit + 50));
    expect(socket.destroyed).toBe(false);
  });

  it('ends when it is stopped, and none is opened any more', async () => {
    const closed: Promise<void>[] = [];
    const { url, asked, heads } = await proxyServer((socket) => {
      closed.push(new Promise((resolve) => socket.once('close', () => resolve())));
    });
    const { connect, stop } = connectorThrough(url, 60_000);
    const first = connect(address).catch((error: Error) => error);
    await asked;
    stop();
    await Promise.all(closed);
    expect(await first).toBeInstanceOf(Error);
    await expect(connect(address)).rejects.toThrow('proxy');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(heads).toHaveLength(1);
  });
});

/** What becomes of a question whose answer is this, and the question. */
async function answeredBy(answer: string, { user = '', to = address } = {}) {
  const { url, heads } = await proxyServer(respondWith(answer));
  const at = `http://${user === '' ? '' : `${user}@`}${new URL(url).host}`;
  // An open tunnel leads nowhere here: that it is open shows in TLS being begun.
  const begun = new Promise<null>((resolve) => setTimeout(resolve, 300, null).unref());
  const opened = connectorThrough(at, 5000).connect(to);
  const error = await Promise.race([opened.then(() => null), begun]).catch((why: Error) => why);
  return { facts: error instanceof ProxyFault ? error.facts : error, head: heads[0] };
}

describe('an answer of a proxy that opens nothing', () => {
  it.each([
    ['HTTP/1.1 300 Choices\r\n\r\n', { status: 300 }],
    ['HTTP/1.1 407 No\r\n\r\n', { status: 407 }],
    ['HTTP/1.1 101 Switching\r\n\r\n', { status: 101 }],
    ['HTTP/1.1 103 Hints\r\n\r\nHTTP/1.1 502 Bad\r\n\r\n', { status: 502 }],
    ['HTTP/1.1 200 OK\r\n\r\nhello', { problem: 'talkative' }],
    ['SSH-2.0\r\n\r\n', { problem: 'not HTTP' }],
    ['x HTTP/1.1 200 OK\r\n\r\n', { problem: 'not HTTP' }],
    ['HTTP/1.1 OK\r\n\r\n', { problem: 'not HTTP' }],
    ['HTTP/1.1 OK HTTP/1.1 200 OK\r\n\r\n', { problem: 'not HTTP' }],
    ['HTTP/1.1 2000 OK\r\n\r\n', { problem: 'not HTTP' }],
    ['HTTP/1.2 200 OK\r\n\r\n', { problem: 'not HTTP' }],
    [`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(16 * 1024)}`, { problem: 'too large' }],
  ])('%j', async (answer, facts) => {
    expect((await answeredBy(answer)).facts).toEqual(facts);
  });

  it('may be of 16 KiB and no more', async () => {
    const head = 'HTTP/1.1 404 No\r\nX: ';
    const end = '\r\n\r\n';
    const filled = (size: number) => head + 'x'.repeat(size - head.length - end.length) + end;
    expect((await answeredBy(filled(16 * 1024))).facts).toEqual({ status: 404 });
    expect((await answeredBy(filled(16 * 1024 + 1))).facts).toEqual({ problem: 'too large' });
  });
});

describe('the question to a proxy', () => {
  const refused = 'HTTP/1.1 403 No\r\n\r\n';
  const basic = (text: string) =>
    `Proxy-Authorization: Basic ${Buffer.from(text).toString('base64')}`;

  it('names the host and its port, and nobody', async () => {
    const { head } = await answeredBy(refused);
    expect(head).toBe(
      'CONNECT api.test:443 HTTP/1.1\r\nHost: api.test:443\r\nProxy-Connection: keep-alive\r\n\r\n',
    );
    const to = { ...address, host: 'api.test:8443', port: '8443' };
    expect((await answeredBy(refused, { to })).head).toContain(
      'CONNECT api.test:8443 HTTP/1.1\r\nHost: api.test:8443\r\n',
    );
    const numbered = addressOf(new URL('https://[2001:db8::1]'));
    expect((await answeredBy(refused, { to: numbered })).head).toContain(
      'CONNECT [2001:db8::1]:443 HTTP/1.1\r\nHost: [2001:db8::1]:443\r\n',
    );
  });

  it.each([
    ['us%40er:pass%2Fword', 'us@er:pass/word'],
    ['user', 'user:'],
    [':word', ':word'],
  ])('names %s where the proxy wants to know', async (user, meant) => {
    const { head } = await answeredBy(refused, { user });
    expect(head).toContain(`\r\n${basic(meant)}\r\n\r\n`);
  });
});

it('a proxy that nobody listens at is unreachable', async () => {
  const { connect } = connectorThrough('http://127.0.0.1:1', 5000);
  const error = await connect(address).catch((outcome: Error) => outcome);
  expect(error).toBeInstanceOf(ProxyFault);
  expect((error as ProxyFault).facts).toEqual({ problem: 'unreachable' });
});
