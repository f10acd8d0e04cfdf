// The commands outside of console blocks: the README's shell blocks run in a shell with the built program, every
// command, flag and file that a page names exists, and every link leads somewhere.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pages } from '../support/pages.ts';
import { freshHome, root, shell } from '../support/program.ts';
import { splitWords } from '../support/shell-words.ts';
import { testCli } from '../support/test-cli.ts';

const readme = readFileSync(join(root, 'README.md'), 'utf8');

const hasJq = spawnSync('jq', ['--version']).status === 0;

/** Returns the shell block that contains a text. */
const blockWith = (text: string) =>
  [...readme.matchAll(/```sh\n(.*?)```/gs)]
    .map(([, body]) => body!)
    .find((body) => body.includes(text))!;

describe('a shell example in the pages', () => {
  it.runIf(hasJq)(
    'is a script that lists what is left of a post, and its outcome',
    async () => {
      const home = freshHome();
      writeFileSync(join(home, 'retry.sh'), blockWith('# retry.sh'));
      const command = 'cd "$HOME"; export SOCIAL_CONTEXT=sandbox; . ./retry.sh';
      const retry = (post: string) => shell(`set -- ${post}; ${command}`, { home });
      const first = await retry('PostSpringLaunch');
      expect(first).toMatchObject({ exitCode: 10, stdout: '' });
      expect(first.stderr).toContain('1 of 2 targets failed: mastodon');
      const second = await retry('PostSpringLaunch');
      expect(second).toMatchObject({ exitCode: 0, stderr: '' });
      expect(second.stdout).toContain('mastodon\tpublished\n');
      expect(await retry('PostNowhereToSee')).toMatchObject({ exitCode: 5, stdout: '' });
    },
    60_000,
  );

  it('logs in, protects the context and shows the token in use', async () => {
    const block = blockWith('auth login').replace(
      /^(social auth login .*)#.*$/m,
      'echo a-token-to-keep | $1 --no-check',
    );
    const home = freshHome();
    const { exitCode, stdout } = await shell(block, { home });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^prod\ttrue\thttps:\/\/api\.example\.com\tfile\t/m);
    const change = await shell('social posts retry PostSpringLaunch', { home });
    expect(change.exitCode).toBe(2);
    expect(change.stderr).toContain('protected');
  });

  it('installs the completion at the named place', async () => {
    const block = blockWith('completion install').replace(' install', ' install --yes');
    const home = freshHome();
    const env = { SHELL: '/bin/bash' };
    expect((await shell(block, { home, env })).exitCode).toBe(0);
    const script = join(home, '.local/share/bash-completion/completions/social');
    const text = readFileSync(join(root, 'completions/social.bash'), 'utf8');
    expect(readFileSync(script, 'utf8').startsWith(text)).toBe(true);
    const started = await shell('shopt -s expand_aliases; . "$HOME/.bashrc"; complete -p social', {
      home,
    });
    expect(started).toMatchObject({ exitCode: 0 });
    expect(started.stdout).toContain('_social');
  });
});

interface Described {
  commands: { path: string; group: boolean; flags: Flag[] }[];
  globalFlags: Flag[];
}
interface Flag {
  long?: string;
  short?: string;
}

/** Returns the commands in the code of a page, without pipes and redirections. */
function commandsOf(page: string): string[] {
  const text = readFileSync(join(root, page), 'utf8');
  const blocks = [...text.matchAll(/```(?:sh|bash|console|text)\n(.*?)```/gs)].flatMap(([, body]) =>
    body!.split('\n').filter((line) => !/^\s*#/.test(line)),
  );
  const spans = [...text.replaceAll(/```.*?```/gs, '').matchAll(/`([^`\n]+)`/g)].map(
    ([, span]) => span!,
  );
  return [...blocks, ...spans.filter((span) => span.startsWith('social '))].flatMap((line) =>
    [...line.matchAll(/(?:^|[\s(|'])social ((?:[^"'|;&)#>]|"[^"]*"|'[^']*')+)/g)].map(
      ([, words]) => words!,
    ),
  );
}

/** True for the global flags with a value that pages write before a command. */
const takesValue = (word: string | undefined) => word === '-C' || word === '--base-url';

it('names only existing commands and flags', async () => {
  const { stdout } = await testCli().social(['__tree']);
  const { commands, globalFlags } = JSON.parse(stdout) as Described;
  const help = [
    { long: '--help', short: '-h' },
    { long: '--version', short: '-V' },
  ];
  const isThere = (line: string) => {
    const words = splitWords(line);
    const plain = words.filter((word, i) => !/^[-<]/.test(word) && !takesValue(words[i - 1]));
    const found = commands.findLast(({ path }) => `${plain.join(' ')} `.startsWith(`${path} `));
    if (found === undefined) return plain.length === 0 || plain[0]!.startsWith('__');
    if (found.group && plain.length > found.path.split(' ').length) return false;
    const described = [...globalFlags, ...help, ...found.flags];
    const flags = described.flatMap(({ long, short }) => [long, short]);
    return words.every((word) => !/^--?[a-z]/i.test(word) || flags.includes(word));
  };
  const lines = pages.flatMap((page) => commandsOf(page).map((line) => [page, line] as const));
  expect(lines.length).toBeGreaterThan(150);
  expect(lines.filter(([, line]) => !isThere(line))).toEqual([]);
});

/** Returns the headings of a page as a link names them. */
const anchorsOf = (text: string) =>
  [...text.replaceAll(/```.*?```/gs, '').matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\- ]/gu, '')
      .replaceAll(' ', '-'),
  );

it.each(pages)('%s has only working links', (page) => {
  const text = readFileSync(join(root, page), 'utf8');
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link!);
  const lost = links.filter((link) => {
    const [path = '', anchor] = link.split('#');
    if (/^[a-z]+:/.test(link)) return false;
    const target = path === '' ? page : join(dirname(page), path);
    if (!existsSync(join(root, target))) return true;
    return (
      anchor !== undefined && !anchorsOf(readFileSync(join(root, target), 'utf8')).includes(anchor)
    );
  });
  expect(lost).toEqual([]);
});

it.each(pages)('%s names only existing files', (page) => {
  const text = readFileSync(join(root, page), 'utf8');
  const named = [...text.matchAll(/`((?:src|test|scripts|tools)\/[\w./-]+)`/g)].map(
    ([, path]) => path!,
  );
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
