// Targets that may be published already: what a retry leaves out and says, and what sends them.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MARK } from '../../support/saved-list.ts';
import { idOf } from '../../support/counting-server.ts';
import { socialInProcess } from '../../support/in-process.ts';
import { targets, type ScriptedTarget } from '../../support/posts.ts';
import { freshHome, social } from '../../support/program.ts';
import { publishingServer } from '../../support/publishing-server.ts';
import { atTerminal, serviceAt } from '../../support/terminal.ts';

const { linkedin, mastodon, twitter } = targets;
const lost = linkedin('failed', 'The share was accepted, but no id was returned.');
const slow = mastodon('failed', 'Timed out.');
const [ID, OTHER] = [idOf(0), idOf(1)];
const ALOUD =
  '1 target may be published already: look at the account first; then --target <id> sends it';
const wait = ['--wait', '--interval', '30ms'];

type Program = (
  argv: readonly string[],
  setting: { readonly home: string; readonly env: Readonly<Record<string, string>> },
) => Promise<{ readonly exitCode?: number | undefined; stdout: string; stderr: string }>;

/** Runs a command of posts against two posts with these targets; `list` in the words is a file with both IDs. */
async function run(
  words: readonly string[],
  before: readonly ScriptedTarget[] = [twitter('published'), lost, slow],
  program: Program = socialInProcess,
) {
  const published = before.map((target) => ({ ...target, status: 'published' }));
  const service = await publishingServer(() => ({ before, answer: published, after: [published] }));
  const home = freshHome();
  const [list, folder] = [join(home, 'list'), join(home, 'lists')];
  writeFileSync(list, `${ID}\n${OTHER}\n`);
  const files = new Map([
    ['list', list],
    ['folder', folder],
  ]);
  const argv = ['posts', ...words.map((word) => files.get(word) ?? word)];
  const env = serviceAt(service.url);
  const { exitCode, stdout, stderr } = await program(argv, { home, env });
  const sent = service.retries();
  return {
    exitCode,
    stdout,
    stderr,
    sent,
    read: (name: string) => readFileSync(join(folder, name), 'utf8'),
  };
}

describe('a target that may be published already', () => {
  it.each<readonly [string, readonly string[], Program]>([
    ['--failed', ['--failed'], social],
    ['--failed and a wait', ['--failed', ...wait], socialInProcess],
    ['--platform', ['--platform', 'mastodon', '--platform', 'linkedin'], socialInProcess],
    ['another cause', ['--cause', 'temporary'], socialInProcess],
    ['--failed and its name', ['--failed', '--target', `${lost.id},${slow.id}`], socialInProcess],
  ])('is skipped with %s, which says so', async (_what, flags, program) => {
    const { exitCode, stderr, sent } = await run(['retry', ID, ...flags], undefined, program);
    expect({ exitCode, sent }).toEqual({ exitCode: 0, sent: [{ targetIds: [slow.id] }] });
    expect(stderr).toContain(`${ALOUD} (linkedin ${lost.id})\n`);
    expect(stderr).not.toContain('try:');
  });

  it('is not named where its platform is not asked for', async () => {
    const { stderr, sent } = await run(['retry', ID, '--platform', 'mastodon']);
    expect(sent).toEqual([{ targetIds: [slow.id] }]);
    expect(stderr).not.toContain('may be published already');
  });

  it.each([
    ['without a wait', [], 0],
    ['with a wait, which did not end well', wait, 10],
  ])('alone leaves nothing to send %s', async (_what, flags, code) => {
    const { exitCode, stderr, sent } = await run(['retry', ID, '--failed', ...flags], [lost]);
    expect({ exitCode, sent }).toEqual({ exitCode: code, sent: [] });
    const said =
      code === 0
        ? `; nothing was changed\n`
        : `: linkedin ${lost.id} may be published already; nothing was changed\n`;
    expect(stderr).toContain(`nothing to retry in ${ID}${said}`);
    expect(stderr.match(/look at the account first/g)).toHaveLength(1);
    expect(stderr).not.toMatch(/^\+\d/m);
    expect(stderr).not.toContain('try:');
  });

  it.each([
    ['its name', ['--target', lost.id], [lost.id]],
    ['its name and a wait', ['--target', lost.id, ...wait], [lost.id]],
    ['its cause', ['--cause', 'unsure'], [lost.id]],
    ['its cause among others', ['--cause', 'unsure,temporary'], [lost.id, slow.id]],
    ['its name and its cause', ['--target', lost.id, '--cause', 'unsure'], [lost.id]],
  ])('is sent with %s', async (_what, flags, ids) => {
    const { exitCode, stderr, sent } = await run(['retry', ID, ...flags]);
    expect({ exitCode, sent }).toEqual({ exitCode: 0, sent: [{ targetIds: ids }] });
    expect(stderr).not.toContain('may be published already');
  });

  it('is named by a plain retry that reads the post for a wait', async () => {
    const { stderr, sent } = await run(['retry', ID, ...wait]);
    expect(sent).toEqual([{}]);
    expect(stderr).toMatch(
      `linkedin ${lost.id} may be published already; --failed leaves it out\n`,
    );
  });

  it.each([
    ['n', [], `error: not retried; nothing was changed\ntry: social posts retry ${ID} --failed`],
    ['y', [{}], ID],
  ])('is asked about before a plain retry at a terminal: %s', async (key, requests, said) => {
    const { stderr, sent } = await run(['retry', ID], undefined, async (argv, setting) => {
      const terminal = atTerminal(argv, setting);
      const asked = await terminal.waitFor('(y/N)');
      expect(asked).toContain(`linkedin ${lost.id} may be published already. Retry it too?`);
      terminal.type(key);
      terminal.press('enter');
      const { exitCode, text } = await terminal.ended();
      return { exitCode, stdout: '', stderr: text };
    });
    expect({ sent, stderr }).toEqual({ sent: requests, stderr: expect.stringContaining(said) });
  });

  it('is counted once at the end of a list', async () => {
    const { exitCode, stderr, sent } = await run(['retry', '--from', 'list', '--failed']);
    const once = { targetIds: [slow.id] };
    expect({ exitCode, sent }).toEqual({ exitCode: 0, sent: [once, once] });
    const aloud = ALOUD.replace('1 target', '2 targets');
    expect(stderr.split('\n').filter((line) => line.includes('may be'))).toEqual([aloud]);
  });

  it('that a retry of this run made so has no line that sends it again', async () => {
    const again = twitter('failed', 'Accepted by X, but the connection was lost.', 'later');
    const service = await publishingServer(() => ({
      before: [twitter('failed', 'Timed out.')],
      answer: [twitter('publishing')],
      after: [[again]],
    }));
    const home = freshHome();
    const argv = [
      'posts',
      'retry',
      ID,
      OTHER,
      '--failed',
      ...wait,
      '--failures-to',
      join(home, 'rest'),
    ];
    const { exitCode, stderr } = await socialInProcess(argv, { home, env: serviceAt(service.url) });
    expect(exitCode).toBe(11);
    expect(stderr).toContain('2 failed: 2 unsure\n');
    expect(stderr).toContain('unsure: may be published already: look at the account first;');
    expect(stderr).not.toMatch(/try:|resume/);
  });

  it.each([
    ['get', ['get', ID, '-o', 'table'], 0],
    ['wait', ['wait', ID], 10],
  ])('is a sentence in the advice of posts %s, and not in its line', async (_what, words, code) => {
    const both = await run(words);
    expect(both.exitCode).toBe(code);
    expect(both.stderr).toContain(`linkedin: ${ALOUD.replace('1 target ', '')}\n`);
    // --failed leaves it out, so the line may be that of all failed targets.
    const waits = words[0] === 'wait' ? ' --wait' : '';
    expect(both.stderr).toContain(`try: social posts retry ${ID} --failed${waits}\n`);
    const alone = await run(words, [lost]);
    expect(alone.stderr).toContain('look at the account first');
    expect(alone.stderr).not.toContain('try:');
  });

  it('is a group of its own in a triage, and in the list of no other group', async () => {
    const byCause = await run(['triage', '--from', 'list', '--save', 'folder', '--json']);
    const { groups } = JSON.parse(byCause.stdout) as { groups: readonly Group[] };
    const records = [ID, OTHER].map((postId) => ({ postId, targetIds: [lost.id] }));
    expect(groups.map(({ cause }) => cause)).toEqual(['temporary', 'unsure']);
    expect(groups[1]).toMatchObject({ targets: 2, records });
    expect(groups[1]!.next).toMatch(/^may be published already: look at the account first;/);
    expect(byCause.read('unsure.ndjson')).toBe(
      `${[MARK, ...records.map((one) => JSON.stringify(one))].join('\n')}\n`,
    );

    const byPlatform = await run([
      'triage',
      '--from',
      'list',
      '--by',
      'platform',
      '--save',
      'folder',
    ]);
    expect(byPlatform.read('linkedin.ndjson')).toBe('');
    expect(byPlatform.read('mastodon.ndjson')).toContain(slow.id);
    expect(byPlatform.stderr).toContain(ALOUD.replace('1 target', '2 targets'));
  });
});

interface Group {
  readonly cause: string;
  readonly next: string;
}
