// A proxy in between: the requests that use it, those that never may, and the messages when it fails. The proxy is part
// of the test; only the proxy can reach the host behind it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CANARY } from '../support/token-leak-check.ts';
import { makeCertificates, secureServer, type Certificates } from '../support/certificates.ts';
import { socialInProcess } from '../support/in-process.ts';
import { social } from '../support/program.ts';
import { respondWith, closeWith, proxyServer, PROXY_PASSWORD, tunnelTo } from '../support/proxy.ts';
import { recordingServer } from '../support/recording-server.ts';

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

describe('an invalid certificate of a proxy', () => {
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
});
