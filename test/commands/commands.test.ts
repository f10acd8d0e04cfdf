// `commands` and `completion` as a person and a program read them.

import { describe, expect, it } from 'vitest';
import { everyOperation } from '../../src/api/operations/registry.ts';
import { isChange, isIdempotent } from '../../src/api/operations/define-operation.ts';
import { failureKinds } from '../../src/base/errors.ts';
import { globalFlags, longName } from '../../src/config/flags.ts';
import { testCli } from '../support/test-cli.ts';

interface Listed {
  readonly path: string;
  readonly aliases?: readonly string[];
  readonly effect: string;
  readonly usage: string;
  readonly flags: readonly string[];
}

interface Document {
  readonly commands: readonly Listed[];
  readonly globalFlags: readonly string[];
  readonly exitCodes: readonly { readonly code: number; readonly meaning: string }[];
}

const listed = async (...words: readonly string[]): Promise<Document> => {
  const { exitCode, stdout, stderr } = await testCli().social(['commands', ...words, '--json']);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout) as Document;
};

describe('commands', () => {
  it('prints one line per command in a pipe, a table on a terminal', async () => {
    const { stdout } = await testCli().social(['commands']);
    expect(stdout).toContain('posts retry\tRetry the failed platform targets of a post\n');
    expect(stdout).not.toMatch(/^posts\t/m);
    const table = await testCli().social(['commands'], { columns: 100 });
    expect(table.stdout).toMatch(/^posts get +Show a post and the state of its targets$/m);
  });

  it('lists each command once as data, with usage, flags and their values', async () => {
    const { commands } = await listed('posts', 'wait');
    expect(commands).toHaveLength(1);
    expect(commands[0]).toMatchObject({
      path: 'posts wait',
      summary: 'Wait until all targets of a post are published or failed',
      effect: 'reads',
      usage: 'social posts wait <post-id>... [flags]',
    });
    const flags = expect.arrayContaining(['--target <id>...', '--skip-missing', '--rate <n/s>']);
    expect(commands[0]!.flags).toEqual(flags);
    expect(commands[0]!.flags.join()).toMatch(/--platform <twitter\|.*\|discord>\.\.\./);
    const [favourite] = (await listed('accounts', 'mastodon', 'favourite')).commands;
    expect(favourite!.aliases).toEqual(['favorite']);
  });

  it('lists the global flags and exit codes once', async () => {
    const { commands, globalFlags: flags, exitCodes } = await listed();
    const names = [...globalFlags.map((each) => longName(each.flags)), '--help'];
    expect(flags.map((flag) => /--[a-z-]+/.exec(flag)![0])).toEqual(names);
    const codes = Object.values(failureKinds).map(({ exitCode }) => exitCode);
    expect(exitCodes.map(({ code }) => code)).toEqual([0, ...codes]);
    expect(exitCodes).toContainEqual({ code: 12, meaning: failureKinds.outcome_unknown.meaning });
    expect(commands.filter((each) => each.flags.includes('--json'))).toEqual([]);
  });

  it('lists the commands of a group, and corrects a misspelt one', async () => {
    const { commands } = await listed('history');
    const all = (await listed()).commands;
    expect(commands).toEqual(all.filter(({ path }) => path.startsWith('history ')));
    const unknown = await testCli().social(['commands', 'posts', 'rety']);
    expect(unknown).toMatchObject({ exitCode: 2, stdout: '' });
    expect(unknown.stderr).toContain('did you mean posts retry?');
  });
});

/** Written out by hand: what each command does that does more than read. */
const effects: Readonly<Record<string, string>> = {
  'posts reply': 'once',
  'posts retry': 'once',
  'accounts bluesky send': 'once',
  'accounts mastodon favourite': 'sets',
  'accounts mastodon unfavourite': 'sets',
  'accounts mastodon reblog': 'sets',
  'accounts mastodon unreblog': 'sets',
  'accounts mastodon bookmark': 'sets',
  'accounts mastodon unbookmark': 'sets',
  'accounts mastodon mute': 'sets',
  'accounts mastodon unmute': 'sets',
  'connect pinterest select-board': 'sets',
  'discord pins add': 'sets',
  'ads audiences delete': 'takes away',
  'credentials disable': 'takes away',
  'webhooks create': 'once',
  'webhooks update': 'sets',
  'auth login': 'sets',
  'auth logout': 'takes away',
  'context use': 'sets',
  'context set': 'sets',
  'context delete': 'takes away',
  'config set': 'sets',
  'sandbox serve': 'sets',
  'webhooks listen': 'sets',
  'webhooks replay': 'sets',
  'sandbox reset': 'takes away',
  'history settle': 'sets',
  'history clear': 'takes away',
  api: 'once',
  'mcp serve': 'once',
  'skill install': 'sets',
  'completion install': 'sets',
};

/** The commands that only read, in the same form. */
const readers = [
  'posts get, posts open, posts triage, posts wait, accounts discord channels',
  'accounts tracking-tags shared-accounts, connect facebook pages, connect reddit flairs',
  'connect telegram access-code, connect telegram session, discord roles, webhooks events',
  'auth status, auth token, context list, context show, context current',
  'config list, sandbox show, history list, history show, history report',
  'doctor, schema, commands, skill, completion, help',
].flatMap((line) => line.split(', '));

it('commands says for each whether repeating is safe, as reviewed by hand', async () => {
  const { commands } = await listed();
  const told = commands.map(({ path, effect }): [string, string] => [path, effect]);
  const known = [...Object.entries(effects), ...readers.map((path) => [path, 'reads'])];
  expect(Object.fromEntries(told)).toEqual(Object.fromEntries(known) as unknown);
});

it('an operation advises running the command again only where repeating is safe', async () => {
  for (const { operation } of await everyOperation()) {
    const again = /\bRun(?:ning)? the command again/.test(JSON.stringify(operation.inspect));
    expect(again).toBe(
      isChange(operation) && (operation.onlySetsValues || isIdempotent(operation)),
    );
  }
});

describe('completion', () => {
  it.each([
    [[], 'shell is required'],
    [['tcsh'], 'shells: bash, zsh, fish'],
  ])('rejects %j', async (words, said) => {
    const { exitCode, stdout, stderr } = await testCli().social(['completion', ...words]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(said);
  });

  it('omits the installation line with -q, and supports JSON', async () => {
    const { social } = testCli();
    const plain = await social(['completion', 'zsh', '-q']);
    const json = await social(['completion', 'zsh', '-q', '--json']);
    expect([plain.stderr, json.stderr]).toEqual(['', '']);
    expect(JSON.parse(json.stdout)).toEqual({ shell: 'zsh', script: plain.stdout });
  });
});
