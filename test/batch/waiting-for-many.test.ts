// A batch that waits for many posts: all changes go out first, what still moves is looked at by the rules of a single
// wait, and nothing is lost or repeated when it is stopped.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { countingServer, idList, idOf, post, type Reply } from '../support/counting-server.ts';
import { socialInProcess } from '../support/in-process.ts';
import { bareEnv, freshHome, launcher } from '../support/program.ts';

/** A service that publishes what it is asked to retry: `after` gives the answer to each look, from 1. */
async function publisher(after: (id: string, look: number) => Reply, change: Partial<Reply> = {}) {
  const log: string[] = [];
  const retried = new Set<string>();
  const looks = new Map<string, number>();
  const service = await countingServer((id, method) => {
    if (method === 'POST') {
      retried.add(id);
      log.push(`POST ${id}`);
      return { body: post(id, 'publishing'), ...change };
    }
    if (!retried.has(id)) return { body: post(id, 'failed', { error: 'HTTP 503' }) };
    const look = (looks.get(id) ?? 0) + 1;
    looks.set(id, look);
    log.push(`look ${id}`);
    return after(id, look);
  });
  const posts = () => [...service.counts].filter(([name]) => name.startsWith('POST'));
  return {
    ...service,
    log,
    looks,
    posts,
    env: { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: 't' },
  };
}

function listOf(count: number) {
  const home = freshHome();
  const list = join(home, 'ids.txt');
  writeFileSync(list, idList(count));
  return { home, list, journal: join(home, 'journal') };
}

const moving = (id: string): Reply => ({ body: post(id, 'publishing') });
const settled = (id: string): Reply => ({ body: post(id, 'published') });

describe('a wait for many records', () => {
  it('takes no place: all changes are sent before the first poll, and each is polled like a single wait', async () => {
    const service = await publisher((id, look) => (look < 4 ? moving(id) : settled(id)));
    const { home, list } = listOf(30);
    const wait = ['--wait', '--interval', '100ms', '--json'];
    const outcome = await socialInProcess(
      ['posts', 'retry', '--from', list, '--concurrency', '2', ...wait],
      { home, env: service.env },
    );
    expect(outcome.exitCode).toBe(0);
    const first = service.log.findIndex((line) => line.startsWith('look'));
    // The place beside the last change is free already.
    expect(first).toBeGreaterThanOrEqual(29);
    expect(service.maxInFlight()).toBeLessThanOrEqual(2);
    for (const [, count] of service.posts()) expect(count).toBe(1);
    for (const [, looks] of service.looks) expect(looks).toBe(4);
    expect(outcome.stdout.trim().split('\n')).toHaveLength(30);
    expect(outcome.stderr).toContain('30 of 30 published');
  });
});

describe('kill -9', () => {
  const never = new Promise(() => undefined);
  it.each([
    ['before the intent', 'GET', 1, 0],
    ['between intent and answer', 'POST', 1, 0],
    ['between intent and a retry that is never made', 'POST', 1, 1],
    ['while all of it waits', 'look', 6, 0],
    ['while it settles', 'settled', 2, 0],
  ] as const)('%s loses nothing and repeats nothing', async (phase, kind, count, unknown) => {
    let open = false;
    const seen = { GET: 0, POST: 0, look: 0, settled: 0 };
    const retried = new Set<string>();
    let isLastSent = false;
    const service = await countingServer((id, method) => {
      const held = (name: keyof typeof seen): Partial<Reply> => {
        seen[name]++;
        return !open && name === kind && seen[name] >= count ? { until: never } : {};
      };
      if (method === 'POST') {
        const answer = { body: post(id, 'publishing'), ...held('POST') };
        if (open || unknown === 0) retried.add(id);
        return answer;
      }
      if (!retried.has(id)) return { body: post(id, 'failed'), ...held('GET') };
      // No post finishes before the last one is waited for: until then a change is in progress.
      isLastSent ||= id === idOf(5);
      const isDone = open || (kind === 'settled' && isLastSent && id < idOf(3));
      return isDone
        ? { body: post(id, 'published'), ...held('settled') }
        : { body: post(id, 'publishing'), ...held('look') };
    });
    const { home, list, journal } = listOf(6);
    const env = { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: 't' };
    const argv = ['posts', 'retry', '--from', list, '--journal', journal, '--wait', '--json'];
    const options = ['--interval', '50ms', '--concurrency', '1'];
    const child = spawn(process.execPath, [launcher, ...argv, ...options], {
      env: bareEnv(home, env),
      stdio: 'ignore',
    });
    while (seen[kind] < count) await new Promise((resolve) => setTimeout(resolve, 5));
    child.kill('SIGKILL');
    await once(child, 'exit');
    open = true;
    const next = await socialInProcess([...argv, ...options], { home, env });
    expect({ phase, exitCode: next.exitCode }).toEqual({ phase, exitCode: unknown > 0 ? 12 : 0 });
    const posts = [...service.counts].filter(([name]) => name.startsWith('POST'));
    expect(posts.map(([, times]) => times)).toEqual([1, 1, 1, 1, 1, 1]);
    // The run after that has only unknown outcomes left.
    const last = await socialInProcess([...argv, ...options], { home, env });
    const summary =
      unknown > 0 ? 'unknown since an earlier run; not sent again' : 'all 6 already done';
    expect([last.exitCode, last.stderr + last.stdout]).toEqual([
      next.exitCode,
      expect.stringContaining(summary),
    ]);
  });
});
