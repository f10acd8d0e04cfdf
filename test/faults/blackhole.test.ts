// Hosts that never answer the first packet: given up on in time, with nothing sent. And names with two addresses, of
// which one is like that, or refuses, while the other is well.

import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CANARY } from '../support/token-leak-check.ts';
import { blackholePort } from '../support/blackhole-port.ts';
import { targetPost, targets } from '../support/posts.ts';
import { closedPort } from '../support/misbehaving-server.ts';
import { apart, social } from '../support/program.ts';
import { times } from '../properties/times.ts';

const get = ['posts', 'get', 'PostSpringLaunch'];
const at = (url: string, argv: readonly string[]) =>
  social(argv, { env: { SOCIAL_BASE_URL: url, SOCIAL_TOKEN: CANARY } });

/** Ten seconds are waited for on demand; client/transport/connect has shorter limits. */
const isOnDemand = times(0, 1).numRuns > 0;

it.runIf(isOnDemand)(
  'a host that accepts no connection fails after 10 seconds, and nothing was sent',
  async () => {
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
  },
);

const HOSTS = `printf '::1 localhost\\n127.0.0.1 localhost\\n' > "$HOME/hosts"
mount --bind "$HOME/hosts" /etc/hosts`;
const canSeparate =
  spawnSync('unshare', ['-rm', 'mount', '--bind', '/dev/null', '/etc/hosts']).status === 0;

/** Runs a line where `localhost` has both addresses: in a Linux namespace, with a file of hosts of its own. */
const withBoth = (port: number, argv: readonly string[]) =>
  apart('-rm', HOSTS, argv, { SOCIAL_BASE_URL: `http://localhost:${port}`, SOCIAL_TOKEN: CANARY });

/** A service at one address; the methods that it was asked by. */
async function serviceAt(host: string, port = 0) {
  const methods: string[] = [];
  const post = { ...targetPost([targets.twitter('published')]), id: 'PostSpringLaunch' };
  const server = http.createServer(({ method }, response) => {
    methods.push(method!);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ ok: true, data: post }));
  });
  await once(server.listen(port, host), 'listening');
  onTestFinished(() => void server.close());
  return { methods, port: (server.address() as AddressInfo).port };
}

/** A port that never answers at ::1 and serves at 127.0.0.1: another's server may have the same number there. */
async function halfDeafPort(): Promise<number> {
  for (let tries = 1; ; tries++) {
    const port = await blackholePort('::1');
    try {
      await serviceAt('127.0.0.1', port);
      return port;
    } catch (error) {
      if (tries === 5 || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
}

describe.runIf(canSeparate)('a host name with two addresses', () => {
  it('of which the first is silent costs a moment', async () => {
    const port = await halfDeafPort();
    const start = performance.now();
    expect(await withBoth(port, get)).toMatchObject({ exitCode: 0, stderr: '' });
    // A connection is given up on after ten seconds.
    expect(performance.now() - start).toBeLessThan(7000);
  });

  it.each(['127.0.0.1', '::1'])(
    'of which only %s has a listener is reached there, a change once',
    async (host) => {
      const { methods, port } = await serviceAt(host, await closedPort());
      const change = ['posts', 'retry', 'PostSpringLaunch', '--retries', '0', '--json', '-q'];
      const { exitCode, stderr } = await withBoth(port, change);
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
      expect(methods).toEqual(['POST']);
    },
  );
});
