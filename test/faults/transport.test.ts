// Requests in transit, with the built program: stale connections, and times in which the process is suspended.

import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { CANARY } from '../support/token-leak-check.ts';
import { targetPost, targets } from '../support/posts.ts';
import { begin, social } from '../support/program.ts';
import {
  rawResponse,
  misbehavingServer,
  type SocketHandler,
} from '../support/misbehaving-server.ts';
import { needsUnix } from '../support/unix.ts';

const envAt = (url: string) => ({ SOCIAL_BASE_URL: url, SOCIAL_TOKEN: CANARY });
const postOf = (path: string) => ({
  ...targetPost([targets.twitter('published')]),
  id: /\/v1\/posts\/(\w+)/.exec(path)![1]!,
});
const ok = (data: object) => rawResponse('200 OK', {}, JSON.stringify({ ok: true, data }));

/** Letters alone, sixteen of them. */
const idOf = (number: number) => `PostForTheTests${String.fromCodePoint(65 + number)}`;

/** Answers the first request of each connection, and ends the connection when another comes. */
async function forgetful() {
  const used = new WeakSet<Socket>();
  const answered: string[] = [];
  const trick: SocketHandler = (socket, _number, path) => {
    if (used.has(socket)) {
      socket.resetAndDestroy();
      return;
    }
    used.add(socket);
    answered.push(path);
    socket.write(ok(postOf(path)));
  };
  return { answered, ...(await misbehavingServer(trick)) };
}

describe('a kept connection that is stale', () => {
  it('leaves the outcome of a settleable change unknown, and it is sent once', async () => {
    const service = await forgetful();
    const argv = ['posts', 'retry', ...[0, 1, 2].map(idOf), '--concurrency', '1', '--json', '-q'];
    const { exitCode, stdout } = await social(argv, { env: envAt(service.url) });
    expect(exitCode).toBe(12);
    const outcomes = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).error?.outcome ?? 'ok');
    // The read that follows a lost answer leaves the connection that the third meets.
    expect(outcomes).toEqual(['ok', 'unknown', 'unknown']);
    expect(service.requests('POST')).toBe(3);
  });
});

describe('a process that is suspended and resumed', () => {
  it('does not catch up: no burst of requests, the same rate', async () => {
    needsUnix('signals');
    const came: number[] = [];
    const service = await misbehavingServer((socket, _number, path) => {
      came.push(performance.now());
      socket.write(ok(postOf(path)));
    });
    const ids = Array.from({ length: 14 }, (_, i) => idOf(i));
    const argv = ['posts', 'get', ...ids, '--rate', '10/s', '--concurrency', '8', '--json', '-q'];
    const running = begin(argv, { env: envAt(service.url) });
    await expect.poll(() => came.length, { interval: 5, timeout: 15_000 }).toBeGreaterThan(3);
    process.kill(running.pid!, 'SIGSTOP');
    await sleep(1200);
    const [before, woken] = [came.length, performance.now()];
    process.kill(running.pid!, 'SIGCONT');
    expect(await running).toMatchObject({ exitCode: 0 });
    expect(service.requests()).toBe(14);
    const soon = came.slice(before).filter((at) => at - woken < 250);
    expect(soon.length).toBeLessThanOrEqual(4);
  });
});
