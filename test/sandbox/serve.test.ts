// The socket of the sandbox: who may talk to it, what it survives, how it ends.

import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { resetSandbox } from '../../src/sandbox/contents.ts';
import { startSandbox } from '../../src/sandbox/serve.ts';
import { exchange, requestText } from './raw.ts';
import { openSandbox, START } from './sandbox.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);

type Case = [status: number, what: string, headers: readonly string[], line?: string];

it.each<Case>([
  [200, 'its name', ['Host: LocalHost:7']],
  [200, 'its IPv6 address', ['Host: [::1]']],
  [421, 'another name, as after DNS rebinding', ['Host: evil.example']],
  [421, 'a name that begins like its own', ['Host: 127.0.0.1.evil.example']],
  [421, 'a Host that is no name', ['Host: 127.0.0.1@evil.example']],
  [400, 'two Hosts', ['Host: 127.0.0.1', 'Host: evil.example']],
  [400, 'no Host', [], 'GET PATH HTTP/1.0'],
  [400, 'an absolute address', ['Host: 127.0.0.1'], 'GET http://127.0.0.1PATH HTTP/1.1'],
  [403, 'a page of another site', ['Host: 127.0.0.1', 'Origin: https://evil.example']],
  [403, 'a page without an origin', ['Host: 127.0.0.1', 'Origin: null']],
  [403, 'a page of another port', ['Host: 127.0.0.1', 'Sec-Fetch-Site: same-site']],
  [403, 'a preflight', ['Host: 127.0.0.1', 'Origin: https://a.example'], 'OPTIONS PATH HTTP/1.1'],
])('the sandbox responds %i to %s', async (status, _what, headers, line = 'GET PATH HTTP/1.1') => {
  const { url, token } = await openSandbox();
  const path = '/v1/posts/PostSpringLaunch';
  const head = [`Authorization: Bearer ${token}`, ...headers];
  const answer = await exchange(url, requestText(line.replace('PATH', path), head));
  expect(statusOf(answer)).toBe(status);
  expect(answer.includes('Spring launch')).toBe(status === 200);
  expect(answer.toLowerCase()).not.toContain('access-control');
});

it('the sandbox refuses a body over 1 MiB, with and without its length, and one that is not UTF-8', async () => {
  const { url, token, call } = await openSandbox();
  const head = [
    `Host: 127.0.0.1:${new URL(url).port}`,
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
  ];
  const line = 'POST /v1/posts/PostSpringLaunch/retry HTTP/1.1';
  const big = 'x'.repeat(1_048_577);
  const counted = await exchange(
    url,
    requestText(line, [...head, `Content-Length: ${big.length}`]),
    big,
  );
  expect(statusOf(counted)).toBe(413);
  const chunked = requestText(line, [...head, 'Transfer-Encoding: chunked']);
  const endless = await exchange(
    url,
    chunked,
    `${big.length.toString(16)}\r\n`,
    big,
    '\r\n0\r\n\r\n',
  );
  expect(statusOf(endless)).toBe(413);
  const latin1 = await exchange(
    url,
    requestText(line, [...head, 'Content-Length: 3']),
    Buffer.from([0x22, 0xe9, 0x22]),
  );
  expect(statusOf(latin1)).toBe(400);
  const just = `{"targetIds":["TargetSpringLink"]${' '.repeat(1_048_000)}}`;
  expect((await call('POST', '/v1/posts/PostSpringLaunch/retry', just)).status).toBe(200);
});

it('the sandbox stops at once, with idle connections', async () => {
  const sandbox = await startSandbox({
    stateDir: temporaryFolder(),
    now: () => START,
    note: () => {},
  });
  const idle = connect(Number(new URL(sandbox.url).port), '127.0.0.1');
  await new Promise((done) => idle.on('connect', done));
  const ended = new Promise((done) => idle.on('close', () => done('ended')).on('error', () => {}));
  await sandbox.close();
  expect(await ended).toBe('ended');
});

it('a reset works while the server runs, and keeps the token', async () => {
  const { call, folder, samples, token } = await openSandbox();
  const path = `/v1/ads/audiences/${samples.audienceId}`;
  await call('DELETE', path);
  await resetSandbox({ stateDir: folder, now: () => START });
  // The audience is there again, and the server that runs on knows its token still.
  expect((await call('DELETE', path)).status).toBe(200);
  await resetSandbox({ stateDir: folder, now: () => START });
  const again = await openSandbox(folder);
  expect(again.token).toBe(token);
  // Another folder is another sandbox.
  expect((await openSandbox()).token).not.toBe(token);
  expect((await again.call('DELETE', path)).status).toBe(200);
});
