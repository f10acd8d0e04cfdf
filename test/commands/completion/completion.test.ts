// Completion as it is felt: real shells, the committed scripts, keys pressed. A shell that is not installed is
// skipped by name. What was typed is never run.

import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  fishOffers,
  isInstalled,
  type Shell,
  type ShellName,
  startShell,
  withoutDescription,
} from '../../support/shells.ts';
import { freshHome, root, social } from '../../support/program.ts';

const script = (name: string) =>
  fileURLToPath(new URL(`../../../completions/${name}`, import.meta.url));

/** A suite for a shell, or a line that says why there is none. */
const suite = (shell: ShellName) => {
  const installed = isInstalled(shell);
  if (!installed) console.log(`skipped: ${shell} is not installed`);
  return installed ? describe : describe.skip;
};

/**
 * Completion in every shell: the line typed, the part of it that stays, and the candidates for its last word. The shells
 * get the same answers, which complete.test.ts tests; each line here is taken apart by a shell in another way.
 */
const completed: readonly (readonly [line: string, kept: string, candidates: string])[] = [
  ['posts ret', 'posts', 'retry'],
  ['-C ', '-C', 'prod sandbox staging'],
  ['--context=st', '', '--context=staging'],
  ['-C sandbox posts get ', '-C sandbox posts get', 'PostAutumnRecaps PostSpringLaunch'],
  ["-C 'sandbox' posts get PostS", '-C sandbox posts get', 'PostSpringLaunch'],
  [
    '-C sandbox posts retry --target=TargetSpringLink,TargetSpringb',
    '-C sandbox posts retry',
    '--target=TargetSpringLink,TargetSpringbaaa',
  ],
  // Where an ID is wanted nothing else is offered: not even the files that are there.
  ['posts get h', 'posts get h', ''],
];

/** Lines that would do something if anything in them were evaluated. */
const traps = [
  'x $(touch ran) `touch ran` ',
  '$(touch ran) ',
  'posts "$(touch ran)',
  "posts get '$(touch ran) ",
  'webhooks create --event $(touch${IFS}ran),post.f',
  '--output=$(touch${IFS}ran)',
  'posts retry $(touch ran) ${x[$(touch ran)]} --ta',
  'posts reply --text-file $(touch${IFS}ran)',
  '$(touch ran)=',
];

/** Words that would do something, or look like something else, if a shell took them for more than words. */
const hostile = [
  '$(touch ran)',
  '`touch ran`',
  "'",
  '"',
  'a b',
  '--yes',
  '-C',
  ';ls',
  '$HOME',
  '*',
];

/** A machine with two services on which some IDs were seen, and with files that were edited by hand. */
function machine(): Readonly<Record<string, string>> {
  const folder = temporary();
  const contexts = Object.fromEntries(
    [...hostile, 'prod', 'staging'].map((name) => [name, { baseUrl: 'https://api.example/x' }]),
  );
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ context: 'prod', contexts }));
  const seen = [
    ['https://api.example', 'post', 'PostOfProduction', 'Only there'],
    ...hostile.map((id) => ['sandbox', 'post', id, 'hostile']),
    ...hostile.map((word, i) => ['sandbox', 'target', `TargetSpring${'abcdefghij'[i]}aaa`, word]),
    ['sandbox', 'target', 'TargetSpringLink', 'linkedin: failed \u001b[31m$(touch ran)'],
    ['sandbox', 'message', '998877665544332211', ''],
    ['sandbox', 'post', 'PostAutumnRecaps', 'Recap'],
    ['sandbox', 'post', 'PostSpringLaunch', 'Spring launch, partial'],
  ];
  writeFileSync(join(folder, 'seen.tsv'), seen.map((line) => `${line.join('\t')}\n`).join(''));
  return { SOCIAL_CONFIG_DIR: folder, SOCIAL_STATE_DIR: folder };
}

const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'social-completion-'));
  folders.push(folder);
  return folder;
}

const wordsIn = (text: string): readonly string[] => text.split(' ').filter(Boolean);

it('the built program completes without errors, and stores nothing', async () => {
  const home = freshHome();
  const asked = await social(['__complete', 'social -o nd'], { home });
  expect(asked).toMatchObject({ exitCode: 0, stderr: '' });
  expect(asked.stdout).toMatch(/^words\tnd\tformat\n(?:.*\n)*ndjson\t\n/);
  expect(await social(['__complete'], { home })).toMatchObject({ exitCode: 0, stderr: '' });
  expect(readdirSync(home)).toEqual([]);
});

/** Lets zsh find the completion in a folder, and read only that folder and its own for it. */
const foundByName = (folder: string) =>
  `all=($fpath); fpath=("${folder}" \${^fpath}/compinit(N:h)); compinit -D -u; fpath+=($all)`;

describe.each(['bash', 'zsh'] as const)('%s', (name) => {
  suite(name)('at a terminal', () => {
    let shell: Shell;
    beforeAll(async () => {
      shell = await startShell(name, undefined, machine());
    });
    afterAll(() => shell.close());

    it.each(completed)('%s', async (line, kept, candidates) => {
      const words = await shell.complete(line);
      const stays = wordsIn(kept);
      expect(words.slice(0, stays.length)).toEqual(stays);
      expect(words.slice(stays.length).toSorted()).toEqual(wordsIn(candidates));
    });

    it('completes in the middle of a line', async () => {
      const words = await shell.complete('posts ret PostX --failed', ' PostX --failed'.length);
      expect(words).toEqual(['posts', 'retry', 'PostX', '--failed']);
      const list = await shell.tab('webhooks create --event post.published,', 'post.failed');
      expect(list).not.toContain('\\,');
    });

    it('shows the candidates, and no control characters', async () => {
      expect(await shell.tab('posts ', 'retry')).toMatch(/get\b[^]*reply\b[^]*retry\b/);
      const targets = await shell.tab('-C sandbox posts retry --target ', 'TargetSpring');
      expect(targets.includes('linkedin: failed')).toBe(name === 'zsh');
      expect(targets).not.toContain('\u001b[31m$');
    });

    it('offers files after a flag that takes one', async () => {
      const words = ['posts', 'reply', '--text-file', 'a note.txt'];
      expect(await shell.complete('posts reply --text-file a')).toEqual(words);
      const joined = ['posts', 'reply', '--text-file=a note.txt'];
      expect(await shell.complete('posts reply --text-file=a')).toEqual(joined);
    });

    it('continues a quoted word', async () => {
      const quoted = ['posts "reply', "webhooks create --event 'post.failed"];
      for (const line of quoted) expect(await shell.tab(line.slice(0, -2), line)).toContain(line);
    });

    it.each(traps)('runs nothing of %s', async (line) => {
      await shell.press(line);
      expect(readdirSync(shell.folder)).not.toContain('ran');
    });
  });

  suite(name)('with other shell settings', () => {
    const file = script(name === 'bash' ? 'social.bash' : '_social');
    it.each([
      ['sourced twice', `source "${file}"; source "${file}"`],
      ['evaluated', `eval "$(cat "${file}")"`],
      name === 'bash'
        ? ['under strict options', `source "${file}"; set -eu; set -o pipefail`]
        : ['found by its name', foundByName(dirname(file))],
    ])('%s', async (_how, source) => {
      const shell = await startShell(name, source);
      try {
        expect(await shell.complete('posts ret')).toEqual(['posts', 'retry']);
      } finally {
        shell.close();
      }
    });
  });
});

suite('bash')('an old bash, without file completion for scripts', () => {
  it('offers files when there is nothing else', async () => {
    const shell = await startShell('bash', `enable -n compopt; source "${script('social.bash')}"`);
    try {
      const words = ['posts', 'reply', '--text-file', 'a note.txt'];
      expect(await shell.complete('posts reply --text-file a')).toEqual(words);
      expect(await shell.complete('posts ret')).toEqual(['posts', 'retry']);
    } finally {
      shell.close();
    }
  });
});

suite('fish')('fish', () => {
  const folder = temporary();
  const ids = '-C sandbox posts get ';
  const target = '-C sandbox posts retry --target TargetSpringL';
  const lines = [...completed.map(([line]) => line), target, ...traps, 'posts get (touch ran) '];
  let offered: ReadonlyMap<string, readonly string[]>;
  beforeAll(async () => {
    offered = await fishOffers(lines, folder, machine());
  }, 120_000);

  it.each(completed)('%s', (line, _kept, candidates) => {
    expect(withoutDescription(offered.get(line)!).toSorted()).toEqual(wordsIn(candidates));
  });

  it('describes each candidate, the newest first, without control characters', () => {
    expect(offered.get(ids)).toEqual([
      'PostSpringLaunch\tSpring launch, partial',
      'PostAutumnRecaps\tRecap',
    ]);
    expect(offered.get(target)![0]).toBe('TargetSpringLink\tlinkedin: failed [31m$(touch ran)');
  });

  it('offers files after a flag that takes one', async () => {
    const line = 'posts reply --text-file soc';
    const [shown] = (await fishOffers([line], join(root, 'completions'))).values();
    expect(withoutDescription(shown!)).toContain('social.fish');
  });

  it('runs nothing of the typed line', () => {
    expect(existsSync(join(folder, 'ran'))).toBe(false);
  });
});
