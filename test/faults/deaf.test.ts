// Hosts that never answer the first packet: given up on in time, with nothing sent; and one whose IPv6 is like that
// while its IPv4 is well.

import * as http from 'node:http';
import { lookup } from 'node:dns/promises';
import { expect, it, onTestFinished } from 'vitest';
import { CANARY } from '../support/canary.ts';
import { deafPort } from '../support/deaf.ts';
import { social } from '../support/program.ts';

const get = ['posts', 'get', 'PostSpringLaunch'];
const at = (url: string, argv: readonly string[]) =>
  social(argv, { env: { SOCIAL_BASE_URL: url, SOCIAL_TOKEN: CANARY } });

it('a host that takes no connection is given up on after 10 seconds, and nothing was sent [T4]', async () => {
  const url = `http://127.0.0.1:${await deafPort('127.0.0.1')}`;
  const start = performance.now();
  const change = ['posts', 'retry', 'PostSpringLaunch', '--retries', '0', '--json'];
  const outcome = await at(url, change);
  const took = performance.now() - start;
  expect(outcome).toMatchObject({ exitCode: 9, stdout: '' });
  expect(JSON.parse(outcome.stderr)).toMatchObject({
    error: {
      message: `no connection to ${url.slice(7)} within 10 s`,
      sent: false,
      outcome: 'none',
    },
  });
  expect(took).toBeGreaterThan(9500);
  expect(took).toBeLessThan(13_000);
});

it('a time limit shorter than that is kept [T4]', async () => {
  const url = `http://127.0.0.1:${await deafPort('127.0.0.1')}`;
  const start = performance.now();
  const outcome = await at(url, [...get, '--retries', '1', '--timeout', '300ms']);
  expect(outcome.exitCode).toBe(9);
  expect(outcome.stderr).toContain('no connection within 0.3 s');
  expect(performance.now() - start).toBeLessThan(3000);
});

const families = await lookup('localhost', { all: true });

it.runIf(families.some(({ family }) => family === 6))(
  'broken IPv6 costs a host with both families a moment [T5]',
  async () => {
    const port = await deafPort('::1');
    const server = http.createServer((_request, response) => response.end('{"ok":true,"data":{}}'));
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const start = performance.now();
    expect((await at(`http://localhost:${port}`, get)).exitCode).toBe(0);
    expect(performance.now() - start).toBeLessThan(2000);
  },
);
