// The help topics: they fit the terminal, lose no word, and leave out no variable that is read.

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { socialInProcess } from '../support/in-process.ts';
import { topics, variables } from '../../src/cli/help-topics.ts';
import { wrapCommand } from '../../src/cli/help.ts';
import { testCli } from '../support/test-cli.ts';

const wordsOf = (lines: readonly string[]) =>
  lines.join(' ').replaceAll(' \\ ', ' ').split(/\s+/).filter(Boolean);

describe.each(Object.keys(topics))('social help %s', (topic) => {
  it.each([120, 80, 60, 50])('fits %i columns and is complete', async (columns) => {
    const env = { NO_COLOR: '1' };
    const help = await testCli().social(['help', topic], { columns, env });
    const { exitCode, stdout, stderr } = help;
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const lines = stdout.split('\n');
    expect(
      lines.filter(
        (line) =>
          line.length > Math.min(columns, 80) && /\S +\S/.test(line.trim().replace(/ \\$/, '')),
      ),
    ).toEqual([]);
    expect(wordsOf(lines)).toEqual(wordsOf(topics[topic]!().flat()));
  });
});

it('a topic has bold headings on a terminal, as other pages do', async () => {
  const env = { TERM: 'xterm' };
  const { stdout } = await testCli().social(['help', 'flags'], { columns: 80, env });
  expect(stdout).toContain('\u001b[1mTarget:\u001b[22m\n');
});

const said = (script: string) => spawnSync('sh', ['-c', script], { encoding: 'utf8' }).stdout;

describe('a command line', () => {
  const line = `social webhooks create --url https://h.example --name "a b c" | jq '.id and .name'`;

  it('is broken into lines that a shell reads as one command', () => {
    expect(wrapCommand(line, 40).split('\n')).toEqual([
      '  social webhooks create \\',
      '    --url https://h.example \\',
      '    --name "a b c" | jq \\',
      `    '.id and .name'`,
    ]);
  });

  it.each([20, 60])('runs the same when wrapped at %i columns', (columns) => {
    const script = wrapCommand(line, columns)
      .replace('social', `printf '{%s}'`)
      .replace('| jq', '-');
    const whole = line.replace('social', `printf '{%s}'`).replace('| jq', '-');
    expect(said(script)).toBe(said(whole));
  });
});

/** Variables of the system and of the shells, or that only tests and the build set. */
const ordinary =
  'HOME PATH SHELL ZDOTDIR XDG_DATA_HOME BASH_COMPLETION_USER_DIR LC_ALL LC_CTYPE LANG'.split(' ');

describe('help environment', () => {
  it('lists exactly the variables that the sources read', () => {
    const folder = new URL('../../src/', import.meta.url);
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => readFileSync(new URL(path, folder), 'utf8'));
    const read = sources.flatMap((text) => [
      ...[...text.matchAll(/env\['(\w+)'\]/g)].map(([, name]) => name!.toUpperCase()),
      ...[...text.matchAll(/'((?:SOCIAL|XDG)_[A-Z_]+)'/g)].map(([, name]) => name!),
      ...(text.includes("'HTTPS_PROXY'") ? ['HTTPS_PROXY'] : []),
    ]);
    // Node reads them itself.
    read.push('NODE_EXTRA_CA_CERTS', 'NODE_DISABLE_COMPILE_CACHE');
    const names = variables().map(([name]) => name);
    expect(new Set(read.filter((name) => !ordinary.includes(name)))).toEqual(new Set(names));
    expect(new Set(names).size).toBe(names.length);
  });
});

it.each([
  ['outpt', 'did you mean output?', 'social help output'],
  ['posst', 'did you mean posts?', 'social help posts'],
  ['exit', 'topics: flags, batch, environment, exit-codes, output', 'social help'],
])('names the topics for an unknown word: %s', async (word, fix, next) => {
  const { stderr, exitCode } = await socialInProcess(['help', word]);
  expect(stderr).toBe(
    `error: "${word}" is not a command or a help topic\n  ${fix}\ntry: ${next}\n`,
  );
  expect(exitCode).toBe(2);
});
