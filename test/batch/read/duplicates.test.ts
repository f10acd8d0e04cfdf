// Records of one post: equal ones are one, others that overlap are refused, and over several runs no target is sent
// twice.
// The service counts how often each target is named.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { countingServer, idOf, type CountingServer } from '../../support/counting-server.ts';
import { socialInProcess } from '../../support/in-process.ts';
import { freshHome, social } from '../../support/program.ts';

const [A, B, C] = ['TargetSpringLink', 'TargetSpringMast', 'TargetSpringBlue'] as const;
const P = idOf(1);

const record = (...targetIds: string[]) => JSON.stringify({ postId: P, targetIds });

function setup(
  service: CountingServer,
  program: typeof social | typeof socialInProcess = socialInProcess,
) {
  const home = freshHome();
  const env = { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: 'canary-token' };
  const list = join(home, 'list');
  const run = (lines: readonly string[], ...more: string[]) => {
    writeFileSync(list, `${lines.join('\n')}\n`);
    const argv = ['posts', 'retry', '--from', list, '--concurrency', '1', ...more];
    return program(argv, { home, env });
  };
  return { home, run };
}

/** The targets that each request for the post named; `all` where it named none. */
const named = ({ bodies }: CountingServer): readonly (readonly string[] | 'all')[] =>
  (bodies.get(`POST ${P}`) ?? []).map(
    (body) => (JSON.parse(body) as { targetIds?: string[] }).targetIds ?? 'all',
  );

const duplicates = (count: number) =>
  `${count} duplicate record${count === 1 ? '' : 's'} ignored\n`;

const failed = (id: string) => ({ id, platform: 'x', status: 'failed' });

describe('records of the same post', () => {
  it.each<readonly [what: string, lines: string[], sent: (string[] | 'all')[], told: string]>([
    ['a target twice', [record(A, B, A)], [[A, B]], '1 of 1 accepted'],
    ['the same targets in another order', [record(A, B), record(B, A)], [[A, B]], duplicates(1)],
    ['different targets', [record(A), record(B)], [[A], [B]], '2 of 2 accepted\n'],
    ['the post by its id and as JSON', [P, JSON.stringify({ postId: P })], ['all'], duplicates(1)],
    [
      'the targets in CSV',
      ['postId,target', `${P},${A};${B}`, `${P},${B};${A}`],
      [[A, B]],
      duplicates(1),
    ],
  ])('that name %s are sent once, with a note', async (_what, lines, sent, told) => {
    const service = await countingServer();
    const outcome = await setup(service).run(lines);
    expect(outcome.exitCode).toBe(0);
    expect(named(service)).toEqual(sent);
    expect(outcome.stderr).toContain(told);
    expect(outcome.stderr).toContain(`${sent.length} of ${sent.length} accepted\n`);
  });

  it('that overlap are rejected, all of them, before anything is sent', async () => {
    const service = await countingServer();
    const { run } = setup(service, social);
    for (const more of [[], ['-n']]) {
      const outcome = await run([P, '', record(A, B), record(B, C)], ...more);
      expect(outcome).toMatchObject({ exitCode: 2, stdout: '' });
      expect(outcome.stderr).toContain('2 invalid lines in ');
      expect(outcome.stderr).toContain(
        `  lines 3, 4: overlaps with line 1, which names all of ${P}\n`,
      );
    }
    expect(service.total()).toBe(0);
  });

  it('are combined with --failed: the post is read and retried once', async () => {
    const body = JSON.stringify({
      ok: true,
      data: { id: P, status: 'failed', targets: [failed(A), failed(B)] },
    });
    const service = await countingServer(() => ({ body }));
    const { home, run } = setup(service, social);
    const journal = ['--failed', '--journal', join(home, 'journal')];
    const outcome = await run([P, JSON.stringify({ postId: P })], ...journal);
    expect(outcome.exitCode).toBe(0);
    expect(named(service)).toEqual([[A, B]]);
    expect((await run([P], ...journal)).stderr).toMatch(
      /\n0 of 1 accepted, 1 skipped\nskipped 2 targets: retried by an earlier run\n$/,
    );
    expect(named(service)).toHaveLength(1);
  });

  it('are in one shard, so that no two machines send the same target', async () => {
    const { run } = setup(await countingServer());
    const parts: number[] = [];
    for (const shard of ['1/3', '2/3', '3/3']) {
      const { stdout } = await run([record(A), record(B), record(C)], '-n', '--shard', shard);
      parts.push(stdout.split(P).length - 1);
    }
    expect(parts.toSorted((a, b) => a - b)).toEqual([0, 0, 3]);
  });
});

describe('a journal', () => {
  it.each<readonly [what: string, then: string[], sent: string[][], unknown: string]>([
    ['itself', [record(A, B)], [], '2 targets'],
    ['one of its targets', [record(B)], [], '1 target'],
    ['a target more', [record(A, B, C)], [[C]], '2 targets'],
    ['the whole post', [P], [[C]], '2 targets'],
  ])('resends no target that is unknown, as %s', async (_what, then, sent, unknown) => {
    const body = JSON.stringify({
      ok: true,
      data: { id: P, status: 'failed', targets: [failed(A), failed(B), failed(C)] },
    });
    const service = await countingServer((_id, method, time) =>
      method === 'POST' && time === 1 ? { cut: true } : { body },
    );
    const { home, run } = setup(service);
    const journal = ['--journal', join(home, 'journal')];
    expect((await run([record(A, B)], ...journal)).exitCode).toBe(12);
    // The others are sent; the record stays unknown for those that were not.
    const next = await run(then, ...journal);
    expect([next.exitCode, next.stderr]).toEqual([
      12,
      expect.stringContaining(`outcome of ${unknown} unknown since an earlier run; not sent again`),
    ]);
    expect(named(service)).toEqual([[A, B], ...sent]);
  });
});
