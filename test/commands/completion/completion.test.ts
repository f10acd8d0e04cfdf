// Completion as it is felt: real shells, the committed scripts, keys pressed. A shell that is not installed is
// skipped by name. What was typed is never run.

import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type AskedProgram,
  completeInProcess,
  isInstalled,
  programInProcess,
  type Shell,
  startShell,
  fishOffers,
  withoutDescription,
} from '../../support/shells.ts';
import { social, freshHome, root } from '../../support/program.ts';
import { needsUnix } from '../../support/unix.ts';

const script = (name: string) =>
  fileURLToPath(new URL(`../../../completions/${name}`, import.meta.url));

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
  ['posts retry --cause con', ['posts', 'retry', '--cause', 'content']],
  ['posts retry --cause=temporary,rec', ['posts', 'retry', '--cause=temporary,reconnect']],
  ['posts wait --platform lin', ['posts', 'wait', '--platform', 'linkedin']],
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
  ['schema po', ['schema', 'posts']],
  ['schema posts wa', ['schema', 'posts', 'wait']],
  ['schema accounts mastodon boo', ['schema', 'accounts', 'mastodon', 'bookmark', 'boost']],
];

/** Where an id is wanted, or nothing more, nothing is offered: not even the files that are there. */
const silent = [
  'posts get ',
  'posts get h',
  'posts retry PostSpringLaunch --target ',
  'posts get -a ',
  'posts get -- --js',
  'nothing ',
  // It has no schema, and after a whole command nothing follows: no ids, and no files.
  'schema doc',
  'schema webhooks ev',
  'help posts get P',
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

/** Words that would do something, or look like something else, if a shell took them for more than words. */
const hostile = [
  '$(touch ran)',
  '`touch ran`',
  "'",
  '"',
  'a b',
  'x\ny',
  '--yes',
  '-C',
  ';ls',
  '$HOME',
  '*',
];

/** A machine with two services, on which some ids were seen, and files in which somebody has written more. */
function setup(): Readonly<Record<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'social-machine-'));
  folders.push(folder);
  const contexts = Object.fromEntries(
    [...hostile, 'prod', 'staging'].map((name) => [name, { baseUrl: 'https://api.example/x' }]),
  );
  const config = { format: 1, context: 'prod', contexts };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config), { mode: 0o600 });
  const seen = [
    ['https://api.example', 'post', 'PostOfProduction', 'Only there'],
    ['https://api.example', 'account', 'AccountOfProduct', ''],
    ...hostile.map((id) => ['sandbox', 'post', id, 'hostile']),
    ...hostile.map((word, i) => [
      'sandbox',
      'target',
      `TargetSpring${'abcdefghijkl'[i]!}aaa`,
      word,
    ]),
    ['sandbox', 'target', 'TargetSpringLink', 'linkedin: failed \u001b[31m$(touch ran)'],
    ['sandbox', 'channel', '112233445566778899', 'announcements'],
    ['sandbox', 'message', '998877665544332211', ''],
    ['sandbox', 'post', 'PostAutumnRecaps', 'Recap'],
    ['sandbox', 'post', 'PostSpringLaunch', 'Spring launch, partial'],
    ['sandbox', 'post', 'too-short', ''],
  ];
  const text = seen.map((line) => line.join('\t').replaceAll('\n', '\\n')).join('\n');
  writeFileSync(join(folder, 'seen.tsv'), `${text}\n`, { mode: 0o600 });
  const intent = '{"id":"abcdef123456","startedAt":"","command":"posts retry","ids":["PostX"]}';
  writeFileSync(join(folder, 'history.ndjson'), `${intent}\n`, { mode: 0o600 });
  return { SOCIAL_CONFIG_DIR: folder, SOCIAL_STATE_DIR: folder };
}

const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

const sandbox = ['-C', 'sandbox'];

/** What comes from this machine: the line typed, what stays of it, and the candidates. */
const looked: readonly (readonly [
  line: string,
  kept: readonly string[],
  candidates: readonly string[],
])[] = [
  ['-C ', ['-C'], ['prod', 'sandbox', 'staging']],
  ['--context=st', [], ['--context=staging']],
  ['context use pr', ['context', 'use'], ['prod']],
  ['posts get ', ['posts', 'get'], ['PostOfProduction']],
  ['posts get -a ', ['posts', 'get', '-a'], ['AccountOfProduct']],
  ['-C sandbox posts get ', [...sandbox, 'posts', 'get'], ['PostAutumnRecaps', 'PostSpringLaunch']],
  ['posts get -Csandbox PostS', ['posts', 'get', '-Csandbox'], ['PostSpringLaunch']],
  [
    '--context=sandbox posts get PostSpringLaunch PostA',
    ['--context=sandbox', 'posts', 'get', 'PostSpringLaunch'],
    ['PostAutumnRecaps'],
  ],
  [
    'posts retry PostSpringLaunch -C sandbox --target TargetSpringL',
    ['posts', 'retry', 'PostSpringLaunch', ...sandbox, '--target'],
    ['TargetSpringLink'],
  ],
  [
    '-C sandbox posts retry --target=TargetSpringL',
    [...sandbox, 'posts', 'retry'],
    ['--target=TargetSpringLink'],
  ],
  ['-C sandbox discord pins add ', [...sandbox, 'discord', 'pins', 'add'], ['112233445566778899']],
  [
    '-C sandbox discord pins add 1 ',
    [...sandbox, 'discord', 'pins', 'add', '1'],
    ['998877665544332211'],
  ],
  ['posts get -q -C sandbox PostS', ['posts', 'get', '-q', ...sandbox], ['PostSpringLaunch']],
  ['-C sandbox webhooks update ', [...sandbox, 'webhooks', 'update'], []],
  [
    '-C staging --base-url https://other.example posts get ',
    ['-C', 'staging', '--base-url', 'https://other.example', 'posts', 'get'],
    [],
  ],
  [
    '-C sandbox posts get PostSpringLaunch ',
    [...sandbox, 'posts', 'get', 'PostSpringLaunch'],
    ['PostAutumnRecaps'],
  ],
  [
    '-C sandbox posts retry --target TargetSpringLink,TargetSpringb',
    [...sandbox, 'posts', 'retry', '--target'],
    ['TargetSpringLink,TargetSpringbaaa'],
  ],
  [
    '-C sandbox posts retry --target=TargetSpringLink,TargetSpringb',
    [...sandbox, 'posts', 'retry'],
    ['--target=TargetSpringLink,TargetSpringbaaa'],
  ],
  [
    '-C sandbox posts retry --target TargetSpringbaaa,TargetSpringL',
    [...sandbox, 'posts', 'retry', '--target'],
    ['TargetSpringbaaa,TargetSpringLink'],
  ],
  ['config set color a', ['config', 'set', 'color'], ['always', 'auto']],
  ['config set output js', ['config', 'set', 'output'], ['json']],
  ['config set time', ['config', 'set'], ['timeout']],
  ['history show ', ['history', 'show'], ['abcdef123456']],
  ['posts get -- ', ['posts', 'get', '--'], ['PostOfProduction']],
  ['-Cst', [], ['-Cstaging']],
  ['-qCst', [], ['-qCstaging']],
  ['posts get -otab', ['posts', 'get'], ['-otable']],
  ['-qC sandbox posts get PostS', ['-qC', 'sandbox', 'posts', 'get'], ['PostSpringLaunch']],
  ["-C 'sandbox' posts get PostS", [...sandbox, 'posts', 'get'], ['PostSpringLaunch']],
  ['-C "sandbox" posts get PostS', [...sandbox, 'posts', 'get'], ['PostSpringLaunch']],
  ["posts reply --text 'a b' --targ", ['posts', 'reply', '--text', 'a b'], ['--target']],
  [String.raw`posts reply --text a\ b --targ`, ['posts', 'reply', '--text', 'a b'], ['--target']],
  ['nothing --js', ['nothing'], ['--json']],
  ['posts reply PostOfProduction --edi', ['posts', 'reply', 'PostOfProduction'], ['--editor']],
  ['-- posts ret', ['--', 'posts'], ['retry']],
];

type Answering = (asked: readonly string[], env: Readonly<Record<string, string>>) => unknown;
const byProgram: Answering = async (asked, env) =>
  (await social(['__complete', ...asked], { env })).stdout;

/** What is answered about a line, of which blanks part the words: those that go on from what is typed. */
async function answered(
  line: string,
  env: Readonly<Record<string, string>>,
  answer: Answering = completeInProcess,
) {
  const words = line.split(' ');
  const said = (await answer([String(words.length - 1), ...words], env)) as string;
  const offers = said.split('\n').slice(1, -1);
  return offers
    .map((each) => each.split('\t')[0]!)
    .filter((word) => word.startsWith(words.at(-1)!));
}

describe('the program', () => {
  const plain = looked.filter(([line]) => !/["'\\]/.test(line));

  it.each(plain)('answers every shell alike: %s', async (line, _kept, wanted) => {
    expect((await answered(line, setup())).toSorted()).toEqual(wanted);
  });

  it.each([...inserted, ...silent.map((line) => [line, line.split(' ')] as const)])(
    'answers every shell alike, with nothing known here: %s',
    async (line, words) => {
      const wanted = words.slice(line.split(' ').length - 1);
      const typed = wanted.length === 1 && silent.includes(line) ? [] : wanted;
      expect((await answered(line, {})).toSorted()).toEqual(typed);
    },
  );

  it('answers in silence, and keeps nothing: neither of the line nor of itself', async () => {
    const home = freshHome();
    const lines = ['1 -C ', '2 posts get P', 'x', '9 -- --', '', '1 config $(touch ran)'];
    for (const line of lines) {
      const outcome = await social(['__complete', ...line.split(' ')], { home });
      expect(outcome).toMatchObject({ exitCode: 0, stderr: '' });
    }
    expect(readdirSync(home)).toEqual([]);
  });

  it('waits for nothing, and says what it can, where files are pipes or cannot be read', async () => {
    needsUnix('named pipes');
    const home = freshHome();
    for (const name of ['config.json', 'seen.tsv', 'history.ndjson'])
      spawnSync('mkfifo', [join(home, name)]);
    const env = { SOCIAL_CONFIG_DIR: home, SOCIAL_STATE_DIR: home };
    expect(await answered('-C ', env, byProgram)).toEqual(['sandbox']);
    expect(await answered('-C sandbox posts get ', env, byProgram)).toEqual([]);
    expect(await answered('posts ret', env, byProgram)).toEqual(['retry']);
  });
});

describe.each(['bash', 'zsh'] as const)('%s', (name) => {
  suite(name)('with what this machine knows', () => {
    let program: AskedProgram;
    let shell: Shell;
    beforeAll(async () => {
      const machine = setup();
      program = await programInProcess(machine);
      shell = await startShell(name, undefined, machine, program);
    });
    afterAll(() => {
      shell.close();
      program.close();
    });

    it.each(looked)('%s', async (line, kept, wanted) => {
      const words = await shell.complete(line);
      expect(words.slice(0, kept.length)).toEqual(kept);
      expect(words.slice(kept.length).toSorted()).toEqual(wanted);
    });

    it('completes in the middle of a line, by all of it', async () => {
      const ids = await shell.complete('posts get PostS -C sandbox', ' -C sandbox'.length);
      expect(ids).toEqual(['posts', 'get', 'PostSpringLaunch', '-C', 'sandbox']);
      const blank = await shell.complete(
        'posts get  --context=sandbox',
        ' --context=sandbox'.length,
      );
      expect(blank.join(' ')).toMatch(/^posts get Post[^]*Post[^]*--context=sandbox$/);
      const word = await shell.complete('posts ret PostX --failed', ' PostX --failed'.length);
      expect(word).toEqual(['posts', 'retry', 'PostX', '--failed']);
    });

    it('offers no third id where two are taken', async () => {
      const words = await shell.complete('-C sandbox discord pins add 1 2 ');
      expect(words).toContain('--json');
      expect(words.join(' ')).not.toMatch(/\d{18}/);
    });

    it('needs no mark of the shell’s before a comma, and offers no word of a list twice', async () => {
      const seen = await shell.tab('webhooks create --event post.published,');
      expect(seen).not.toContain('\\,');
      const last = await shell.complete('webhooks create --event post.published,post.pub');
      expect(last).toEqual('webhooks create --event post.published,post.pub'.split(' '));
    });

    it('shows what it is of, and nothing that drives the terminal', async () => {
      const seen = await shell.tab('-C sandbox posts retry --target ');
      expect(seen.includes('linkedin: failed')).toBe(name === 'zsh');
      expect(seen).not.toContain('\u001b[31m$');
      expect(readdirSync(shell.folder)).not.toContain('ran');
    });

    it.each([
      ...traps.slice(0, 3),
      '-C $(touch ran) posts get ',
      '-C "$(touch ran)" posts get ',
      '--base-url=`touch ran` posts get P',
      'posts get $(touch ran) ',
      "posts get '$(touch ran) ",
      'posts get -- $(touch ran) ',
    ])('runs nothing of %s', async (line) => {
      await shell.press(line);
      expect(readdirSync(shell.folder)).not.toContain('ran');
    });
  });

  suite(name)('at a terminal', () => {
    let program: AskedProgram;
    let shell: Shell;
    beforeAll(async () => {
      program = await programInProcess();
      shell = await startShell(name, undefined, {}, program);
    });
    afterAll(() => {
      shell.close();
      program.close();
    });

    it('offers what can follow', async () => {
      const seen = await shell.tab('posts ');
      expect(seen).toMatch(/get\b[^]*reply\b[^]*retry\b/);
      const forms = await shell.complete('-o ');
      expect(forms.slice(1).toSorted()).toEqual(['json', 'ndjson', 'table', 'tsv', 'wide']);
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
      const joined = ['posts', 'reply', '--text-file=a note.txt'];
      expect(await shell.complete('posts reply --text-file=a')).toEqual(joined);
      const folder = ['posts', 'retry', '--journal', 'notes'];
      expect(await shell.complete('posts retry --journal no')).toEqual(folder);
      expect(await shell.tab('posts get PostX > a')).toMatch(/a\\? ?note\.txt/);
    });

    it('goes on from a word in quotes', async () => {
      expect(await shell.tab('posts "repl')).toContain('posts "reply');
      expect(await shell.tab("webhooks create --event 'post.fai")).toContain("'post.failed");
    });

    it.each(traps)('runs nothing of %s', async (line) => {
      await shell.press(line);
      expect(readdirSync(shell.folder)).not.toContain('ran');
    });
  });

  suite(name)('with the built program', () => {
    it('inserts the same', async () => {
      const shell = await startShell(name, undefined, setup());
      try {
        const ids = await shell.complete('-C sandbox posts get ');
        expect(ids.slice(0, 4)).toEqual([...sandbox, 'posts', 'get']);
        expect(ids.slice(4).toSorted()).toEqual(['PostAutumnRecaps', 'PostSpringLaunch']);
        const target = await shell.complete('-C sandbox posts retry --target=TargetSpringL');
        expect(target).toEqual([...sandbox, 'posts', 'retry', '--target=TargetSpringLink']);
        await shell.press(traps[0]!);
        expect(readdirSync(shell.folder)).not.toContain('ran');
      } finally {
        shell.close();
      }
    });
  });

  suite(name)('set up another way', () => {
    const file = script(name === 'bash' ? 'social.bash' : '_social');
    it.each([
      ['sourced twice', `source "${file}"; source "${file}"`],
      ['evaluated', `eval "$(cat "${file}")"`],
      name === 'bash'
        ? ['under strict options', `source "${file}"; set -eu; set -o pipefail`]
        : ['found by its name', `fpath=("${dirname(file)}" $fpath); compinit -D -u`],
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

suite('bash')('a bash that cannot be told to offer files itself', () => {
  it('is offered them', async () => {
    const shell = await startShell('bash', `enable -n compopt; source "${script('social.bash')}"`);
    try {
      const words = ['posts', 'reply', '--text-file'];
      expect(await shell.complete('posts reply --text-file a')).toEqual([...words, 'a note.txt']);
      expect(await shell.complete('posts reply --text-file=a')).toEqual([
        ...words.slice(0, 2),
        '--text-file=a note.txt',
      ]);
      await shell.tab('posts reply --text-file $(touch ran)');
      expect(readdirSync(shell.folder)).not.toContain('ran');
    } finally {
      shell.close();
    }
  });
});

describe.each([
  ['bash', '_social() { eval "x=(${COMP_LINE})"; }; complete -F _social social'],
  ['zsh', '_social() { eval "x=(${BUFFER})"; }; compdef _social social'],
] as const)('the traps in %s', (name, careless) => {
  suite(name)('an evaluating script', () => {
    let shell: Shell;
    beforeAll(async () => {
      shell = await startShell(name, careless);
    });
    afterAll(() => shell.close());

    it.each(traps.slice(0, 3))('would be caught by %s', async (line) => {
      await shell.press(line);
      expect(readdirSync(shell.folder)).toContain('ran');
    });
  });
});

suite('fish')('fish with what this machine knows', () => {
  const ids = '-C sandbox posts get ';
  const target = '-C sandbox posts retry --target TargetSpringL';
  const more = ['-C $(touch ran) posts get ', 'posts get (touch ran) ', 'posts get "$(touch ran)'];
  const folder = mkdtempSync(join(tmpdir(), 'social-fish-'));
  folders.push(folder);
  let offered: ReadonlyMap<string, readonly string[]>;
  beforeAll(async () => {
    const lines = [...looked.map(([line]) => line), ids, target, ...traps, ...more];
    const machine = setup();
    const program = await programInProcess(machine);
    offered = await fishOffers(lines, folder, machine, program);
    program.close();
  }, 120_000);

  it('has the same from the built program', async () => {
    const lines = [ids, target, ...traps.slice(0, 2)];
    const fromBuilt = await fishOffers(lines, folder, setup());
    expect([...fromBuilt]).toEqual(lines.map((line) => [line, offered.get(line)]));
  });

  it.each(looked)('%s', (line, _kept, wanted) => {
    expect(withoutDescription(offered.get(line)!).toSorted()).toEqual(wanted);
  });

  it('says what each is, the newest first, and nothing that drives the terminal', () => {
    expect(offered.get(ids)).toEqual([
      'PostSpringLaunch\tSpring launch, partial',
      'PostAutumnRecaps\tRecap',
    ]);
    expect(offered.get(target)![0]).toBe('TargetSpringLink\tlinkedin: failed [31m$(touch ran)');
  });

  it('runs nothing of what was typed', () => {
    expect(existsSync(join(folder, 'ran'))).toBe(false);
  });
});

suite('fish')('fish', () => {
  const folder = mkdtempSync(join(tmpdir(), 'social-fish-'));
  folders.push(folder);
  let offered: ReadonlyMap<string, readonly string[]>;
  beforeAll(async () => {
    const lines = ['posts ', '-o ', ...inserted.map(([line]) => line), ...silent, ...traps];
    const program = await programInProcess();
    offered = await fishOffers(lines, folder, {}, program);
    program.close();
  }, 120_000);
  const offers = (line: string) => withoutDescription(offered.get(line)!);

  it('offers what can follow', () => {
    expect(offers('posts ')).toEqual(expect.arrayContaining(['get', 'reply', 'retry']));
    expect(offers('-o ').toSorted()).toEqual(['json', 'ndjson', 'table', 'tsv', 'wide']);
  });

  it.each(inserted)('%s', (line, words) => {
    // Fish is asked for its candidates; what is typed before them is not among them.
    const candidates = words.slice(line.split(' ').length - 1);
    expect(offers(line).toSorted()).toEqual(candidates);
  });

  it.each(silent)('offers nothing after %s', (line) => {
    expect(offers(line)).toEqual([]);
  });

  it('offers files where a flag takes one', async () => {
    const line = 'posts reply --text-file soc';
    const [shown] = (await fishOffers([line], join(root, 'completions'))).values();
    expect(withoutDescription(shown!)).toContain('social.fish');
  });

  it('runs nothing of what was typed', () => {
    expect(existsSync(join(folder, 'ran'))).toBe(false);
  });
});

describe('PowerShell', () => {
  it('is plain ASCII, invokes nothing', () => {
    const text = readFileSync(script('social.ps1'), 'utf8');
    expect(text).toMatch(/^[\n\x20-\x7e]*$/);
    expect(text).not.toMatch(/Invoke-|iex\b|&\s*\$/);
    expect(text).toContain(`if ($value.Contains('@')) { "'$value'" }`);
  });

  it.skipIf(!isInstalled('pwsh'))('is read without a fault', () => {
    const command = `$e = $null; [void][System.Management.Automation.Language.Parser]::ParseFile('${script('social.ps1')}', [ref]$null, [ref]$e); $e.Count`;
    const { stdout } = spawnSync('pwsh', ['-NoProfile', '-Command', command], { encoding: 'utf8' });
    expect(stdout.trim()).toBe('0');
  });
});
