// A proxy in between: what goes through it, what never may, and what is said when it will not work. The proxy is
// the test's own; the host behind it exists for nobody but the proxy.

import * as net from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { CANARY } from '../support/canary.ts';
import { makeCertificates, secureServer, type Certificates } from '../support/certificates.ts';
import { deafPort } from '../support/deaf.ts';
import { social } from '../support/program.ts';
import { recorder } from '../support/recorder.ts';
import { deadPort } from '../support/rogue.ts';

let certificates: Certificates;
beforeAll(() => {
  certificates = makeCertificates();
});
afterAll(() => certificates.remove());

const PASSWORD = 'pro%78y-pa55word';
const get = ['posts', 'get', 'PostSpringLaunch', '--retries', '0'];
const change = ['posts', 'retry', 'PostSpringLaunch'];

/** A proxy that keeps what it was asked, and answers CONNECT as it is told or by connecting to `port`. */
async function proxy(answer: string | number) {
  const heads: string[] = [];
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (chunk) => {
      heads.push(chunk.toString('latin1'));
      if (typeof answer === 'string') {
        socket.end(`HTTP/1.1 ${answer}\r\n\r\n`);
        return;
      }
      const there = net.connect(answer, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        socket.pipe(there).pipe(socket);
      });
      there.on('error', () => socket.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as net.AddressInfo;
  return { url: `http://user:${PASSWORD}@127.0.0.1:${port}`, host: `127.0.0.1:${port}`, heads };
}

async function through(
  HTTPS_PROXY: string,
  argv: readonly string[],
  env: Record<string, string> = {},
) {
  const all = { SOCIAL_BASE_URL: 'https://api.test', SOCIAL_TOKEN: CANARY, HTTPS_PROXY, ...env };
  const outcome = await social([...argv, '--cacert', certificates.ca], { env: all });
  for (const text of [PASSWORD, decodeURIComponent(PASSWORD), 'user:'])
    expect(outcome.stdout + outcome.stderr).not.toContain(text);
  return outcome;
}

describe('a proxy', () => {
  it('carries requests to the service, and sees no token', async () => {
    const server = await secureServer(certificates.pair('good'));
    const { url, heads } = await proxy(server.port);
    expect((await through(url, get)).exitCode).toBe(0);
    expect(server.paths).toEqual(['/v1/posts/PostSpringLaunch']);
    expect(heads[0]).toMatch(/^CONNECT api\.test:443 HTTP\/1\.1\r\n/);
    expect(heads.join()).not.toContain(CANARY);
  });

  it.each([
    ['407 Proxy Authentication Required', '407'],
    ['502 Bad Gateway', '502'],
  ])('that answers %s has sent nothing on, also for a change [T24]', async (answer, status) => {
    const { url, host } = await proxy(answer);
    for (const argv of [get, [...change, '--retries', '0']]) {
      const outcome = await through(url, [...argv, '--debug']);
      expect(outcome).toMatchObject({ exitCode: 9, stdout: '' });
      expect(outcome.stderr).toContain(`error: proxy ${host} answered ${status}\n`);
    }
    const { stderr } = await through(url, [...change, '--retries', '0', '--json']);
    expect(JSON.parse(stderr.trim())).toMatchObject({ error: { sent: false, outcome: 'none' } });
  });

  it('that never answers is given up on in time, and nothing was sent [T24]', async () => {
    const { url } = await proxy(await deafPort('127.0.0.1'));
    const start = performance.now();
    const outcome = await through(url, [...change, '--retries', '0', '--timeout', '400ms']);
    expect(outcome.exitCode).toBe(9);
    expect(outcome.stderr).toContain('no connection within 0.4 s');
    expect(performance.now() - start).toBeLessThan(3000);
  });

  it('that nobody runs is named, and nothing was sent [T24]', async () => {
    const host = `127.0.0.1:${await deadPort()}`;
    const outcome = await through(`http://user:${PASSWORD}@${host}`, [...change, '--retries', '0']);
    expect(outcome).toMatchObject({ exitCode: 9, stdout: '' });
    expect(outcome.stderr).toContain(`connection refused by proxy ${host}`);
  });

  it.each([
    `socks5://user:${PASSWORD}@127.0.0.1:1080`,
    `127.0.0.1:3128`,
    `http://user:${PASSWORD}@:80:80`,
    `user:${PASSWORD}`,
    // What cannot be decoded cannot be told to the proxy.
    `http://user:${decodeURIComponent(PASSWORD)}%@127.0.0.1:3128`,
  ])('at an address that is none is refused without being shown: %# [T27]', async (url) => {
    const outcome = await through(url, get);
    expect(outcome).toMatchObject({ exitCode: 2, stdout: '' });
    expect(outcome.stderr).toContain('HTTPS_PROXY is not a valid http(s) proxy url');
    expect(outcome.stderr).not.toContain('127.0.0.1');
  });

  it('for plain http is not used: the service is on this machine [T25]', async () => {
    const service = await recorder();
    const { url, heads } = await proxy('200 OK');
    const env = { HTTP_PROXY: url, http_proxy: url, SOCIAL_BASE_URL: service.url };
    expect((await through(url, get, env)).exitCode).toBe(0);
    expect({ reached: service.requests.length, heads }).toEqual({ reached: 1, heads: [] });
  });
});

describe('NO_PROXY', () => {
  it.each([
    ['api.test', true],
    ['.test', true],
    ['*', true],
    ['other.test, api.test', true],
    ['api.test:443', true],
    ['api.test:8443', false],
    ['pi.test', false],
    ['', false],
  ])('%j: goes past the proxy is %s [T26]', async (NO_PROXY, past) => {
    const { url, heads } = await proxy('403 Forbidden');
    for (const name of ['NO_PROXY', 'no_proxy']) {
      const { exitCode, stderr } = await through(url, get, { [name]: NO_PROXY });
      expect({ exitCode, past: !stderr.includes('answered 403') }).toEqual({ exitCode: 9, past });
    }
    expect(heads).toHaveLength(past ? 0 : 2);
  });

  it('names an IPv6 address too, and https_proxy counts like HTTPS_PROXY [T26]', async () => {
    const { url, heads } = await proxy('403 Forbidden');
    const env = {
      SOCIAL_BASE_URL: 'https://[fd00::1]:9',
      https_proxy: url,
      SOCIAL_TIMEOUT: '300ms',
    };
    expect((await through('', get, env)).stderr).toContain('answered 403');
    await through('', get, { ...env, no_proxy: '[fd00::1]' });
    expect(heads).toHaveLength(1);
  });
});
