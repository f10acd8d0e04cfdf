// What a shell is told at a TAB: lines as they are typed, and the candidates that go on from them. The same answer goes
// to every shell; what they make of it is in test/commands/completion/completion.test.ts.

import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testCli, temporaryFolder } from '../../support/test-cli.ts';
import type { CommandTree } from '../../../src/cli/read-command-tree.ts';
import { complete } from '../../../src/commands/completion/complete.ts';
import {
  toCompletionTree,
  type CompletionTree,
} from '../../../src/commands/completion/completion-tree.ts';
import { needsUnix } from '../../support/unix.ts';

let known: CompletionTree | undefined;

/** The command line of the program. */
async function prepared(): Promise<CompletionTree> {
  if (known !== undefined) return known;
  const { stdout } = await testCli().social(['commands', '--json', '--all']);
  return (known = toCompletionTree(JSON.parse(stdout) as CommandTree));
}

const config = {
  context: 'prod',
  contexts: { prod: { baseUrl: 'https://api.example' }, staging: {}, 'a b': {}, '$(x)': {} },
};
const seen = [
  'sandbox\ttarget\tTargetSpringMast\tmastodon, failed',
  'sandbox\ttarget\tTargetSpringLink\tlinkedin, failed',
  'sandbox\tpost\tPostSpringLaunch\tLaunch\u001b[31m\u202e',
  'https://api.example\tpost\tPostOfProduction\tFirst',
  'https://api.example\taccount\tAccountOfProduct\t',
];

/** A machine with these files. */
function setup(files: Readonly<Record<string, string>> = {}) {
  const folder = temporaryFolder();
  const all = { 'config.json': JSON.stringify(config), 'seen.tsv': seen.join('\n'), ...files };
  for (const [name, text] of Object.entries(all)) fs.writeFileSync(join(folder, name), text);
  return { env: {}, configDir: () => folder, stateDir: () => folder };
}

/** The answer where `|` stands for the cursor; without one it is at the end. Words are apart by single blanks. */
async function answer(line: string, around = setup()) {
  const [before = '', after = ''] = line.split('|');
  const words = before.split(' ');
  const asked = [String(words.length - 1), ...words, ...after.split(' ').filter(Boolean)];
  const text = complete(asked, await prepared(), around);
  const [first = '', ...rest] = text.slice(0, -1).split('\n');
  const [how, label] = first.split('\t');
  const offers = rest.map((each) => each.split('\t') as [word: string, text: string]);
  const typed = words.at(-1)!.replaceAll(/["']/g, '');
  const all = offers.map(([word]) => word);
  return { text, how, label, offers, fitting: all.filter((word) => word.startsWith(typed)) };
}

describe('the candidates that go on from a line', async () => {
  it.each<readonly [line: string, fitting: readonly string[]]>([
    // Commands, by each of their names.
    ['posts ', ['get', 'reply', 'retry', 'triage', 'wait']],
    ['posts re', ['reply', 'retry']],
    ['accounts mastodon boo', ['boost', 'bookmark']],
    ['accounts mastodon boost --dry', ['--dry-run']],
    ['help sch', ['schema']],
    ['help exit', ['exit-codes']],
    ['help posts ', ['get', 'reply', 'retry', 'triage', 'wait']],
    ['help posts --from', []],
    ['schema do', []],
    ['schema co', ['connect']],
    ['nothing ', []],
    ['nothing --js', ['--json']],
    ['posts get --', ['--from', '--json']],
    ['webhooks create ', ['--url', '--all-events', '-o']],
    ['--vers', ['--version']],
    ['posts --vers', []],
    // Values.
    ['-o ', ['table', 'wide', 'json', 'ndjson', 'tsv']],
    ['-o j', ['json']],
    ['--output=nd', ['--output=ndjson']],
    ['posts get -otab', ['-otable']],
    ['-Cst', ['-Cstaging']],
    ['-qCst', ['-qCstaging']],
    ['config set time', ['timeout']],
    ['config set timeout 1', ['10s', '1m']],
    ['config set color ', ['always', 'auto', 'never']],
    ['completion po', ['powershell']],
    ['api G', ['GET']],
    ['posts get --timeout ', []],
    ['posts get --timeout=', []],
    ['posts get --json=', []],
    ['posts get --nothing=', []],
    // Lists.
    ['webhooks create --event post.f', ['post.failed']],
    ['webhooks create --event=post.failed,post.par', ['--event=post.failed,post.partial']],
    ['webhooks create --event post.failed,post.f', []],
    ['-C sandbox posts retry --target TargetSpringLink,T', ['TargetSpringLink,TargetSpringMast']],
    ['-C sandbox posts retry --target TargetSpringLink --target ', ['TargetSpringMast']],
    ['webhooks create --event $(x),post.f', []],
    // Letters together.
    ['-q', ['-q', '-qn']],
    ['-qn', ['-qny']],
    ['-qno', ['-qnojson']],
    ['-qx', []],
    // Behind --.
    ['posts get -- ', ['PostOfProduction']],
    ['posts get -- --js', []],
    ['-- posts re', ['reply', 'retry']],
    // What this machine knows.
    ['-C ', ['prod', 'staging', 'sandbox']],
    ['context use ', ['prod', 'staging', 'sandbox']],
    ['posts get ', ['PostOfProduction']],
    ['posts get PostOfProduction ', []],
    ['posts get -a ', ['AccountOfProduct']],
    ['posts reply X ', ['--target', '--text']],
    ['-C sandbox posts get ', ['PostSpringLaunch']],
    ['-qC sandbox posts get ', ['PostSpringLaunch']],
    ['--context=sandbox posts get ', ['PostSpringLaunch']],
    ['--text -C sandbox posts get ', ['PostSpringLaunch']],
    ['posts reply --text -C -C sandbox ', ['PostSpringLaunch']],
    ['posts reply --text -Csandbox ', ['PostOfProduction']],
    ['--base-url https://api.example -C sandbox posts get ', ['PostSpringLaunch']],
    // Words that are quoted.
    ['-C "sandbox" posts get ', ['PostSpringLaunch']],
    ["-C 'sand'box posts get \"PostS", ['PostSpringLaunch']],
    ['-C s\\andbox posts get ', ['PostSpringLaunch']],
    // The cursor in the middle.
    ['posts get | -C sandbox', ['PostSpringLaunch']],
    ['-C sandbox posts retry --target | --target TargetSpringLink', ['TargetSpringMast']],
    ['posts re| PostSpringLaunch --failed', ['reply', 'retry']],
    ['-C | posts get', ['prod', 'staging', 'sandbox']],
    // Redirections, which one shell does not keep to itself.
    ['posts get > out -C sandbox Post', ['PostSpringLaunch']],
    ['posts get 2>/dev/null -C sandbox Post', ['PostSpringLaunch']],
  ])('%s', async (line, fitting) => {
    const found = (await answer(line)).fitting;
    // Long answers are tried for what matters; of the others every word counts.
    const isLong = / --$|^-qn?o?$|(?:create|X) $/.test(line);
    const judged = isLong ? found.filter((word) => fitting.includes(word)) : found;
    expect(judged.toSorted()).toEqual(fitting.toSorted());
  });

  it.each([
    'posts reply --text-file ',
    'posts reply --text-file=a',
    '--cacert x',
    'posts get --from ',
    'posts retry --journal a',
    'api --input ',
    'posts get > ',
    'posts get 2>> a',
    'posts get >a',
  ])('are the files of the shell: %s', async (line) => {
    expect(await answer(line)).toMatchObject({ how: 'files', label: 'file', offers: [] });
  });

  it.each([
    ['posts ', 'words', 'command'],
    ['posts get ', 'words', 'post-id'],
    ['posts retry X --target ', 'list', 'id'],
    ['posts get -', 'words', 'flag'],
    ['posts get --rate ', 'words', 'n/s'],
    ['nothing ', 'words', ''],
  ])('come with what is wanted: %s', async (line, how, label) => {
    expect(await answer(line)).toMatchObject({ how, label });
  });

  it('say what they are, and nothing that drives a terminal or breaks the line', async () => {
    expect((await answer('posts re')).offers[1]).toEqual([
      'reply',
      'Reply to a comment on a published target',
    ]);
    expect((await answer('-C sandbox posts get ')).offers).toEqual([
      ['PostSpringLaunch', 'Launch[31m'],
    ]);
    const hostile = { 'seen.tsv': 'sandbox\tpost\tPostSpringLaunch\ta\u0007\u2028b\u200b' };
    expect((await answer('-C sandbox posts get ', setup(hostile))).text).toBe(
      'words\tpost-id\nPostSpringLaunch\tab\n',
    );
  });

  it('are plain words, whatever the files hold', async () => {
    const names = ['$(x)', '`x`', 'a b', "'", '"', ';ls', '*', '--yes', '-C', 'x\ny', 'good', '\\'];
    const contexts = Object.fromEntries(names.map((name) => [name, {}]));
    const files = { 'config.json': JSON.stringify({ contexts }) };
    expect((await answer('-C ', setup(files))).fitting).toEqual(['good', 'sandbox']);
  });

  it('are those of the commands where a file cannot be read, and need no waiting', async () => {
    needsUnix('named pipes');
    const folder = temporaryFolder();
    execFileSync('mkfifo', ['config.json', 'seen.tsv', 'history.ndjson'], { cwd: folder });
    const around = { env: {}, configDir: () => folder, stateDir: () => folder };
    expect((await answer('context use ', around)).fitting).toEqual(['sandbox']);
    expect((await answer('-C sandbox posts get ', around)).text).toBe('words\tpost-id\n');
    expect((await answer('history show ', around)).text).toBe('words\tchange-id\n');
    expect((await answer('posts re', around)).fitting).toEqual(['reply', 'retry']);
    const broken = setup({ 'config.json': '{"contexts":' });
    expect((await answer('-C ', broken)).text).toBe('words\tname\n');
    expect((await answer('posts re', broken)).fitting).toEqual(['reply', 'retry']);
  });
});

it.each([
  [[]],
  [['']],
  [['x', 'posts']],
  [['-1', 'posts']],
  [['1.5', 'posts']],
  [['999999', 'posts']],
  [['post', '-C', 'sandbox', 'posts', 'get']],
])('tells nothing where the question is none: %j', async (asked) => {
  expect(complete(asked, await prepared(), setup())).toBe('');
});

it('takes a cursor behind the words for one on a new word', async () => {
  const tree = await prepared();
  expect(complete(['1', 'posts'], tree, setup())).toBe(complete(['1', 'posts', ''], tree, setup()));
});

it('answers a line of any length and any words', async () => {
  const tree = await prepared();
  const long = Array.from(
    { length: 5000 },
    (_, i) => ['constructor', '__proto__', '-\0', '=', '--='][i % 5]!,
  );
  expect(complete(['5000', ...long, '--js'], tree, setup())).toContain('--json\t');
  expect(complete(['5000', ...long, ''], tree, setup())).toBe('words\t\n');
});
