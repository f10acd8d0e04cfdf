// `commands` and `completion` as a person and a program read them.

import { describe, expect, it } from 'vitest';
import { everyOperation } from '../../src/api/operations/registry.ts';
import { mutationOf } from '../../src/api/operations/define-operation.ts';
import { commandNamesOf } from '../../src/api/operations/command-names.ts';
import { failureKinds } from '../../src/base/exit-codes.ts';
import { globalFlags, longName } from '../../src/config/flags.ts';
import type { CommandNode, CommandTree } from '../../src/cli/read-command-tree.ts';
import { testCli } from '../support/test-cli.ts';

let cached: CommandTree | undefined;

/** All that there is, read once. */
const tree = async (): Promise<CommandTree> => {
  if (cached !== undefined) return cached;
  const { exitCode, stdout, stderr } = await testCli().social(['commands', '--json', '--all']);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  cached = JSON.parse(stdout) as CommandTree;
  return cached;
};

const command = async (path: string): Promise<CommandNode> =>
  (await tree()).commands.find((each) => each.path === path)!;

describe('commands', () => {
  it('is a line a command in a pipe', async () => {
    const { stdout } = await testCli().social(['commands']);
    expect(stdout).toContain('posts retry\tRetry the failed platform targets of a post\n');
    expect(stdout).not.toMatch(/^posts\t/m);
  });

  it('is a table on a terminal', async () => {
    const { stdout } = await testCli().social(['commands'], { columns: 100 });
    expect(stdout).toMatch(/^posts get +Show a post and the state of its targets$/m);
    expect(stdout.split('\n').every((line) => line.length <= 100)).toBe(true);
  });

  it('has every operation, with its request and whether it changes something', async () => {
    const { commands } = await tree();
    for (const { operation } of await everyOperation()) {
      for (const { words } of commandNamesOf(operation)) {
        const { method, path } = operation;
        expect(commands.find((each) => each.path === words.join(' '))).toMatchObject({
          operation: { method, path },
          changes: method !== 'GET',
          group: false,
        });
      }
    }
  });

  it('has the global flags once, and the exit codes', async () => {
    const { commands, globalFlags: flags, exitCodes } = await tree();
    const names = [...globalFlags.map((each) => longName(each.flags)), '--help'];
    expect(flags.map(({ long }) => long)).toEqual(names);
    const codes = Object.values(failureKinds).map(({ exitCode }) => exitCode);
    expect(exitCodes.map(({ code }) => code)).toEqual([0, ...codes]);
    const stray = commands.filter(({ flags: own }) => own.some(({ long }) => long === '--json'));
    expect(stray).toEqual([]);
  });

  it('says what a value must be', async () => {
    const { arguments: positional, flags } = await command('webhooks update');
    const flag = (long: string) => flags.find((each) => each.long === long);
    expect(positional).toEqual([
      {
        name: 'webhook-id',
        id: 'webhook',
        description: 'Webhook ID',
        required: true,
        repeatable: false,
      },
    ]);
    expect(flag('--event')).toMatchObject({
      placeholder: 'name',
      repeatable: true,
      values: expect.arrayContaining(['post.failed']) as unknown,
    });
    expect(flag('--clear-secret')).not.toHaveProperty('placeholder');
  });

  it('tells flags that are needed from those that are not', async () => {
    const { flags } = await command('posts reply');
    const needed = flags.filter(({ required }) => required).map(({ long }) => long);
    expect(needed).toEqual(['--target', '--text']);
  });
});

/** Written out by hand, from what is known of a repeat of each. */
const mutations: Readonly<Record<string, string>> = {
  'posts get': 'none',
  'posts wait': 'none',
  'posts triage': 'none',
  'posts retry': 'once',
  'posts reply': 'once',
  'accounts bluesky send': 'once',
  'accounts mastodon favourite': 'set',
  'accounts discord channels': 'none',
  'accounts tracking-tags shared-accounts': 'none',
  'connect pinterest select-board': 'set',
  'connect facebook pages': 'none',
  'connect reddit flairs': 'none',
  'connect telegram session': 'none',
  'connect telegram access-code': 'none',
  'discord pins add': 'idempotent',
  'discord roles': 'none',
  'ads audiences delete': 'idempotent',
  'credentials disable': 'set',
  'webhooks create': 'once',
  'webhooks update': 'set',
};

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
  'sandbox reset': 'takes away',
  'history settle': 'sets',
  'history clear': 'takes away',
  api: 'once',
  'mcp serve': 'once',
};

/** The same of those that read alone. */
const readers = [
  'posts get, posts triage, posts wait, accounts discord channels',
  'accounts tracking-tags shared-accounts, connect facebook pages, connect reddit flairs',
  'connect telegram access-code, connect telegram session, discord roles, webhooks events',
  'auth status, auth token, context list, context show, context current',
  'config list, sandbox show, history list, history show, history report',
  'doctor, schema, commands, skill, completion, help',
].flatMap((line) => line.split(', '));

describe('commands --json is small, unless all is wanted', () => {
  const summary = async () => {
    const { stdout } = await testCli().social(['commands', '--json']);
    return { stdout, ...(JSON.parse(stdout) as CommandTree) };
  };

  it('names every command with its effect in less than 10 KB', async () => {
    const { stdout, commands } = await summary();
    expect(Buffer.byteLength(stdout)).toBeLessThan(10_000);
    const whole = (await tree()).commands.filter(({ group }) => !group);
    expect(commands).toEqual(
      whole.map(({ path, summary: line, effect }) => ({ path, summary: line, effect })),
    );
    const told = commands.map(({ path, effect }): [string, string] => [path, effect]);
    const known = [...Object.entries(effects), ...readers.map((path) => [path, 'reads'])];
    expect(Object.fromEntries(told)).toEqual(Object.fromEntries(known) as unknown);
  });

  it('shows a command, or those of a group, whole', async () => {
    const all = await tree();
    const { social } = testCli();
    const shown = async (...words: readonly string[]) => {
      const { stdout } = await social(['commands', ...words, '--json']);
      return JSON.parse(stdout) as CommandTree;
    };
    const { name, version } = all;
    const retry = all.commands.filter(({ path }) => path === 'posts retry');
    expect(await shown('posts', 'retry')).toEqual({ name, version, commands: retry });
    const history = all.commands.filter(({ path }) => path.startsWith('history '));
    expect((await shown('history')).commands).toEqual(history);
    const unknown = await social(['commands', 'posts', 'rety']);
    expect(unknown).toMatchObject({ exitCode: 2, stdout: '' });
    expect(unknown.stderr).toContain('did you mean posts retry?');
  });

  it('marks what is a secret', async () => {
    const { commands } = await tree();
    const secret = commands.flatMap(({ path, flags, arguments: operands }) => [
      ...flags.filter((each) => each.secret).map(({ long }) => `${path} ${long}`),
      ...operands.filter((each) => each.secret).map(({ name }) => `${path} <${name}>`),
    ]);
    const ofWebhooks = ['--secret-file', '--secret-env', '--header', '--header-file'];
    expect(secret).toEqual([
      'connect telegram access-code <code>',
      'connect telegram session <session-id>',
      ...ofWebhooks.map((flag) => `webhooks create ${flag}`),
      ...ofWebhooks.map((flag) => `webhooks update ${flag}`),
      'webhooks listen --secret-file',
      'webhooks listen --secret-env',
    ]);
  });
});

describe('commands --json --all tells a program what it must know before it runs one', () => {
  it('what a repeat does, and what is lost', async () => {
    const { commands } = await tree();
    const sending = commands.filter(({ operation }) => operation !== undefined);
    const told = sending.map(({ path, mutation }) => [path, mutation]);
    const actions =
      Object.keys(mutations).length +
      'unfavourite reblog unreblog bookmark unbookmark mute unmute'.split(' ').length;
    expect(told).toHaveLength(actions);
    expect(Object.fromEntries(told)).toMatchObject(mutations);
    const losing = commands.filter(({ danger }) => danger !== undefined).map(({ path }) => path);
    expect(losing).toEqual(['ads audiences delete', 'credentials disable']);
    // Advice to repeat goes with what a repeat cannot spoil.
    for (const { operation } of await everyOperation()) {
      const again = /\bRun(?:ning)? the command again/.test(operation.inspect ?? '');
      expect(again).toBe(['set', 'idempotent'].includes(mutationOf(operation)));
    }
  });

  it('what it reads from standard input', async () => {
    const { commands } = await tree();
    const stdin = Object.fromEntries(commands.map((each) => [each.path, each.stdin]));
    expect(stdin['posts reply']).toEqual(['--text-file -', '--from -']);
    expect(stdin['webhooks create']).toEqual(['--secret-file -', '--header-file -', '--from -']);
    expect(stdin['posts get']).toEqual(['--from -']);
    expect(stdin['auth login']).toEqual(['the token, unless stdin is a terminal']);
    expect(stdin['webhooks events']).toEqual([]);
  });

  it('the name of each exit code', async () => {
    const { exitCodes } = await tree();
    expect(exitCodes).toContainEqual({
      code: 12,
      name: 'outcome_unknown',
      meaning: failureKinds.outcome_unknown.meaning,
    });
  });
});

describe('completion', () => {
  it.each([
    [[], 'shell is required'],
    [['bsh'], 'did you mean bash?'],
    [['tcsh'], 'shells: bash, zsh, fish'],
  ])('refuses %j', async (words, said) => {
    const { exitCode, stdout, stderr } = await testCli().social(['completion', ...words]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(said);
  });

  it('keeps the line on installing back with -q, and speaks JSON', async () => {
    const { social } = testCli();
    const plain = await social(['completion', 'zsh', '-q']);
    const json = await social(['completion', 'zsh', '-q', '--json']);
    expect([plain.stderr, json.stderr]).toEqual(['', '']);
    expect(JSON.parse(json.stdout)).toEqual({ shell: 'zsh', script: plain.stdout });
  });
});
