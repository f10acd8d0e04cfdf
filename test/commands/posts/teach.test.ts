// The causes that an operator teaches, in causes.tsv or for one call with --causes: they apply wherever a cause is
// shown.

import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { socialInProcess } from '../../support/in-process.ts';
import { mcpClient } from '../../support/mcp-client.ts';
import { freshHome, social } from '../../support/program.ts';

const FILE = '.config/social/causes.tsv';
const teach = (cause: string, match: string, ...more: readonly string[]) => [
  'posts',
  'triage',
  '--teach',
  cause,
  '--match',
  match,
  ...more,
];

describe('posts triage --teach', () => {
  it('adds a line for this user alone, once', async () => {
    const home = freshHome();
    const first = await social(teach('platform', 'Slow down', '--platform', 'reddit'), { home });
    expect([first.exitCode, first.stdout]).toEqual([0, '']);
    expect(first.stderr).toBe(
      'taught: an error of reddit with "Slow down" is platform (causes.tsv line 1)\n',
    );
    const again = teach('platform', 'Slow down', '--platform', 'reddit');
    expect((await socialInProcess(again, { home })).stderr).toContain('known already');
    const json = await socialInProcess(teach('other', '/no id/', '--json'), { home });
    expect(JSON.parse(json.stdout)).toEqual({
      platform: '*',
      cause: 'other',
      match: '/no id/',
      readFrom: 'causes.tsv line 2',
      isNew: true,
    });
    const path = join(home, FILE);
    expect(readFileSync(path, 'utf8')).toBe('reddit\tplatform\tSlow down\n*\tother\t/no id/\n');
    expect(process.platform === 'win32' || (statSync(path).mode & 0o777) === 0o600).toBe(true);
  });

  it('refuses what would have no effect, or cannot be read', async () => {
    const home = freshHome();
    await socialInProcess(teach('platform', 'Slow'), { home });
    const other = await socialInProcess(teach('content', 'Slow'), { home });
    expect([other.exitCode, other.stderr]).toEqual([
      2,
      expect.stringContaining('line 1 says platform'),
    ]);
    const wrong = await socialInProcess(teach('nope', '/(/', '--platform', 'x'), { home });
    expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining('3 errors')]);
    const alone = await socialInProcess(['posts', 'triage', '--match', 'x'], { home });
    expect(alone.stderr).toContain('--match requires --teach');
    const dry = await socialInProcess(teach('content', 'Fast', '--dry-run'), { home });
    expect(dry.stderr).toContain('nothing was written');
    expect(readFileSync(join(home, FILE), 'utf8')).toBe('*\tplatform\tSlow\n');
  });

  it('loses no line of another that teaches at the same time, nor what a hand wrote', async () => {
    const home = freshHome();
    mkdirSync(join(home, '.config/social'), { recursive: true, mode: 0o700 });
    writeFileSync(join(home, FILE), '# ours\n*\tother\tby hand', { mode: 0o600 });
    const texts = ['one', 'two', 'three', 'four'];
    await Promise.all(texts.map((text) => social(teach('content', text), { home })));
    const lines = readFileSync(join(home, FILE), 'utf8').trimEnd().split('\n');
    expect(lines.slice(0, 2)).toEqual(['# ours', '*\tother\tby hand']);
    expect(lines.slice(2).toSorted()).toEqual(
      texts.map((text) => `*\tcontent\t${text}`).toSorted(),
    );
  });
});

describe('a rule', () => {
  // Mastodon said of this post that it was unavailable.
  const post = 'PostSpringLaunch';
  const sandbox = (home: string, ...argv: readonly string[]) =>
    socialInProcess(['-C', 'sandbox', ...argv], { home });

  it('decides in posts get, retry --cause, waits, batches, triage and the agent’s tools', async () => {
    const home = freshHome();
    await socialInProcess(teach('platform', 'unavailable', '--platform', 'mastodon'), { home });
    const read = await sandbox(home, 'posts', 'get', post, '-o', 'table');
    expect(read.stdout.replace(/\s+/g, ' ')).toContain('(platform: causes.tsv line 1)');
    const retry = await sandbox(
      home,
      'posts',
      'retry',
      post,
      '--cause',
      'platform',
      '-n',
      '--json',
    );
    expect(retry.stdout).toContain('TargetSpringMast');
    const wait = await sandbox(home, 'posts', 'wait', post);
    expect(wait.stderr).toContain('platform (mastodon)');
    const batch = await sandbox(home, 'posts', 'get', post, 'PostAutumnRecaps', '-o', 'ndjson');
    expect(batch.stdout).toContain('"cause":"reconnect","readFrom":"');
    const triage = await sandbox(home, 'posts', 'triage', post, '--json');
    const group = { cause: 'platform', readFrom: { 'causes.tsv line 1': 1 } };
    expect(JSON.parse(triage.stdout)).toMatchObject({ groups: [{ cause: 'reconnect' }, group] });
    const agent = await mcpClient([], { home, env: { SOCIAL_CONTEXT: 'sandbox' } });
    const { data } = await agent.call('posts_triage', { postIds: [post] });
    expect(data).toMatchObject({ groups: [{ cause: 'reconnect' }, group] });
  });

  it('of a team’s file goes before those of the user', async () => {
    const home = freshHome();
    await socialInProcess(teach('platform', 'unavailable'), { home });
    const team = join(home, 'team.tsv');
    writeFileSync(team, '*\tother\tUNAVAILABLE\n');
    const { stdout } = await sandbox(home, 'posts', 'triage', post, '--causes', team, '--json');
    expect(stdout).toContain(`team.tsv line 1`);
    expect(stdout).not.toContain('causes.tsv');
  });

  it('that cannot be read is an error before anything is read', async () => {
    const home = freshHome();
    const team = join(home, 'team.tsv');
    writeFileSync(team, '# ours\n*\tnope\tx\n');
    for (const command of ['get', 'retry', 'wait', 'triage']) {
      const shared = await sandbox(home, 'posts', command, post, '--causes', team);
      expect([shared.exitCode, shared.stderr]).toEqual([
        2,
        expect.stringContaining('team.tsv line 2: cause must'),
      ]);
    }
    const missing = await sandbox(home, 'posts', 'get', post, '--causes', join(home, 'none.tsv'));
    expect([missing.exitCode, missing.stderr]).toEqual([
      13,
      expect.stringContaining('no such file'),
    ]);
    mkdirSync(join(home, '.config/social'), { recursive: true, mode: 0o700 });
    writeFileSync(join(home, FILE), 'x\n', { mode: 0o600 });
    const own = await sandbox(home, 'posts', 'get', post);
    expect([own.exitCode, own.stderr]).toEqual([
      13,
      expect.stringContaining('causes.tsv line 1: '),
    ]);
    const doctor = await socialInProcess(['doctor', '--offline'], { home });
    expect([doctor.exitCode, doctor.stdout]).toEqual([
      13,
      expect.stringContaining('causes.tsv line 1: '),
    ]);
    // A command that shows no cause ignores the file.
    expect(
      (await sandbox(home, 'accounts', 'bluesky', 'conversations', '-a', 'AccountBlueskyAa'))
        .exitCode,
    ).not.toBe(13);
  });
});
