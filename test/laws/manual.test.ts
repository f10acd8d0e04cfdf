// The pages of the manual, set by groff: without a warning, and every character as it was written.

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { bold, broken, literal, text } from '../../tools/docs/man.ts';
import type { CommandTree } from '../../src/cli/read-command-tree.ts';
import { testCli } from '../support/test-cli.ts';

const folder = new URL('../../man/', import.meta.url);
const canLint = spawnSync('mandoc', ['-T', 'lint'], { input: '' }).error === undefined;
const canSet = spawnSync('groff', ['--version']).status === 0;

/** What groff makes of a page, without its fonts, and what it has to say about it. */
function set(page: string, columns = 200): { readonly shown: string; readonly stderr: string } {
  const argv = ['-man', '-ww', '-Tutf8', '-P-cbou', `-rLL=${columns}n`];
  const { stdout, stderr } = spawnSync('groff', argv, { input: page, encoding: 'utf8' });
  return { shown: stdout, stderr };
}

const odd = [
  '.TH looks like a request',
  "'tis one as well",
  String.raw`back\\slash \\fB \\n \\e`,
  '--flag -s a-b `code` ^ ~ "quoted" \'single\'',
  '’ “ ” … é 日本 🌱',
  '  indented',
  '...',
];

describe.runIf(canSet)('groff', () => {
  it.each(readdirSync(folder))('sets %s without a warning', (file) => {
    const { shown, stderr } = set(readFileSync(new URL(file, folder), 'utf8'));
    expect(stderr).toBe('');
    expect(shown).toMatch(/^NAME\n {7}social\S* - [A-Z].+$/m);
    expect(shown).not.toMatch(/\\\(|\\f|\[u[0-9A-F]{4}/);
  });

  it.each(readdirSync(folder))('keeps %s within a terminal', (file) => {
    const { shown, stderr } = set(readFileSync(new URL(file, folder), 'utf8'), 78);
    expect(stderr).toBe('');
    // A word that has no room in an example, and no other.
    const wide = shown.split('\n').filter((line) => line.length > 78 && /\S \S+ \S/.test(line));
    expect(wide).toEqual([]);
  });

  it('shows every character as it was written', () => {
    const page = [
      '.TH X 1',
      '.SH T',
      ...literal(odd),
      ...odd.map((each) => `.PP\n${text(each)}`),
      `.PP\n${bold('.x')}`,
    ];
    const { shown, stderr } = set(`${page.join('\n')}\n`);
    expect(stderr).toBe('');
    const lines = shown.split('\n').map((line) => line.trim());
    for (const each of odd) expect(lines.filter((line) => line === each.trim())).toHaveLength(2);
    expect(lines).toContain('.x');
  });

  it('shows every command with its usage and its examples, to be copied', async () => {
    const { stdout } = await testCli().social(['commands', '--json', '--all']);
    const { commands } = JSON.parse(stdout) as CommandTree;
    const all = readdirSync(folder).map(
      (file) => set(readFileSync(new URL(file, folder), 'utf8')).shown,
    );
    const words = all
      .join('\n')
      .replaceAll(/ \\\n +/g, ' ')
      .split('\n')
      .map((line) => line.trim());
    for (const { usage, examples, group } of commands.filter((each) => !each.group)) {
      expect(group).toBe(false);
      expect(words).toContain(usage);
      for (const { line } of examples) expect(words).toContain(line);
    }
  });
});

it.runIf(canLint)(
  'gives mandoc nothing to complain about: a date, short lines, no macro that is skipped',
  () => {
    const pages = readdirSync(folder);
    const { stdout } = spawnSync('mandoc', ['-T', 'lint', ...pages], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(stdout).toBe('');
    // It does complain about what these pages are not.
    const bad = ['.TH X 1 ""', '.SH T', '.PP', 'word '.repeat(20).trim(), ''].join('\n');
    const found = spawnSync('mandoc', ['-T', 'lint'], { input: bad, encoding: 'utf8' }).stdout;
    expect(found).toMatch(/longer than 80[^]*missing date[^]*PP after SH/);
  },
);

it('breaks long lines of a page so that the same is shown', () => {
  const long = 'word of a line '.repeat(20).trim();
  const lines = broken(long).split('\n');
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
  expect(lines.join('\n').replaceAll('\\\n', '')).toBe(long);
  const alone = 'x'.repeat(100);
  expect(broken(alone)).toBe(alone);
});
