// The published part of a record is never sent again: by the same line, by other lists, after a canary, with a journal
// and, if the post is read anyway, without one.

import { savedLines } from '../support/saved-list.ts';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { idOf } from '../support/counting-server.ts';
import { socialInProcess } from '../support/in-process.ts';
import { targetPost, targets } from '../support/posts.ts';
import { freshHome, social } from '../support/program.ts';
import { recordingServer, successResponse } from '../support/recording-server.ts';

const { linkedin, twitter } = targets;
const [A, B] = [twitter('failed').id, linkedin('failed').id];
const P = idOf(1);
const both = JSON.stringify({ postId: P, targetIds: [A, B] });
const alone = JSON.stringify({ postId: P, targetIds: [A] });

type Program = typeof social | typeof socialInProcess;

/** Posts of two targets: A is published whenever it is asked for, B fails at first. */
async function night(program: Program) {
  const status = new Map<string, Record<string, string>>();
  const isGood = { now: false };
  const read = (id: string) => status.get(id) ?? { [A]: 'failed', [B]: 'failed' };
  const sent: (readonly string[] | 'all')[] = [];
  const times = { updatedAt: 0 };
  const service = await recordingServer((_number, { method, target, body }) => {
    const id = target.split('/')[3]!;
    const now = { ...read(id) };
    if (method === 'POST') {
      const { targetIds } = JSON.parse(body) as { targetIds?: string[] };
      sent.push(targetIds ?? 'all');
      for (const each of targetIds ?? [A, B])
        now[each] = each === A || isGood.now ? 'published' : 'failed';
      times.updatedAt++;
    }
    status.set(id, now);
    const at = `2026-03-02T13:00:${String(times.updatedAt).padStart(2, '0')}.000Z`;
    const of = [twitter(now[A]!, undefined, at), linkedin(now[B]!, 'HTTP 503', at)];
    // The failure is dated after the answer, so that a wait sees that it is new.
    if (method === 'POST') times.updatedAt++;
    return successResponse(JSON.stringify({ ...targetPost(of), id }));
  });
  const home = freshHome();
  const [list, journal] = [join(home, 'list'), join(home, 'journal')];
  const env = { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: 't' };
  const run = (...argv: string[]) =>
    program(['posts', 'retry', ...argv, '--interval', '50ms'], { home, env });
  const from = (lines: readonly string[], ...more: string[]) => {
    fs.writeFileSync(list, `${lines.join('\n')}\n`);
    return run('--from', list, ...more);
  };
  return { run, from, sent, isGood, list, journal, home };
}

describe('with a journal, a published target is not sent again', () => {
  it.each<readonly [string, readonly string[], readonly string[], string[], unknown[]]>([
    ['by the same line', [both], [both], ['--wait'], [[A, B], [B]]],
    ['by the line of a canary', [both], [both], ['--canary', '1'], [[A, B], [B]]],
    ['by a record of the post', [both], [P], ['--wait'], [[A, B], [B]]],
    ['by a record of the target alone', [both], [alone], ['--wait'], [[A, B]]],
    ['after a run of the whole post, by the target alone', [P], [alone], ['--wait'], [[A, B]]],
    ['after a run of the whole post, by the whole post again', [P], [P], ['--wait'], [[A, B], [B]]],
    [
      'by one record for each target',
      [both],
      [alone, alone.replace(A, B)],
      ['--wait'],
      [[A, B], [B]],
    ],
  ])('%s', async (what, first, then, flags, sent) => {
    const { from, journal, ...seen } = await night(
      what === 'by the same line' ? social : socialInProcess,
    );
    expect((await from(first, '--journal', journal, ...flags)).exitCode).toBe(11);
    seen.isGood.now = true;
    expect((await from(then, '--journal', journal, ...flags)).exitCode).toBe(0);
    expect(seen.sent).toEqual(sent);
    expect((await from(then, '--journal', journal, ...flags)).stderr).toContain(
      `all ${then.length} already done`,
    );
    expect(seen.sent).toHaveLength(sent.length);
  });
});

describe('without a journal, when the post is read anyway', () => {
  it('a published target is skipped, with a note', async () => {
    const { run, sent, isGood } = await night(social);
    expect((await run(P, '--target', A, '--target', B, '--wait')).exitCode).toBe(10);
    isGood.now = true;
    const again = await run(P, '--target', A, '--target', B, '--wait');
    expect(again.exitCode).toBe(0);
    expect(again.stderr).toContain(`skipped twitter ${A}: already published\n`);
    expect(sent).toEqual([[A, B], [B]]);
    const last = await run(P, '--target', A, '--target', B, '--wait');
    expect(last.exitCode).toBe(0);
    expect(last.stderr).toContain(`nothing to retry in ${P}; nothing was changed\n`);
    expect(sent).toHaveLength(2);
  });

  it('a list is sent without published targets, and --failures-to has only the failed ones', async () => {
    const { from, sent, isGood, home } = await night(socialInProcess);
    const left = join(home, 'left');
    expect((await from([both], '--wait', '--failures-to', left)).exitCode).toBe(11);
    expect(savedLines(left).map((line) => JSON.parse(line) as unknown)).toEqual([
      { postId: P, targetIds: [B] },
    ]);
    isGood.now = true;
    const again = await from([both], '--wait');
    expect(again).toMatchObject({ exitCode: 0 });
    expect(again.stderr).toContain('skipped 1 target: already published\n');
    expect(sent).toEqual([[A, B], [B]]);
  });
});
