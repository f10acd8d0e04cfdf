// The help of the program and of its commands: a screen for the first page, every argument, flag and value described,
// headings set off on a terminal alone.

import { describe, expect, it } from 'vitest';
import type { CommandTree } from '../../src/cli/command-tree.ts';
import { globalFlags, longName } from '../../src/config/flags.ts';
import { testCli } from '../support/test-cli.ts';
import { version } from '../../src/base/version.ts';

const BOLD = '\u001b[1m';
const terminal = { columns: 80, env: { TERM: 'xterm-256color' } };

const help = async (line: string, scene = {}) =>
  (await testCli().social(line.split(' '), scene)).stdout;

async function tree(): Promise<CommandTree> {
  return JSON.parse(await help('__tree')) as CommandTree;
}

describe('social alone', () => {
  it('fits a screen of 24 rows and 80 columns, and lists every command', async () => {
    const { exitCode, stdout } = await testCli().social([], terminal);
    expect(exitCode).toBe(0);
    const lines = stdout
      .replaceAll(/\u001b\[\d*m/g, '')
      .trimEnd()
      .split('\n');
    expect(lines.length).toBeLessThanOrEqual(23);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    const { commands } = await tree();
    for (const { path } of commands.filter((each) => !each.path.includes(' ')))
      expect(lines.join('\n')).toMatch(new RegExp(`(?:^  |: |, )${path}\\b`, 'm'));
    expect(lines.at(-1)).toMatch(/^Topics: social help flags, /);
  });

  it('is the same as --help, -h and help', async () => {
    const { social } = testCli();
    const pages = [[], ['--help'], ['-h'], ['help']].map(async (words) => social(words, terminal));
    const [first, ...others] = await Promise.all(pages);
    for (const page of others) expect(page).toEqual(first);
    expect((await social(['--version'])).stdout).toBe(`${version}\n`);
  });

  it('lists the global flags in help flags, and nowhere else', async () => {
    const page = await help('help flags');
    for (const { flags, description } of globalFlags) {
      expect(page).toContain(longName(flags));
      expect(description).not.toBe('');
    }
    expect(await help('posts get --help')).not.toContain('--retries');
  });
});

describe('every page', () => {
  it('describes each argument, flag and command, with an example', async () => {
    const { commands, globalFlags: shared, flags: own } = await tree();
    const silent = commands.flatMap(
      ({ path, summary, group, examples, flags, arguments: words }) => [
        ...(summary === '' ? [path] : []),
        ...(!group && examples.length === 0 && path !== 'help' ? [`${path}: no example`] : []),
        ...[...flags, ...words].flatMap((each) => {
          const name = 'long' in each ? each.long : each.name;
          return each.description.trim() === '' ? [`${path} ${name}`] : [];
        }),
      ],
    );
    expect(silent).toEqual([]);
    expect([...shared, ...own].filter(({ description }) => description === '')).toEqual([]);
    expect(commands.length).toBeGreaterThan(50);
  });

  it.each([
    ['sandbox reset', '--state <name>', 'demo, outage'],
    ['config set', 'setting', 'account, output, color, timeout, retries, utc, accessible'],
    ['completion', 'shell', 'bash, zsh, fish'],
    ['context set', '--output <format>', 'table, wide, json, ndjson, tsv'],
    ['auth login', '--context <name>', 'Context to log in to'],
    ['auth login', '--base-url <url>', 'e.g. https://api.example.com'],
    ['context set', '--base-url <url>', 'e.g. https://api.example.com'],
    ['config set', 'value', 'e.g. 1m for timeout'],
    ['history show', 'change-id', 'ID from history list'],
    ['context use', 'name', 'Name of the context'],
  ])('of %s says what %s may be', async (path, term, words) => {
    const page = (await help(`${path} --help`)).replaceAll(/\s+/g, ' ');
    const [, after = ''] = page.split(` ${term} `);
    expect(after.slice(0, 200)).toContain(words);
  });

  it('has its examples before its flags, the form of each id, and the fields of the result', async () => {
    const page = (await help('posts retry --help')).replaceAll(/\s+/g, ' ');
    expect(page).toMatch(
      /Post ID \(16 letters, .*Examples: .*Flags: .*Fields \(--fields\): title, /,
    );
    expect(page).toContain(
      'Without --failed the service decides, also on what may be published already; with it, only failed targets are named, so running it again posts nothing twice.',
    );
  });

  it('names the help topics of the flags that it omits', async () => {
    const page = await help('posts retry --help');
    expect(page).toContain('Batch flags (--from, --journal, --rate …): social help batch\n');
    expect(page).toContain('social help flags');
    expect(page).not.toMatch(/^ .*--(?:from|rate|json)\b.*<|Batch:/m);
    expect(await help('doctor --help')).not.toContain('help batch');
  });

  it.each([80, 50])(
    'fits %i columns, and 24 rows of 80 with one for the prompt',
    async (columns) => {
      const { commands } = await tree();
      const { social } = testCli();
      const env = { NO_COLOR: '1' };
      for (const { path } of commands) {
        const { stdout } = await social([...path.split(' '), '--help'], { columns, rows: 24, env });
        const rows = columns < 80 ? 0 : stdout.trimEnd().split('\n').length;
        expect({ path, fits: rows <= 23 }).toEqual({ path, fits: true });
        const canBreak = (line: string) => /\S +\S/.test(line.trim().replace(/ \\$/, ''));
        const wide = stdout.split('\n').filter((line) => line.length > columns && canBreak(line));
        expect({ path, wide }).toEqual({ path, wide: [] });
      }
    },
  );
});

describe('blank lines', () => {
  const parts = (page: string) => page.split('\n\n').length;
  const lines = (page: string) => page.trimEnd().split('\n').length;

  it('stand between all parts of a help in a pipe, and on a screen that has the rows', async () => {
    const { social } = testCli();
    for (const path of ['posts retry', 'posts triage', 'webhooks create', 'api']) {
      const words = [...path.split(' '), '--help'];
      const piped = await help(words.join(' '));
      expect({ path, airy: parts(piped) >= 5 }).toEqual({ path, airy: true });
      const rows = lines(piped) + 1;
      const env = { NO_COLOR: '1' };
      const fitting = await social(words, { columns: 80, rows, env });
      expect(fitting.stdout).toBe(piped);
      const small = await social(words, { columns: 80, rows: 24, env });
      expect(lines(small.stdout)).toBeLessThanOrEqual(23);
      // A page that does not fit at all scrolls, and has the blank lines of a large screen.
      const tiny = await social(words, { columns: 80, rows: 8, env });
      expect(tiny.stdout).toBe(piped);
    }
  });
});

it.each([
  ['--help posts retry', 'posts retry --help'],
  ['posts --help retry', 'posts retry --help'],
  ['-h -C sandbox posts retry PostSpringLaunch', 'posts retry --help'],
  ['accounts mastodon --help favorite', 'accounts mastodon favourite --help'],
  ['--help posts', 'posts --help'],
])('%s is the help of the command', async (line, same) => {
  expect(await help(line)).toBe(await help(same));
});

describe('headings', () => {
  it.each(['', 'posts --help', 'posts retry --help', 'help'])(
    'of "%s" are bold on a terminal',
    async (line) => {
      const words = line === '' ? [] : line.split(' ');
      const { social } = testCli();
      const shown = await social(words, terminal);
      expect(shown.stdout).toContain(`${BOLD}Usage:`);
      const plain = shown.stdout.replaceAll(/\u001b\[\d*m/g, '');
      expect(await social(words, { ...terminal, env: { NO_COLOR: '1' } })).toMatchObject({
        stdout: plain,
      });
      expect((await social(words)).stdout).not.toContain('\u001b');
      expect((await social([...words, '--color', 'never'], terminal)).stdout).not.toContain(
        '\u001b',
      );
    },
  );
});
