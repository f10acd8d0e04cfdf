// The rules for causes that operators write, in causes.tsv or in a file of --causes: they apply wherever a cause is
// shown. The line that `posts triage` prints for an error that it did not understand is a valid rule.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { socialInProcess } from '../../support/in-process.ts';
import { mcpClient } from '../../support/mcp-client.ts';
import { targetPost, targets } from '../../support/posts.ts';
import { freshHome } from '../../support/program.ts';
import { recordingServer, successResponse } from '../../support/recording-server.ts';
import { serviceAt } from '../../support/terminal.ts';
import { needsUnix } from '../../support/unix.ts';

const FOLDER = '.config/social';
const FILE = `${FOLDER}/causes.tsv`;

function writeRules(home: string, text: string): void {
  mkdirSync(join(home, FOLDER), { recursive: true, mode: 0o700 });
  writeFileSync(join(home, FILE), text, { mode: 0o600 });
}

describe('a rule', () => {
  // Mastodon said of this post that it was unavailable.
  const post = 'PostSpringLaunch';
  const sandbox = (home: string, ...argv: readonly string[]) =>
    socialInProcess(['-C', 'sandbox', ...argv], { home });

  it('decides in posts get, retry --cause, waits, batches, triage and the agent’s tools', async () => {
    const home = freshHome();
    writeRules(home, 'mastodon\tplatform\tunavailable\n');
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
    writeRules(home, '*\tplatform\tunavailable\n');
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
    writeRules(home, 'x\n');
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

describe('the line for an error that was not understood', () => {
  it.each([
    ['a plain text', 'mastodon', 'Flux capacitor', ''],
    [
      'the part of it that would run a command',
      'mastodon',
      `it's $(touch PWNED) \`touch PWNED\` %s; broke`,
      '',
    ],
    ['a tab and a line break', 'mastodon', 'Flux\tcapacitor\nmis"aligned', ''],
    ['an emoji at the end of the part', 'mastodon', `${'x'.repeat(79)}😀 zork`, ''],
    ['the form of an expression', 'mastodon', '/frob.*/', ''],
    ['a platform that is not listed', 'newnet', 'Flux capacitor', ''],
    ['a file whose last line has no end', 'mastodon', 'Flux capacitor', '*\tcontent\tnever'],
  ])('is a rule that applies: %s', async (_what, platform, error, before) => {
    needsUnix('shell sh');
    const home = freshHome();
    if (before !== '') writeRules(home, before);
    const post = targetPost([{ ...targets.mastodon('failed', error), platform }]);
    const service = await recordingServer(successResponse(JSON.stringify(post)));
    const triage = (...more: readonly string[]) =>
      socialInProcess(['posts', 'triage', post.id, ...more], {
        home,
        env: serviceAt(service.url),
      });
    const { stderr } = await triage('-o', 'table');
    expect(stderr).toContain(' tell it: ');
    const line = / tell it: (.*)/.exec(stderr)![1]!.replace('<cause>', 'content');
    execFileSync('sh', ['-c', line], { cwd: home });
    expect(readFileSync(join(home, FILE), 'utf8')).toContain('\tcontent\t');
    const again = await triage('--json');
    expect([again.exitCode, again.stdout]).toEqual([0, expect.stringContaining('causes.tsv line')]);
    expect(existsSync(join(home, 'PWNED'))).toBe(false);
  });
});
