// The columns of a result in a table: the main ones, those hidden for lack of width, and all of them with `-o wide`.

import { join } from 'node:path';
import stringWidth from 'fast-string-width';
import { describe, expect, it } from 'vitest';
import { fitTable } from '../../src/output/table.ts';
import { socialInProcess } from '../support/in-process.ts';
import { freshHome, root, social } from '../support/program.ts';
import { recordingServer, successResponse } from '../support/recording-server.ts';
import { targetPost, targets } from '../support/posts.ts';
import { serviceAt } from '../support/terminal.ts';
import { testCli } from '../support/test-cli.ts';

const get = ['-C', 'sandbox', '-q', 'posts', 'get', 'PostSpringLaunch'];

/** Returns the output of a line at a terminal of this width; in a pipe without one. */
async function shown(argv: readonly string[], columns?: number, env = {}): Promise<string> {
  const outcome = await testCli().social(argv, { columns, env: { NO_COLOR: '1', ...env } });
  expect(outcome).toMatchObject({ exitCode: 0 });
  return outcome.stdout;
}

const lineWith = (text: string, word: string) =>
  text.split('\n').find((line) => line.includes(word));

const twitterUrl = 'https://twitter.example/@riverbank/188555385825580625';
const heading = 'PLATFORM STATUS ID ERROR URL UPDATED ACCOUNT';
const headingOf = (text: string) => lineWith(text, 'PLATFORM')!.trim().split(/ {2,}/).join(' ');

describe('a post', () => {
  it.each([120, 80, 50])('shows its content in one line of %i columns', async (columns) => {
    const line = lineWith(await shown(get, columns), 'content:')!;
    expect(line).toMatch(/^content: {5}Our spring roast is here: apricot/);
    expect(line.endsWith('…')).toBe(columns < 120);
    expect(stringWidth(line)).toBeLessThanOrEqual(columns);
  });

  it('shows content of the service without control characters, at its display width', async () => {
    const { title: _title, ...untitled } = targetPost([targets.twitter('published')]);
    const content = `\u001b[2Jfirst\nsecond ${'春の新作 '.repeat(60)}`;
    const service = await recordingServer(
      successResponse(JSON.stringify({ ...untitled, content })),
    );
    const text = await shown(['posts', 'get', untitled.id, '-q'], 80, serviceAt(service.url));
    expect(text).not.toContain('\u001b');
    const line = lineWith(text, 'content:')!;
    expect(line).toMatch(/first.*second 春の新作.*…$/);
    expect(stringWidth(line)).toBeLessThanOrEqual(80);
    expect(text).not.toContain('title:');
  });

  it.each(['bin/social.js', 'scripts/dev.mjs'])(
    'is aligned by display width by %s',
    async (file) => {
      // The version of string-width that cli-table3 asks for takes this character for one column.
      const rows = [targets.twitter('published'), targets.linkedin('failed')];
      const post = targetPost(rows.map((row, i) => ({ ...row, platform: i === 0 ? '🫨' : 'ab' })));
      const service = await recordingServer(successResponse(JSON.stringify(post)));
      const { stdout } = await social(['posts', 'get', post.id, '-q', '-o', 'wide'], {
        program: join(root, file),
        env: serviceAt(service.url),
      });
      const [first = '', second = ''] = [lineWith(stdout, '🫨'), lineWith(stdout, 'ab  ')];
      expect(first.indexOf('✓')).toBe(second.indexOf('✗'));
      expect(stringWidth(first.slice(0, first.indexOf('✓')))).toBe(second.indexOf('✗'));
    },
  );

  it('keeps the URL of a published target next to the error of another', async () => {
    const text = await shown(get, 80);
    expect(text).toContain(`\n  url:  ${twitterUrl}\n`);
    expect(text).toMatch(
      /\n {2}error: {2}The LinkedIn access token .*\n {10}been renewed since\. \(reconnect: "token"\)\n/,
    );
    expect(headingOf(text)).toBe('PLATFORM STATUS ID UPDATED ACCOUNT');
    expect(text).toContain('AccountTwitterAa');
    expect(text).not.toContain('hidden');
    expect(headingOf(await shown(get, 120))).toBe('PLATFORM STATUS ID ERROR UPDATED ACCOUNT');
    expect(headingOf(await shown(get, 220))).toBe(heading);
  });

  it('has the account last in TSV, and every other column in its place', async () => {
    const rows = (await shown(get)).trimEnd().split('\n');
    expect(rows[0]!.split('\t')).toEqual([
      'twitter',
      'published',
      'TargetSpringTwit',
      '-',
      twitterUrl,
      expect.stringMatching(/^\d{4}-.*Z$/),
      'AccountTwitterAa',
    ]);
  });

  it('shows when it was updated although columns are hidden', async () => {
    const text = await shown(get, 62);
    expect(headingOf(text)).toBe('PLATFORM STATUS ID UPDATED');
    expect(text).toMatch(/\n\n1 column hidden; -o wide, or a wider terminal\n$/);
  });
});

it('shows a time before other columns, and the first column before it', async () => {
  const table = (width: number, time?: number) =>
    fitTable(
      ['A', 'B', 'WHEN'].map((name, i) => ({ heading: name, isKept: i === time })),
      [['aaaa', 'bbbbbbbb', 'now']],
      width,
    );
  expect(table(14).text).toBe('A     B\naaaa  bbbbbbbb');
  expect(table(14, 2)).toEqual({ text: 'A     WHEN\naaaa  now', hidden: 1 });
  expect(table(5, 2)).toEqual({ text: 'A\naaaa', hidden: 2 });
});

describe('-o wide', () => {
  it.each([50, 80, undefined])('shows every column in full, at %s columns', async (columns) => {
    const text = await shown([...get, '-o', 'wide'], columns);
    expect(headingOf(text)).toBe(heading);
    expect(lineWith(text, 'TargetSpringTwit')).toContain(twitterUrl);
    expect(lineWith(text, 'TargetSpringLink')).toMatch(/it has been renewed since\. .*AccountLink/);
    expect(lineWith(text, 'content:')).toMatch(/online from today\.$/);
    expect(text).not.toContain('hidden');
  });

  it('shows a column even if only one row has a value', async () => {
    const argv = ['-C', 'sandbox', '-q', 'posts', 'get', 'PostSummerTeaser', '-o', 'wide'];
    expect(headingOf(await shown(argv, 80))).toBe(heading);
  });

  it('can be set by variable, setting and context; a flag takes precedence', async () => {
    const home = freshHome();
    const run = (argv: readonly string[], env = {}) => socialInProcess(argv, { home, env });
    expect(headingOf((await run(get, { SOCIAL_OUTPUT: 'wide' })).stdout)).toBe(heading);
    expect((await run(['config', 'set', 'output', 'wide'])).exitCode).toBe(0);
    expect(headingOf((await run(get)).stdout)).toBe(heading);
    expect(JSON.parse((await run([...get, '--json'])).stdout)).toMatchObject({ status: 'partial' });
    expect((await run([...get, '-o', 'tsv'])).stdout).toMatch(/^twitter\tpublished\t/);
    const context = ['context', 'set', 'prod', '--base-url', 'https://api.example.com'];
    expect((await run([...context, '-o', 'wide'])).exitCode).toBe(0);
    const { stdout } = await run(['context', 'show', 'prod', '--jq', '.output']);
    expect(stdout).toBe('wide\n');
  });
});

describe('one word for each thing', () => {
  const pages = (account: string) => [
    '-C',
    'sandbox',
    'connect',
    'facebook',
    'pages',
    '-a',
    account,
  ];

  it('Facebook pages show the readiness once', async () => {
    const text = await shown(pages('AccountFacebookA'), 80);
    expect(text.match(/\bready\b/g)).toHaveLength(1);
    expect(text).toMatch(/^readiness: +✓ ready$/m);
    const lacking = await shown(pages('AccountFacebookB'), 80);
    expect(lacking).toMatch(/^capabilities: +publish: missing_permission/m);
  });

  it('a Discord pin says whether the message was already pinned', async () => {
    const pin = ['discord', 'pins', 'add', '112233445566778899', '998877665544332211'];
    const home = freshHome();
    const run = () =>
      socialInProcess(['-C', 'sandbox', ...pin, '-a', 'AccountDiscordAa', '-o', 'table'], { home });
    expect((await run()).stdout).toMatch(/^already pinned: +no$/m);
    expect((await run()).stdout).toMatch(/^already pinned: +yes$/m);
  });
});
