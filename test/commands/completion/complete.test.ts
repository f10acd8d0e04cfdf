// The candidates for a line up to the cursor, as a shell gets them at a TAB. Every shell gets the same answer;
// test/commands/completion/completion.test.ts shows how each uses it.

import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CommandTree } from '../../../src/cli/command-tree.ts';
import { complete } from '../../../src/commands/completion/complete.ts';
import { temporaryFolder, testCli } from '../../support/test-cli.ts';
import { needsUnix } from '../../support/unix.ts';

let known: CommandTree | undefined;

/** The command line of the program. */
async function prepared(): Promise<CommandTree> {
  if (known !== undefined) return known;
  const { stdout } = await testCli().social(['__tree']);
  return (known = JSON.parse(stdout) as CommandTree);
}

const config = {
  context: 'prod',
  contexts: { prod: { baseUrl: 'https://api.example/x' }, staging: {}, 'a b': {}, '$(x)': {} },
};
const seen = [
  'sandbox\ttarget\tTargetSpringTwit\ttwitter, published\tPostSpringLaunch',
  'sandbox\ttarget\tTargetSpringMast\tmastodon, failed\tPostSpringLaunch',
  'sandbox\ttarget\tTargetSpringLink\tlinkedin, failed\tPostSpringLaunch',
  'sandbox\tpost\tPostSpringLaunch\tLaunch\u001b[31m\u202e',
  'sandbox\tpost\ttoo-short\t',
  'https://api.example\tpost\tPostOfProduction\tFirst',
  'https://api.example\taccount\tAccountOfProduct\t',
];
const change =
  '{"id":"abcdef123456","startedAt":"","command":"posts retry","ids":["PostSpringLaunch"]}';

/** A machine with these files. */
function setup(files: Readonly<Record<string, string>> = {}) {
  const folder = temporaryFolder();
  const all = {
    'config.json': JSON.stringify(config),
    'seen.tsv': seen.join('\n'),
    'history.ndjson': change,
    ...files,
  };
  for (const [name, text] of Object.entries(all)) fs.writeFileSync(join(folder, name), text);
  return { env: {}, configDir: () => folder, stateDir: () => folder };
}

async function answer(line: string, around = setup()) {
  const text = complete(`social ${line}`, await prepared(), around);
  const [first = '', ...rest] = text.slice(0, -1).split('\n');
  const [how, typed = '', label] = first.split('\t');
  const offers = rest.map((each) => each.split('\t') as [word: string, text: string]);
  const fitting = offers.flatMap(([word]) => (word.startsWith(typed) ? [word] : []));
  return { text, how, label, offers, fitting };
}

describe('the candidates for a line', () => {
  it.each<readonly [line: string, fitting: readonly string[]]>([
    // Commands, by each of their names.
    ['posts ', ['get', 'open', 'reply', 'retry', 'triage', 'wait']],
    ['accounts mastodon boo', ['boost', 'bookmark']],
    ['accounts mastodon boost --dry', ['--dry-run']],
    ['help sch', ['schema']],
    ['help exit', ['exit-codes']],
    ['help posts ', ['get', 'open', 'reply', 'retry', 'triage', 'wait']],
    ['help posts --from', []],
    ['schema posts wa', ['wait']],
    ['schema posts get P', []],
    ['nothing ', []],
    ['nothing --js', ['--json']],
    ['--vers', ['--version']],
    ['posts --vers', []],
    // Values.
    ['-o ', ['table', 'wide', 'json', 'ndjson', 'tsv', 'csv']],
    ['-o j', ['json']],
    ['--output=nd', ['--output=ndjson']],
    ['config set time', ['timeout']],
    ['completion f', ['fish']],
    ['api G', ['GET']],
    ['posts get --timeout ', []],
    ['posts get --timeout=', []],
    ['posts get --json=', []],
    ['posts get --nothing=', []],
    // Lists.
    ['webhooks create --event post.f', ['post.failed']],
    ['webhooks create --event=post.failed,post.par', ['--event=post.failed,post.partial']],
    ['webhooks create --event post.failed,post.f', []],
    ['posts get X --fields=status,targets.nat', ['--fields=status,targets.nativeUrl']],
    ['-C sandbox posts retry --target TargetSpringLink,T', ['TargetSpringLink,TargetSpringMast']],
    [
      '-C sandbox posts retry PostSpringLaunch --target TargetSpringLink --target ',
      ['TargetSpringMast'],
    ],
    ['webhooks create --event $(x),post.f', []],
    // Behind --.
    ['posts get -- ', ['PostOfProduction']],
    ['posts get -- --js', []],
    ['-- posts re', ['reply', 'retry']],
    // The names and IDs that this machine knows for the service of the line.
    ['-C ', ['prod', 'staging', 'sandbox']],
    ['context use ', ['prod', 'staging', 'sandbox']],
    ['history show ', ['abcdef123456']],
    ['posts get ', ['PostOfProduction']],
    ['posts get PostOfProduction ', []],
    ['posts get PostOfProduction', ['PostOfProduction']],
    ['posts get -a ', ['AccountOfProduct']],
    ['-C sandbox posts get ', ['PostSpringLaunch']],
    ['--context=sandbox posts get ', ['PostSpringLaunch']],
    ['-C constructor posts get ', []],
    ['posts reply --text -C -C sandbox ', ['PostSpringLaunch']],
    ['--base-url https://api.example -C staging posts get ', ['PostOfProduction']],
    ['--base-url nonsense posts get ', []],
    ['--base-url https://api.example -C sandbox posts get ', ['PostSpringLaunch']],
    ['-C sandbox posts retry PostOfAnotherOne --target ', []],
    // Quoted words.
    ['-C "sandbox" posts get ', ['PostSpringLaunch']],
    ["-C 'sand'box posts get \"PostS", ['PostSpringLaunch']],
    ['-C s\\andbox posts get ', ['PostSpringLaunch']],
    ["posts reply --text 'a b' Post", ['PostOfProduction']],
    ['posts reply --text a\\ b Post', ['PostOfProduction']],
    ['posts get "an open quote ', []],
  ])('%s', async (line, fitting) => {
    expect((await answer(line)).fitting.toSorted()).toEqual(fitting.toSorted());
  });

  it.each([
    [{ SOCIAL_CONTEXT: 'sandbox' }, '', 'PostSpringLaunch'],
    [{ SOCIAL_CONTEXT: 'sandbox' }, '-C prod ', 'PostOfProduction'],
    [{ SOCIAL_BASE_URL: 'https://other.example' }, '', undefined],
    [
      { SOCIAL_BASE_URL: 'https://other.example' },
      '--base-url https://api.example/deep ',
      'PostOfProduction',
    ],
  ])('are those of the service that %j and "%s" name', async (env, flags, id) => {
    const { fitting } = await answer(`${flags}posts get `, { ...setup(), env });
    expect(fitting).toEqual(id === undefined ? [] : [id]);
  });

  it('have the address of a context, without its password, in any file', async () => {
    const contexts = {
      prod: { baseUrl: 'https://user:hunter2@api.example/x' },
      odd: null,
      older: { baseUrl: 7 },
    };
    const around = setup({ 'config.json': JSON.stringify({ contexts }) });
    expect((await answer('-C ', around)).offers).toEqual([
      ['prod', 'https://api.example'],
      ['odd', ''],
      ['older', ''],
      ['sandbox', 'the embedded service'],
    ]);
    for (const text of ['null', '"x"'])
      expect((await answer('-C ', setup({ 'config.json': text }))).fitting).toEqual(['sandbox']);
  });

  it.each([
    ['posts get --', ['--from', '--json']],
    // After a whole command without operands, its flags.
    ['webhooks create ', ['--url', '--all-events', '-o']],
    ['posts reply X ', ['--target', '--text']],
  ])('are flags only: %s', async (line, some) => {
    expect((await answer(line)).fitting).toEqual(expect.arrayContaining(some));
  });

  it.each([
    'posts reply --text-file ',
    'posts reply --text-file=a',
    '--cacert x',
    'posts get --from ',
    'posts retry --journal a',
    'api --input ',
  ])('are completed by the shell as files: %s', async (line) => {
    expect(await answer(line)).toMatchObject({ how: 'files', label: 'file', offers: [] });
  });

  it.each([
    ['posts ', 'command'],
    ['posts get ', 'post-id'],
    ['posts retry X --target ', 'id'],
    ['posts get -', 'flag'],
    ['posts get --rate ', 'n/s'],
    ['nothing ', ''],
  ])('keep the prefix of the word: %s', async (line, label) => {
    expect(await answer(line)).toMatchObject({ how: 'words', label });
  });

  it('have descriptions, without control characters or line breaks', async () => {
    expect((await answer('posts re')).offers[1]).toEqual([
      'reply',
      'Reply to a comment on a published target',
    ]);
    expect((await answer('-C sandbox posts get ')).offers).toEqual([
      ['PostSpringLaunch', 'Launch[31m'],
    ]);
    const hostile = { 'seen.tsv': 'sandbox\tpost\tPostSpringLaunch\ta\u0007\u2028b\u200b' };
    expect((await answer('-C sandbox posts get ', setup(hostile))).text).toBe(
      'words\t\tpost-id\nPostSpringLaunch\tab\n',
    );
  });

  it('are plain words, whatever the files hold', async () => {
    const names = ['$(x)', '`x`', 'a b', "'", '"', ';ls', '*', '--yes', '-C', 'x\ny', 'good', '\\'];
    const contexts = Object.fromEntries(names.map((name) => [name, {}]));
    const files = { 'config.json': JSON.stringify({ contexts }) };
    expect((await answer('-C ', setup(files))).fitting).toEqual(['good', 'sandbox']);
  });

  it('are at least the commands when a file cannot be read, without delay', async () => {
    needsUnix('named pipes');
    const folder = temporaryFolder();
    execFileSync('mkfifo', ['config.json', 'seen.tsv', 'history.ndjson'], { cwd: folder });
    const around = { env: {}, configDir: () => folder, stateDir: () => folder };
    expect((await answer('context use ', around)).fitting).toEqual(['sandbox']);
    expect((await answer('-C sandbox posts get ', around)).text).toBe('words\t\tpost-id\n');
    expect((await answer('history show ', around)).text).toBe('words\t\tchange-id\n');
    expect((await answer('posts re', around)).fitting).toEqual(['reply', 'retry']);
    const broken = setup({ 'config.json': '{"contexts":' });
    expect((await answer('-C ', broken)).text).toBe('words\t\tname\n');
  });
});

it('exist for a line of any length and any words', async () => {
  const words = ['constructor', '__proto__', '-\0', '=', '--=', '\\', '$(x)'];
  const long = Array.from({ length: 5000 }, (_none, i) => words[i % words.length]!).join(' ');
  expect((await answer(`${long} '"' --js`)).text).toContain('--json\t');
  expect((await answer('"a\tb\nc')).text.split('\n')[0]).toBe('words\ta b c\tcommand');
  expect((await answer('')).fitting).toContain('posts');
});
