// A proxy in between: the requests that use it, those that never may, and the messages when it fails. The proxy is part
// of the test; only the proxy can reach the host behind it.

import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cancelledFailure } from '../../src/base/errors.ts';
import { CANARY } from '../support/token-leak-check.ts';
import { makeCertificates, secureServer, type Certificates } from '../support/certificates.ts';
import { blackholePort } from '../support/blackhole-port.ts';
import { socialInProcess } from '../support/in-process.ts';
import { social } from '../support/program.ts';
import {
  respondWith,
  closeWith,
  proxyServer,
  PROXY_PASSWORD,
  tunnelTo,
  type ConnectHandler,
} from '../support/proxy.ts';
import { recordingServer } from '../support/recording-server.ts';
import { closedPort } from '../support/misbehaving-server.ts';
import { listenOnLoopback } from '../support/listen.ts';
import { needsUnix } from '../support/unix.ts';

let certificates: Certificates;
beforeAll(() => {
  certificates = makeCertificates();
});
afterAll(() => certificates.remove());

const get = ['posts', 'get', 'PostSpringLaunch', '--retries', '0'];
const change = ['posts', 'retry', 'PostSpringLaunch', '--retries', '0'];

/** The environment in which everything but this machine is reached through a proxy. */
const behind = (HTTPS_PROXY: string, env: Record<string, string> = {}) => ({
  SOCIAL_BASE_URL: 'https://api.test',
  SOCIAL_TOKEN: CANARY,
  HTTPS_PROXY,
  ...env,
});

async function through(
  HTTPS_PROXY: string,
  argv: readonly string[],
  env: Record<string, string> = {},
  run: typeof social | typeof socialInProcess = socialInProcess,
) {
  const setting = { env: behind(HTTPS_PROXY, env) };
  const outcome = await run([...argv, '--cacert', certificates.ca], setting);
  expectNoPassword(outcome);
  return outcome;
}

function expectNoPassword({ stdout, stderr }: { stdout: string; stderr: string }) {
  const plain = decodeURIComponent(PROXY_PASSWORD);
  const sent = Buffer.from(`user:${plain}`).toString('base64');
  for (const text of [PROXY_PASSWORD, plain, sent, 'user:'])
    expect(stdout + stderr).not.toContain(text);
}

/** Answers, and then sends one byte at a time. */
const dripping =
  (text: string): ConnectHandler =>
  (socket) => {
    socket.write(text, 'latin1');
    const timer = setInterval(() => socket.write('x'), 50);
    socket.on('close', () => clearInterval(timer));
  };

/** A port that reads and never says anything. */
async function silentPort() {
  let isThere: () => void;
  const asked = new Promise<void>((resolve) => (isThere = resolve));
  const server = createServer((socket) => void socket.once('data', () => isThere()));
  return { port: await listenOnLoopback(server), asked };
}

/** Resolves when one more than now wait to be let in at a port: by the system's table, where it has one. */
async function knocked(port: number): Promise<void> {
  needsUnix('devices and no /proc');
  const table = '/proc/net/tcp';
  if (!existsSync(table)) return sleep(400);
  const begun = ` 0100007F:${port.toString(16).toUpperCase().padStart(4, '0')} 02 `;
  const count = () => readFileSync(table, 'utf8').split(begun).length;
  const before = count();
  while (count() === before) await sleep(10);
}

/** A point on the way to the service at which every request stops. */
interface Stand {
  readonly url: string;
  /** Resolves when the program has come there. */
  readonly asked: Promise<unknown>;
}

const stands: readonly (readonly [where: string, open: () => Promise<Stand>])[] = [
  [
    'before it takes the connection',
    async () => {
      const port = await blackholePort('127.0.0.1');
      return { url: `http://127.0.0.1:${port}`, asked: knocked(port) };
    },
  ],
  [
    'in the TLS handshake with it',
    async () => {
      const { port, asked } = await silentPort();
      return { url: `https://127.0.0.1:${port}`, asked };
    },
  ],
  ['instead of an answer', () => proxyServer(() => undefined)],
  ['in the middle of its answer', () => proxyServer(dripping('HTTP/1.1 200 OK\r\nVia: '))],
  ['after it has opened the tunnel', () => proxyServer(respondWith('HTTP/1.1 200 OK\r\n\r\n'))],
  [
    'in the TLS handshake with the service',
    async () => {
      const { port, asked } = await silentPort();
      const { url } = await proxyServer(tunnelTo(port));
      return { url, asked };
    },
  ],
];

describe('a proxy', () => {
  it.each([false, true])(
    'carries requests to the service without seeing the token; reached by TLS: %s',
    async (secure) => {
      const server = await secureServer(certificates.pair('good'));
      const pair = secure ? certificates.pair('good') : undefined;
      const { url, heads } = await proxyServer(tunnelTo(server.port), pair);
      const run = secure ? social : socialInProcess;
      expect((await through(url, get, {}, run)).exitCode).toBe(0);
      expect(server.paths).toEqual(['/v1/posts/PostSpringLaunch']);
      const credentials = Buffer.from(`user:${decodeURIComponent(PROXY_PASSWORD)}`);
      expect(heads).toHaveLength(1);
      expect(heads[0]!.split('\r\n')).toEqual([
        'CONNECT api.test:443 HTTP/1.1',
        'host: api.test:443',
        'connection: keep-alive',
        `proxy-authorization: Basic ${credentials.toString('base64')}`,
        '',
        '',
      ]);
    },
  );

  it('that opens a tunnel to another host is detected', async () => {
    const server = await secureServer(certificates.pair('other-host'));
    const { url } = await proxyServer(tunnelTo(server.port));
    const outcome = await through(url, change);
    expect(outcome).toMatchObject({ exitCode: 9, stdout: '' });
    expect(outcome.stderr).toContain(
      'certificate of api.test is not trusted: issued for another host',
    );
    expect(server.paths).toEqual([]);
  });

  it.each([
    ['407 Proxy Authentication Required', '407'],
    ['502 Bad Gateway', '502'],
    ['302 Found\r\nLocation: /', '302'],
  ])('that responds %s has passed nothing on, also for a change', async (answer, status) => {
    const page = `HTTP/1.1 ${answer}\r\nContent-Length: 9\r\n\r\n<p>\x1b[31m`;
    const { url, host } = await proxyServer(closeWith(page));
    for (const argv of [get, change]) {
      const run = argv === change && status === '407' ? social : socialInProcess;
      const outcome = await through(url, [...argv, '--debug'], {}, run);
      expect(outcome).toMatchObject({ exitCode: 9, stdout: '' });
      expect(outcome.stderr).toContain(
        `error: no connection to api.test: proxy ${host} returned HTTP ${status}`,
      );
      expect(outcome.stderr).not.toMatch(/<p>|\x1b/);
    }
    const { stderr } = await through(url, [...change, '--json']);
    expect(JSON.parse(stderr.trim())).toMatchObject({ error: { sent: false, outcome: 'none' } });
  });

  it.each(['127.0.0.1', '[::1]'])(
    'at %s without a listener is named, and nothing was sent',
    async (number) => {
      const host = `${number}:${await closedPort()}`;
      const outcome = await through(`http://user:${PROXY_PASSWORD}@${host}`, change);
      expect(outcome).toMatchObject({ exitCode: 9, stdout: '' });
      expect(outcome.stderr).toContain(`connection refused by proxy ${host}`);
    },
  );

  it.each([
    [`socks5://user:${PROXY_PASSWORD}@127.0.0.1:1080`, ': SOCKS is not supported\n'],
    [`SOCKS5H://127.0.0.1:1080`, ': SOCKS is not supported\n'],
    [`http://user:${PROXY_PASSWORD}@:80:80`, '\n'],
    // A password that cannot be decoded cannot be sent to the proxy, and a # or / in one ends the host.
    [`http://user:${decodeURIComponent(PROXY_PASSWORD)}%@127.0.0.1:3128`, '\n  percent-encode'],
    [`http://user:12#${PROXY_PASSWORD}@127.0.0.1:3128`, '\n  percent-encode'],
    [`http://user:12/${PROXY_PASSWORD}@127.0.0.1:3128`, '\n  percent-encode'],
    [`user:12\\${PROXY_PASSWORD}@127.0.0.1:3128`, '\n  percent-encode'],
    [
      `http://user:1 ${PROXY_PASSWORD}@127.0.0.1:3128`,
      ': it contains a space or a line break\n  percent-encode',
    ],
    ['http://127.0.0.1:3128 ', ': it contains a space or a line break\n'],
    ['http://127.0.0.1:3128/proxy.pac', '\n'],
    ['ftp://127.0.0.1:3128', '\n'],
    ['"http://127.0.0.1:3128"', ': it is in quotation marks\n'],
    ["'127.0.0.1:3128", ': it is in quotation marks\n'],
    ['http://127.0.0.1:3128\r', ': it ends with a carriage return\n'],
  ])('at an invalid address is rejected without showing it: %#', async (url, words) => {
    for (const name of ['HTTPS_PROXY', 'ALL_PROXY']) {
      const outcome = await through('', get, { [name]: url });
      expect(outcome).toMatchObject({ exitCode: 2, stdout: '' });
      expect(outcome.stderr).toContain(`${name} is not a valid http(s) proxy URL${words}`);
      expect(outcome.stderr).not.toContain('127.0.0.1');
    }
  });

  it.each([
    ['HTTPS_PROXY', {}],
    ['https_proxy', { HTTPS_PROXY: 'http://127.0.0.1:9' }],
    ['ALL_PROXY', { HTTPS_PROXY: '', https_proxy: ' ' }],
    ['all_proxy', {}],
  ])('may be host:port alone, in %s, with user and password', async (name, env) => {
    const server = await secureServer(certificates.pair('good'));
    const { url, heads } = await proxyServer(tunnelTo(server.port));
    const outcome = await through('', get, { ...env, [name]: url.replace('http://', '') });
    expect(outcome.exitCode).toBe(0);
    expect(heads).toHaveLength(1);
    expect(heads[0]).toContain('proxy-authorization: Basic ');
  });

  it.each([
    ['Basic realm="x"', true, 'it did not accept the user and password in its URL'],
    ['Basic realm="x"', false, 'set user and password in its URL, percent-encoded'],
    ['Negotiate\r\nProxy-Authenticate: basic realm="x"', false, 'set user and password'],
    ['NTLM', true, 'it asks for NTLM, which is not supported'],
    ['Digest realm="Basic", nonce="x"', false, 'it asks for Digest, which is not supported'],
    ['Negotiate', false, 'it asks for Negotiate, which is not supported'],
    ['X-Odd', false, 'it asks for another method, which is not supported'],
  ])('that asks for %s: says how to log in, or that it cannot', async (method, isGiven, words) => {
    const head = `HTTP/1.1 407 No\r\nProxy-Authenticate: ${method}\r\nContent-Length: 0\r\n\r\n`;
    const { url, host, heads } = await proxyServer(closeWith(head));
    const outcome = await through(isGiven ? url : `http://${host}`, change);
    expect(outcome).toMatchObject({ exitCode: 9, stdout: '' });
    expect(outcome.stderr).toContain(`proxy ${host} returned HTTP 407\n  ${words}`);
    expect(outcome.stderr).not.toContain('\u001b');
    expect(heads).toHaveLength(1);
  });
});

describe('a silent connection', () => {
  it.each(stands)('%s: ends at the timeout, and nothing was sent', async (_, open) => {
    const { url } = await open();
    const start = performance.now();
    const outcome = await through(url, [...change, '--timeout', '300ms']);
    expect(outcome).toMatchObject({ exitCode: 9, stdout: '' });
    expect(outcome.stderr).toContain('error: no connection to api.test after 0.3s\n');
    expect(performance.now() - start).toBeLessThan(8000);
  });

  it.each(stands)('%s: ends at once with a signal', async (_, open) => {
    const { url, asked } = await open();
    const stop = new AbortController();
    const setting = { env: behind(url), signal: stop.signal };
    const running = socialInProcess([...change, '--cacert', certificates.ca], setting);
    await asked;
    const start = performance.now();
    stop.abort(cancelledFailure());
    const outcome = await running;
    expect(performance.now() - start).toBeLessThan(2000);
    expectNoPassword(outcome);
    expect(outcome).toMatchObject({ exitCode: 130, stdout: '' });
    expect(outcome.stderr).toContain('nothing was sent');
  });
});

describe('an invalid certificate of a proxy', () => {
  it.each([
    ['self-signed', 'self-signed (DEPTH_ZERO_SELF_SIGNED_CERT)'],
    ['other-host', 'issued for another host (ERR_TLS_CERT_ALTNAME_INVALID)'],
    ['expired', 'expired (CERT_HAS_EXPIRED)'],
  ] as const)('%s: is rejected, and the proxy is sent nothing', async (name, words) => {
    const { url, host, heads } = await proxyServer(respondWith(), certificates.pair(name));
    for (const env of [{}, { NODE_TLS_REJECT_UNAUTHORIZED: '0' }]) {
      // Node itself reads the variable and may warn about it, so this one runs as a process of its own.
      const run =
        name === 'self-signed' && 'NODE_TLS_REJECT_UNAUTHORIZED' in env ? social : socialInProcess;
      const outcome = await through(url, ['posts', 'get', 'PostSpringLaunch'], env, run);
      expect(outcome).toMatchObject({ exitCode: 9, stdout: '' });
      expect(outcome.stderr).toContain(`certificate of proxy ${host} is not trusted: ${words}\n`);
      expect(outcome.stderr).not.toMatch(/Warning|trace-warnings|attempts/);
    }
    expect(heads).toEqual([]);
  });

  it('is accepted from an authority of --cacert, and from no other', async () => {
    const server = await secureServer(certificates.pair('good'));
    const { url, host, heads } = await proxyServer(
      tunnelTo(server.port),
      certificates.pair('good'),
    );
    const env = { ...behind(url), NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    const trusting = await social([...get, '--cacert', certificates.ca], { env });
    expect(trusting.exitCode).toBe(0);
    expect(trusting.stderr).toContain('ignoring NODE_TLS_REJECT_UNAUTHORIZED=0\n');
    expect(trusting.stderr).not.toMatch(/Warning|trace-warnings/);
    const outcome = await socialInProcess(get, { env });
    expect(outcome).toMatchObject({ exitCode: 9, stdout: '' });
    expect(outcome.stderr).toContain(`certificate of proxy ${host} is not trusted`);
    expect(heads).toHaveLength(1);
  });
});

describe('this machine', () => {
  it('is reached without a proxy over plain http', async () => {
    const service = await recordingServer();
    const { url, heads } = await proxyServer(respondWith('HTTP/1.1 200 OK\r\n\r\n'));
    const all = { HTTP_PROXY: url, http_proxy: url, https_proxy: url, ALL_PROXY: url };
    const env = { ...all, SOCIAL_BASE_URL: service.url };
    expect((await through(url, get, env)).exitCode).toBe(0);
    expect({ reached: service.requests.length, heads }).toEqual({ reached: 1, heads: [] });
    // An invalid proxy in the variable is not an error for such a host.
    const plain = { SOCIAL_BASE_URL: service.url };
    const past = await through('socks5://127.0.0.1:1', get, plain);
    expect(past.exitCode).toBe(0);
  });

  it.each(['127.0.0.1', 'localhost', '127.1'])(
    'is reached without a proxy over https, as %s',
    async (name) => {
      const server = await secureServer(certificates.pair('good'));
      const { url, heads } = await proxyServer(tunnelTo(server.port));
      for (const variable of ['HTTPS_PROXY', 'https_proxy']) {
        const env = { [variable]: url, SOCIAL_BASE_URL: `https://${name}:${server.port}` };
        expect((await through('', get, env)).exitCode).toBe(0);
      }
      expect({ reached: server.paths.length, heads }).toEqual({ reached: 2, heads: [] });
    },
  );
});
