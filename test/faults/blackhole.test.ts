// Hosts that never answer the first packet: given up on in time, with nothing sent; and one whose IPv6 is like that
// while its IPv4 is well.

import * as http from 'node:http';
import { lookup } from 'node:dns/promises';
import { expect, it, onTestFinished } from 'vitest';
import { CANARY } from '../support/token-leak-check.ts';
import { blackholePort } from '../support/blackhole-port.ts';
import { targetPost, targets } from '../support/posts.ts';
import { social } from '../support/program.ts';

const get = ['posts', 'get', 'PostSpringLaunch'];
const at = (url: string, argv: readonly string[]) =>
  social(argv, { env: { SOCIAL_BASE_URL: url, SOCIAL_TOKEN: CANARY } });

it('a host that takes no connection is given up on after 10 seconds, and nothing was sent [T4]', async () => {
  const url = `http://127.0.0.1:${await blackholePort('127.0.0.1')}`;
  const start = performance.now();
  const change = ['posts', 'retry', 'PostSpringLaunch', '--retries', '0', '--json'];
  const outcome = await at(url, change);
  const took = performance.now() - start;
  expect(outcome).toMatchObject({ exitCode: 9, stdout: '' });
  expect(JSON.parse(outcome.stderr.trimEnd().split('\n').at(-1)!)).toMatchObject({
    error: {
      message: `no connection to ${url.slice(7)} within 10s`,
      sent: false,
      outcome: 'none',
    },
  });
  expect(took).toBeGreaterThan(9500);
  expect(took).toBeLessThan(13_000);
});

it('a time limit shorter than that is kept [T4]', async () => {
  const url = `http://127.0.0.1:${await blackholePort('127.0.0.1')}`;
  const start = performance.now();
  const outcome = await at(url, [...get, '--retries', '0', '--timeout', '1500ms']);
  const took = performance.now() - start;
  expect(outcome).toMatchObject({
    exitCode: 9,
    stdout: '',
    stderr: `error: no connection to ${url.slice(7)} after 1.5s\n`,
  });
  expect(took).toBeGreaterThan(1500);
  // Three times as long would be noticed.
  expect(took).toBeLessThan(4300);
});

const families = await lookup('localhost', { all: true });

it.runIf(families.some(({ family }) => family === 6))(
  'broken IPv6 costs a host with both families a moment [T5]',
  async () => {
    const port = await blackholePort('::1');
    const post = { ...targetPost([targets.twitter('published')]), id: 'PostSpringLaunch' };
    const server = http.createServer((_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ ok: true, data: post }));
    });
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const timed = async (host: string) => {
      const start = performance.now();
      const outcome = await at(`http://${host}:${port}`, get);
      expect(outcome).toMatchObject({ exitCode: 0, stderr: '' });
      return performance.now() - start;
    };
    const well = await timed('127.0.0.1');
    expect((await timed('localhost')) - well).toBeLessThan(1000);
  },
);
