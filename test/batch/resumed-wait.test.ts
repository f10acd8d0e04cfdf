// A batch is killed while it waits and run again with its journal: it continues to wait for the targets that the first
// run retried, however these were chosen.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { countingServer, idList, idOf } from '../support/counting-server.ts';
import { socialInProcess } from '../support/in-process.ts';
import { targetPost, targets, type ScriptedTarget } from '../support/posts.ts';
import { begin, freshHome, social } from '../support/program.ts';

const { linkedin, mastodon, twitter } = targets;
const busy = twitter('failed', 'Twitter answered 503 Service Unavailable.');
const expired = linkedin('failed', 'The session has expired.');
const posted = { ...mastodon('failed', 'HTTP 503'), platformPostId: '110' };
const [BUSY, EXPIRED] = [busy.id, expired.id];

const after = (of: readonly ScriptedTarget[], ids: readonly string[], status: string) =>
  of.map((each) => (ids.includes(each.id) ? { ...each, status, error: undefined! } : each));

interface Night {
  readonly flags: readonly string[];
  /** The targets before a retry. */
  readonly before: readonly ScriptedTarget[];
  /** Those that move by it. */
  readonly moves: readonly string[];
  /** The records; one ID a line unless given. */
  readonly list?: string;
  /** True if the second run, which only waits, is killed too. */
  readonly isKilledTwice?: boolean;
}

/** Kills a batch of two posts that waits, has the targets published, and runs it again. */
async function killedAndResumed({ flags, before, moves, list = idList(2), ...more }: Night) {
  let isOpen = false;
  const seen = { looks: 0 };
  const retried = new Set<string>();
  const service = await countingServer((id, method) => {
    const answer = (of: readonly ScriptedTarget[]) => ({
      body: JSON.stringify({ ok: true, data: { ...targetPost(of), id } }),
    });
    if (method === 'POST') retried.add(id);
    else if (retried.has(id)) seen.looks++;
    if (!retried.has(id)) return answer(before);
    return answer(after(before, moves, isOpen ? 'published' : 'publishing'));
  });
  const home = freshHome();
  const [records, journal] = [join(home, 'records'), join(home, 'journal')];
  writeFileSync(records, list);
  const argv = ['posts', 'retry', '--from', records, '--journal', journal, '--json', '-y'];
  const line = [...argv, '--interval', '50ms', ...flags];
  const setting = { home, env: { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: 't' } };
  const kill = async () => {
    seen.looks = 0;
    const run = begin(line, setting);
    const ended = new AbortController();
    const end = run.finally(() => ended.abort());
    while (seen.looks < 4 && !ended.signal.aborted)
      await new Promise((resolve) => setTimeout(resolve, 5));
    run.kill('SIGKILL');
    const { signal, stderr } = await end;
    expect({ signal, stderr }).toMatchObject({ signal: 'SIGKILL' });
  };
  await kill();
  const { isKilledTwice = false } = more;
  if (isKilledTwice) await kill();
  isOpen = true;
  const resume = isKilledTwice ? social : socialInProcess;
  const { exitCode, stdout, stderr } = await resume(line, setting);
  const posts = [...service.counts].filter(([name]) => name.startsWith('POST'));
  for (const [, count] of posts) expect(count).toBe(1);
  expect(posts).toHaveLength(2);
  // The other target has not been retried, so the post is read once more, and nothing is sent.
  const last = await socialInProcess(line, setting);
  expect([last.exitCode, last.stderr]).toEqual([0, expect.stringContaining('2 of 2 published')]);
  expect([...service.counts].filter(([name]) => name.startsWith('POST'))).toEqual(posts);
  return { exitCode, stdout, stderr };
}

describe('a wait that is resumed after kill -9', () => {
  it.each<readonly [string, Night]>([
    [
      'of --cause',
      {
        flags: ['--wait', '--cause', 'temporary'],
        before: [busy, expired],
        moves: [BUSY],
        isKilledTwice: true,
      },
    ],
    [
      'of a canary',
      {
        flags: ['--canary', '2', '--wait', '--cause', 'temporary'],
        before: [busy, expired],
        moves: [BUSY],
      },
    ],
    ['of --failed', { flags: ['--wait', '--failed'], before: [busy, posted], moves: [BUSY] }],
    [
      'of records that name more targets',
      {
        flags: ['--wait', '--platform', 'twitter'],
        before: [busy, expired],
        moves: [BUSY],
        list: [0, 1]
          .map((n) => `${JSON.stringify({ postId: idOf(n), targetIds: [EXPIRED, BUSY] })}\n`)
          .join(''),
      },
    ],
  ])('%s counts the targets that were retried', async (_what, night) => {
    const { exitCode, stdout, stderr } = await killedAndResumed(night);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: expect.stringContaining('2 of 2 published'),
    });
    const records = stdout.trim().split('\n');
    expect(records.map((record) => (JSON.parse(record) as { ok: boolean }).ok)).toEqual([
      true,
      true,
    ]);
  });
});
