// What holds for every operation, whatever it does: it is one of the eighteen, it explains itself, its flags are
// its own, and each of its examples runs.

import { describe, expect, it } from 'vitest';
import { everyOperation } from '../../src/api/operations/registry.ts';
import { fieldsOf } from '../../src/api/operations/fields.ts';
import { commandNamesOf } from '../../src/api/operations/command-names.ts';
import { testCli } from '../support/test-cli.ts';
import { splitWords } from '../support/shell-words.ts';

/** "Endpoints" of the API document, written out. */
const documented = [
  'POST /v1/posts/{postId}/retry',
  'GET /v1/posts/{postId}',
  'POST /v1/posts/{postId}/comments/reply',
  'POST /v1/accounts/{accountId}/bluesky-conversations/{conversationId}/messages',
  'POST /v1/accounts/{accountId}/mastodon-statuses/{statusId}/{action}',
  'GET /v1/accounts/{accountId}/discord-channels',
  'GET /v1/accounts/{accountId}/tracking-tags/{tagId}/shared-accounts',
  'POST /v1/connect/pinterest/select-board',
  'GET /v1/connect/facebook/pages',
  'GET /v1/connect/reddit/flairs',
  'GET /v1/connect/telegram/business/session/{sessionId}',
  'GET /v1/connect/telegram/access-code/{code}',
  'PUT /v1/discord/channels/{channelId}/pins/{messageId}',
  'GET /v1/discord/guilds/{guildId}/roles',
  'DELETE /v1/ads/audiences/{audienceId}',
  'POST /v1/platform-app-credentials/{credentialId}/disable',
  'POST /v1/webhooks',
  'PATCH /v1/webhooks',
];

/** The tree that is typed, written out: each operation's commands with what must follow them. */
const commands: Readonly<Record<string, string>> = {
  'posts get': '<post-id>...',
  'posts retry': '<post-id>...',
  'posts reply': '<post-id> --target <id> --text <text>',
  'accounts bluesky send': '<conversation-id> -a <id> --text <text>',
  'accounts mastodon favourite': '<status-id>... -a <id>',
  'accounts mastodon unfavourite': '<status-id>... -a <id>',
  'accounts mastodon reblog': '<status-id>... -a <id>',
  'accounts mastodon unreblog': '<status-id>... -a <id>',
  'accounts mastodon bookmark': '<status-id>... -a <id>',
  'accounts mastodon unbookmark': '<status-id>... -a <id>',
  'accounts mastodon mute': '<status-id>... -a <id>',
  'accounts mastodon unmute': '<status-id>... -a <id>',
  'accounts discord channels': '-a <id>',
  'accounts tracking-tags shared-accounts': '<tag-id> -a <id>',
  'connect pinterest select-board': '-a <id> --profile <id> --board <id>',
  'connect facebook pages': '-a <id>',
  'connect reddit flairs': '-a <id> --subreddit <name>',
  'connect telegram session': '<session-id>',
  'connect telegram access-code': '<code>',
  'discord pins add': '<channel-id> <message-id> -a <id>',
  'discord roles': '<guild-id> -a <id>',
  'ads audiences delete': '<audience-id>...',
  'credentials disable': '<credential-id>...',
  'webhooks create': '--url <https-url> --event <name>',
  'webhooks update': '<webhook-id>',
};

/** The commands beside the operations. */
const local = ['webhooks events', 'sandbox serve', 'sandbox show', 'sandbox reset', 'help'];

const every = await everyOperation();
const spelled = every.flatMap(({ operation }) =>
  commandNamesOf(operation).map((spelling) => ({
    command: spelling.words.join(' '),
    operation,
    spelling,
  })),
);

const help = async (command: string, columns?: number) => {
  const outcome = await testCli().social([...command.split(' '), '--help'], {
    columns,
    env: { NO_COLOR: '1' },
  });
  expect(outcome).toMatchObject({ exitCode: 0, stderr: '' });
  return outcome.stdout;
};

const oneLine = /^[A-Z][^\n]{2,71}(?<!\.)$/;

describe('the operations', () => {
  it('are exactly the eighteen of the API document', () => {
    expect(every).toHaveLength(18);
    expect(every.map(({ operation: { method, path } }) => `${method} ${path}`).toSorted()).toEqual(
      documented.toSorted(),
    );
  });

  it('are typed as the twenty-five commands of the tree', () => {
    expect(spelled.map(({ command }) => command).toSorted()).toEqual(
      Object.keys(commands).toSorted(),
    );
  });

  it.each([
    ['favourite', 'favorite'],
    ['unfavourite', 'unfavorite'],
    ['reblog', 'boost'],
    ['unreblog', 'unboost'],
  ])('know %s also as %s', (word, alias) => {
    const found = spelled.find(({ command }) => command === `accounts mastodon ${word}`);
    expect(found?.spelling.aliases).toEqual([alias]);
  });
});

describe.each(every)('$area $name', ({ operation }) => {
  it('explains itself: one line, and sentences for what a user should know before', () => {
    for (const { summary } of commandNamesOf(operation)) expect(summary).toMatch(oneLine);
    const sentences = [...operation.details, operation.danger ?? []].flat();
    for (const sentence of sentences) expect(sentence).toMatch(/^[A-Z].*\.$/s);
  });

  it('describes every field in one line', () => {
    for (const { description } of fieldsOf(operation)) expect(description).toMatch(oneLine);
  });

  it('sends in the query what has no place in the path of a bodiless method', () => {
    const isBodiless = ['GET', 'PUT', 'DELETE'].includes(operation.method);
    const outside = Object.keys(operation.input.shape).filter(
      (field) => !operation.path.includes(`{${field}}`),
    );
    expect(operation.places.query).toEqual(isBodiless ? outside : []);
  });

  it('has an inspection to offer wherever it changes something', () => {
    expect(operation.inspect !== undefined).toBe(operation.method !== 'GET');
  });
});

describe.each(spelled)('social $command', ({ command, spelling }) => {
  it('has a help page: summary, usage, flags of its own, examples', async () => {
    const page = await help(command);
    const [usage = '', summary = ''] = page.split('\n\n');
    expect(usage.replaceAll(/\s+/g, ' ')).toBe(
      `Usage: social ${command} ${commands[command]!} [flags]`.replaceAll('  ', ' '),
    );
    expect(summary).toBe(spelling.summary);
    const whole = page.replaceAll(/ \\\n +/g, ' ');
    for (const [, line] of spelling.examples) expect(whole).toContain(`\n  ${line}\n`);
  });

  it('has flags that collide neither with each other nor with the global ones', async () => {
    const global = flagsOn(await help('--help'));
    const own = flagsOn(await help(command));
    expect(new Set(own).size).toBe(own.length);
    const shared = new Set(['--help', '-h', '--account', '-a']);
    expect(own.filter((flag) => global.includes(flag) && !shared.has(flag))).toEqual([]);
  });

  it('aligns its descriptions, and keeps them in 80 columns', async () => {
    const page = await help(command, 80);
    const [body = '', examples = ''] = page.split('\nExamples:\n');
    const columns = [...body.matchAll(/^ {2}(?: {4}|-\w, )?\S.*?( {2,})\S/gm)]
      .filter(([, gap]) => gap !== undefined)
      .map(([line]) => line.length);
    expect(new Set(columns).size).toBeLessThanOrEqual(1);
    expect(body.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(examples).not.toBe('');
  });

  it.each([80, 50])('cuts no flag and no word at %i columns', async (columns) => {
    const page = await help(command, columns);
    const tooLong = page.split('\n').filter((line) => line.length > columns);
    // A single word that has no room is all that stands out.
    expect(tooLong.filter((line) => / \S+ \S/.test(line.replace(/ \\$/, '')))).toEqual([]);
  });

  it.each(spelling.examples.map(([purpose, line]) => ({ purpose, line })))(
    'runs its example on a fresh sandbox: $line',
    async ({ line }) => {
      const [program, ...words] = splitWords(line);
      expect(program).toBe('social');
      const outcome = await testCli().social(words, { env: { SOCIAL_CONTEXT: 'sandbox' } });
      expect(outcome.stderr.replace('sandbox: this is the embedded service', '')).not.toContain(
        'error',
      );
      expect(outcome.exitCode).toBe(0);
      expect(outcome.stdout).not.toBe('');
    },
  );
});

describe('the other commands', () => {
  it.each(local)('%s has a help page', async (command) => {
    expect(await help(command)).toMatch(/^Usage: social .+\n\n[A-Z].*[^.]\n/);
  });

  it('are reached, with those of the operations, from one help page to the next', async () => {
    const leaves: string[] = [];
    const walk = async (path: string): Promise<void> => {
      const below = listed(await help(path));
      if (below.length === 0) leaves.push(path);
      for (const word of below) await walk(`${path} ${word}`);
    };
    for (const word of listed(await help('--help'))) await walk(word);
    expect(leaves).toEqual(expect.arrayContaining([...Object.keys(commands), ...local]));
    for (const leaf of leaves)
      expect(await help(leaf)).toMatch(new RegExp(`^Usage: social ${leaf}`));
  });
});

/** The flags that a help page lists, short and long. */
function flagsOn(page: string): string[] {
  return [...page.matchAll(/^ {2}(?: {4}|(-\w), )(--[\w-]+)/gm)].flatMap(([, short, long]) =>
    short === undefined ? [long!] : [short, long!],
  );
}

/** The commands that a help page lists, aliases left out. */
function listed(page: string): string[] {
  const sections = page
    .split('\n\n')
    .filter((each) => /^(?:Commands|Service|Setup and tools):/.test(each));
  const others = /^More: (.*)$/m.exec(page)?.[1]?.split(', ') ?? [];
  const words = sections.flatMap((section) =>
    [...section.matchAll(/^ {2}([a-z][\w-]*)(?:, [\w-]+)* {2,}\S/gm)].map(([, word]) => word!),
  );
  return [...words, ...others];
}
