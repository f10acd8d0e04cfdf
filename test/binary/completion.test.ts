// Completion as it is felt: real shells, the committed scripts, keys pressed. A shell that is not installed is
// skipped by name. What was typed is never run.

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fishOffers, isInstalled, startShell, type Shell } from '../support/shells.ts';
import { temporaryFolder } from '../support/world.ts';

const script = (name: string) =>
  fileURLToPath(new URL(`../../completions/${name}`, import.meta.url));

/** A suite for a shell, or a line that says why there is none. */
const suite = (shell: 'bash' | 'zsh' | 'fish' | 'pwsh') => {
  const installed = isInstalled(shell);
  if (!installed) console.log(`skipped: ${shell} is not installed`);
  return installed ? describe : describe.skip;
};

/** What every shell must complete: the words typed, and the words on the line afterwards. */
const inserted: readonly (readonly [line: string, words: readonly string[]])[] = [
  ['posts ret', ['posts', 'retry']],
  ['posts retry --ta', ['posts', 'retry', '--target']],
  ['posts retry PostSpringLaunch --faile', ['posts', 'retry', 'PostSpringLaunch', '--failed']],
  ['webhooks create --event post.f', ['webhooks', 'create', '--event', 'post.failed']],
  ['webhooks create --event=post.f', ['webhooks', 'create', '--event=post.failed']],
  [
    'webhooks create --event post.failed,post.par',
    ['webhooks', 'create', '--event', 'post.failed,post.partial'],
  ],
  ['-o js', ['-o', 'json']],
  ['posts get -o ta', ['posts', 'get', '-o', 'table']],
  ['posts get --output=nd', ['posts', 'get', '--output=ndjson']],
  ['-C sandbox --json posts ret', ['-C', 'sandbox', '--json', 'posts', 'retry']],
  ['posts --context posts get --no-i', ['posts', '--context', 'posts', 'get', '--no-input']],
  ['accounts mastodon boo', ['accounts', 'mastodon', 'bookmark', 'boost']],
  ['accounts mastodon boost --dry', ['accounts', 'mastodon', 'boost', '--dry-run']],
  ['completion po', ['completion', 'powershell']],
  ['help exit', ['help', 'exit-codes']],
  ['help connect tele', ['help', 'connect', 'telegram']],
];

/** Where an id is wanted, or nothing more, nothing is offered: not even the files that are there. */
const silent = [
  'posts get ',
  'posts get h',
  'posts retry PostSpringLaunch --target ',
  'posts get -a ',
  'posts get -- --js',
  'nothing ',
];

/** Lines that would do something if anything in them were evaluated. */
const traps = [
  'x $(touch ran) ',
  'x `touch ran` ',
  '$(touch ran) ',
  'posts "$(touch ran)',
  'posts retry $(touch ran) --ta',
  'webhooks create --event $(touch${IFS}ran),post.f',
  'webhooks create --event=$(touch${IFS}ran)',
  '--output=$(touch${IFS}ran)',
  '-o `touch${IFS}ran`',
  'posts retry ${x[$(touch ran)]} --ta',
  '$(touch ran)=',
];

describe.each(['bash', 'zsh'] as const)('%s', (name) => {
  suite(name)('at a terminal', () => {
    let shell: Shell;
    beforeAll(async () => {
      shell = await startShell(name);
    });
    afterAll(() => shell.close());

    it('offers what can follow', async () => {
      const seen = await shell.tab('posts ');
      expect(seen).toMatch(/get\b[^]*reply\b[^]*retry\b/);
      const forms = await shell.complete('-o ');
      expect(forms.slice(1).toSorted()).toEqual(['json', 'ndjson', 'table', 'tsv']);
    });

    it.each(inserted)('%s', async (line, words) => {
      expect(await shell.complete(line)).toEqual(words);
    });

    it.each(silent)('offers nothing after %s', async (line) => {
      expect(await shell.complete(line)).toEqual(line.split(' ').filter(Boolean));
    });

    it('offers files where a flag takes one', async () => {
      const words = ['posts', 'reply', '--text-file', 'a note.txt'];
      expect(await shell.complete('posts reply --text-file a')).toEqual(words);
    });

    it.each(traps)('runs nothing of %s', async (line) => {
      await shell.tab(line);
      expect(readdirSync(shell.folder)).not.toContain('ran');
    });
  });

  suite(name)('set up another way', () => {
    const file = script(name === 'bash' ? 'social.bash' : '_social');
    it.each([
      ['sourced twice', `source ${file}; source ${file}`],
      ['evaluated', `eval "$(cat ${file})"`],
      name === 'bash'
        ? ['under strict options', `source ${file}; set -u`]
        : ['found by its name', `fpath=(${dirname(file)} $fpath); compinit -D -u`],
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

suite('bash')('the traps', () => {
  it('would catch a script that evaluates the line', async () => {
    const careless = '_social() { eval "x=(${COMP_LINE})"; }; complete -F _social social';
    const shell = await startShell('bash', careless);
    try {
      await shell.tab(traps[0]!);
      expect(readdirSync(shell.folder)).toContain('ran');
    } finally {
      shell.close();
    }
  });
});

const offers = (line: string) => fishOffers(line, temporaryFolder());

suite('fish')('fish', () => {
  it('offers what can follow', () => {
    expect(offers('posts ')).toEqual(expect.arrayContaining(['get', 'reply', 'retry']));
    expect(offers('-o ').toSorted()).toEqual(['json', 'ndjson', 'table', 'tsv']);
  });

  it.each(inserted)('%s', (line, words) => {
    // Fish is asked for its candidates; what is typed before them is not among them.
    const candidates = words.slice(line.split(' ').length - 1);
    expect(offers(line).toSorted()).toEqual(candidates);
  });

  it.each(silent)('offers nothing after %s', (line) => {
    expect(offers(line)).toEqual([]);
  });

  it('offers files where a flag takes one', () => {
    expect(
      fishOffers(
        'posts reply --text-file soc',
        fileURLToPath(new URL('../../completions', import.meta.url)),
      ),
    ).toContain('social.fish');
  });

  it.each(traps)('runs nothing of %s', (line) => {
    const folder = temporaryFolder();
    fishOffers(line, folder);
    expect(existsSync(join(folder, 'ran'))).toBe(false);
  });
});

describe('PowerShell', () => {
  it('is plain ASCII, invokes nothing', () => {
    const text = readFileSync(script('social.ps1'), 'utf8');
    expect(text).toMatch(/^[\n\x20-\x7e]*$/);
    expect(text).not.toMatch(/Invoke-|iex\b|&\s*\$/);
  });

  it.skipIf(!isInstalled('pwsh'))('is read without a fault', () => {
    const command = `$e = $null; [void][System.Management.Automation.Language.Parser]::ParseFile('${script('social.ps1')}', [ref]$null, [ref]$e); $e.Count`;
    const { stdout } = spawnSync('pwsh', ['-NoProfile', '-Command', command], { encoding: 'utf8' });
    expect(stdout.trim()).toBe('0');
  });
});
