// `posts triage` against the sandbox's outage, also through the built program.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { idOf } from '../../support/counting-server.ts';
import { socialInProcess } from '../../support/in-process.ts';
import { targetPost, targets as on } from '../../support/posts.ts';
import { freshHome, social } from '../../support/program.ts';
import { recordingServer, successResponse } from '../../support/recording-server.ts';
import { serviceAt } from '../../support/terminal.ts';
import { needsUnix } from '../../support/unix.ts';

interface Triage {
  readonly posts: number;
  readonly failedTargets: number;
  readonly groups: readonly {
    readonly cause: string;
    readonly posts: number;
    readonly targets: number;
    readonly next: string;
    readonly records: readonly { readonly postId: string; readonly targetIds: readonly string[] }[];
  }[];
}

it('groups failed targets by cause and saves a list for each', async () => {
  const home = freshHome();
  await socialInProcess(['sandbox', 'reset', '--state', 'outage', '--export', home, '-y'], {
    home,
  });
  const rows = readFileSync(join(home, 'failed-posts.csv'), 'utf8').trim().split('\n').slice(1);
  const ids = new Set(rows.map((row) => row.split(',')[1]!));
  const list = join(home, 'ids');
  writeFileSync(list, [...ids].join('\n'));
  const folder = join(home, 'triage');
  const line = ['-C', 'sandbox', 'posts', 'triage', '--from', list, '--save', folder, '--json'];
  const { stdout, exitCode } = await social(line, { home });
  expect(exitCode).toBe(0);
  const { posts, failedTargets, groups } = JSON.parse(stdout) as Triage;
  expect(groups.map(({ cause }) => cause)).toEqual(['temporary', 'reconnect', 'content']);
  expect(posts).toBe(ids.size);
  expect(groups.reduce((sum, { targets }) => sum + targets, 0)).toBe(failedTargets);
  expect(readdirSync(folder).toSorted()).toEqual(
    groups.map(({ cause }) => `${cause}.ndjson`).toSorted(),
  );
  for (const { cause, records } of groups) {
    const text = readFileSync(join(folder, `${cause}.ndjson`), 'utf8');
    expect(
      text
        .trim()
        .split('\n')
        .map((each) => JSON.parse(each) as unknown),
    ).toEqual(records);
  }
  const [temporary, reconnect, content] = groups;
  expect(temporary!.next).toBe(
    `social -C sandbox posts retry --from ${folder}/temporary.ndjson --failed --wait`,
  );
  expect(reconnect!.next).toContain('social -C sandbox connect facebook pages -a AccountFacebookB');
  expect(content!.next).toContain('retrying it unchanged fails again');
});

it('continues after a post without target data, and counts it as not read', async () => {
  const ids = [idOf(0), idOf(1), idOf(2)];
  const service = await recordingServer((_number, { target }) => {
    const id = target.split('/')[3]!;
    const post = { ...targetPost([on.linkedin('failed', 'The session has expired.')]), id };
    return successResponse(JSON.stringify(id === ids[1] ? { ...post, targets: undefined } : post));
  });
  const argv = ['posts', 'triage', ...ids, '--json', '--concurrency', '1'];
  const env = serviceAt(service.url);
  const { stdout, stderr, exitCode } = await socialInProcess(argv, { env });
  expect({ exitCode, requests: service.requests.length }).toEqual({ exitCode: 11, requests: 3 });
  expect(JSON.parse(stdout)).toMatchObject({ posts: 2, failedTargets: 2 });
  expect(stderr).toContain(`error: ${ids[1]}: the response lacks targets with a status\n`);
  expect(stderr).toContain('"message":"2 of 3 read, 1 failed: 1 temporary"');
});

it('does not claim that nothing failed when no post could be read', async () => {
  const line = ['-C', 'sandbox', 'posts', 'triage', 'PostNobodyHasAny', 'PostNobodyHasTwo'];
  const { stdout, stderr, exitCode } = await socialInProcess([...line, '-o', 'tsv']);
  expect({ exitCode, stdout }).toEqual({ exitCode: 11, stdout: '' });
  expect(stderr).toContain('0 of 2 read');
  expect(stderr).not.toContain('no failed targets');
});

it('ends at once when no folder can be created: nothing is read, and the event loop does not start', async () => {
  needsUnix('devices and no /proc');
  const home = freshHome();
  for (const [folder, run] of [
    ['/proc/x', social],
    ['/proc/x/y', socialInProcess],
    ['/dev/null/x', socialInProcess],
  ] as const) {
    const line = ['-C', 'sandbox', 'posts', 'triage', 'PostSpringLaunch', '--save', folder];
    const { exitCode, stdout, stderr } = await run(line, { home });
    expect({ exitCode, stdout }).toEqual({ exitCode: 13, stdout: '' });
    expect(stderr).toContain('error: cannot write /');
  }
  const deep = join(home, 'a', 'b');
  const made = ['-C', 'sandbox', 'posts', 'triage', 'PostSpringLaunch', '--save', deep, '-q'];
  expect((await socialInProcess(made, { home })).exitCode).toBe(0);
  expect(readdirSync(deep).length).toBeGreaterThan(0);
}, 20_000);
