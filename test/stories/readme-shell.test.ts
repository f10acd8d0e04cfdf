// What a reader of the README types outside of its console blocks, and where it leads them: shell blocks run in a
// shell, every command that is named exists, every link leads somewhere.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freshHome, root, shell } from '../support/program.ts';
import { testCli } from '../support/test-cli.ts';

const readme = readFileSync(join(root, 'README.md'), 'utf8');
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

/** The shell block that holds a text. */
const blockWith = (text: string) =>
  [...readme.matchAll(/```sh\n(.*?)```/gs)]
    .map(([, body]) => body!)
    .find((body) => body.includes(text))!;

describe('a shell block', () => {
  it('shows why a post failed and retries it, as the first thing a reader types', async () => {
    const { exitCode, stdout } = await shell(blockWith('posts retry PostSpringLaunch'));
    // One of the two targets fails again: that is how the sandbox begins.
    expect(exitCode).toBe(10);
    expect(stdout).toMatch(/linkedin\tfailed\t.*linkedin\tpublished\t/s);
  }, 60_000);

  it('retries a list by a journal, and the second time there is nothing to do', async () => {
    const { exitCode, stderr } = await shell(`cd "$HOME"\n${blockWith('tonight.journal')}`);
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/ok 242, failed 0, unknown 0.*nothing to do \(242 done\)/s);
  }, 60_000);

  it('logs in, protects the context and tells which token counts', async () => {
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

  it('installs the completion where it says', async () => {
    const block = `mkdir -p "$HOME/.config/fish/completions"\n${blockWith('completion bash')}`;
    const home = freshHome();
    expect((await shell(block, { home })).exitCode).toBe(0);
    const fish = readFileSync(join(home, '.config/fish/completions/social.fish'), 'utf8');
    expect(fish).toBe(readFileSync(join(root, 'completions/social.fish'), 'utf8'));
    const started = await shell('shopt -s expand_aliases; . "$HOME/.bashrc"; complete -p social', {
      home,
    });
    expect(started).toMatchObject({ exitCode: 0 });
    expect(started.stdout).toContain('_social');
  });
});

it('names the two commands that do all the set-up, before anything that needs an installed program', () => {
  const lines = [...readme.matchAll(/```(?:sh|console)\n(.*?)```/gs)].flatMap(([, body]) =>
    body!.split('\n').filter((line) => line !== ''),
  );
  const at = (start: string) => lines.findIndex((line) => line.startsWith(start));
  const used = lines.findIndex((line) => /^(?:\$ )?social /.test(line));
  expect(at('npm ci && npm run demo')).toBe(0);
  expect(at('npm cit')).toBe(1);
  expect(at('npm ci && npm pack && npm install --global')).toBeGreaterThan(1);
  expect(at('npm ci && npm pack && npm install --global')).toBeLessThan(used);
});

it('installs a copy of the program that works without the checkout', async () => {
  // What npm ci and npm pack do before is the build, and the package's own test.
  const home = freshHome();
  const script = `cd "$HOME"
    npm pack --ignore-scripts --silent "$CHECKOUT"
    npm install --global --ignore-scripts --offline --omit=optional --prefix "$HOME/p" ./social-*.tgz >&2
    test ! -L "$HOME/p/lib/node_modules/social"
    "$HOME/p/bin/social" --version
    npm uninstall --global --prefix "$HOME/p" social >&2
    test ! -e "$HOME/p/bin/social"`;
  const { exitCode, stdout } = await shell(`set -e\n${script}`, {
    home,
    env: { CHECKOUT: root },
  });
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/\.tgz\n\d+\.\d+\.\d+\n$/);
}, 60_000);

/** Words of commands, as the tour names them: up to the first flag or placeholder. */
const named = [...readme.matchAll(/`social ((?:[a-z][a-z-]*(?: |(?=`)))+)/g)].map(([, words]) =>
  words!.trim(),
);

it('names only commands that there are', async () => {
  const { stdout } = await testCli().social(['commands', '--json']);
  const { commands } = JSON.parse(stdout) as { commands: { path: string }[] };
  const paths = new Set(commands.map(({ path }) => path));
  expect(named.length).toBeGreaterThan(8);
  const isThere = (words: string) => paths.has(words) || paths.has(words.split(' ')[0]!);
  expect(named.filter((words) => !isThere(words))).toEqual([]);
});

it.each(pages)('%s has links that lead somewhere', (page) => {
  const text = readFileSync(join(root, page), 'utf8');
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link!);
  const local = links.filter((link) => !/^(?:[a-z]+:|#)/.test(link));
  const paths = local.map((link) => join(dirname(page), link.replace(/#.*/, '')));
  const lost = paths.filter((path) => !existsSync(join(root, path)));
  expect(lost).toEqual([]);
});
