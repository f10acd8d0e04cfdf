// Names for IDs: `name set | list | delete`, and `@launch` in every place where an ID can stand.

import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { complete } from '../../src/commands/completion/complete.ts';
import { socialInProcess } from '../support/in-process.ts';
import { freshHome, social } from '../support/program.ts';
import { recordingServer } from '../support/recording-server.ts';
import { type RunOptions, testCli } from '../support/test-cli.ts';
import { needsUnix } from '../support/unix.ts';

const env = { SOCIAL_CONTEXT: 'sandbox' };
const split = (line: string) => line.split(' ');

/** A home with these names in the sandbox, and a way to run lines there. */
async function named(names: Readonly<Record<string, string>> = { launch: 'PostSpringLaunch' }) {
  const home = freshHome();
  const run = (line: string, more: { input?: string; env?: Record<string, string> } = {}) =>
    socialInProcess(split(line), { home, ...more, env: { ...env, ...more.env } });
  for (const [name, id] of Object.entries(names))
    expect(await run(`name set ${name} ${id}`)).toMatchObject({ exitCode: 0 });
  return { home, run, path: join(home, '.config/social/names.json') };
}

/** The requests of a dry run, a line each. */
const requestsOf = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { method: string; url: string; body?: unknown })
    .map(({ method, url, body }) => [
      `${method} ${url.replace(/^[^/]*\/\/[^/]*/, '')}`,
      ...(body === undefined ? [] : [body]),
    ]);

describe('name set', () => {
  it('keeps a name in small letters in a private file, and says when it moves', async () => {
    needsUnix('owners and modes');
    const { run, path } = await named({});
    expect((await run('name set @Launch PostSpringLaunch')).stderr).toBe(
      '@launch is "PostSpringLaunch" in sandbox.\n',
    );
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
      format: 1,
      names: { sandbox: { launch: { id: 'PostSpringLaunch' } } },
    });
    expect((await run('name set launch PostAutumnRecaps')).stderr).toBe(
      '@launch is "PostAutumnRecaps" in sandbox (it was "PostSpringLaunch").\n',
    );
    expect((await run('name set copy @launch')).stderr).toBe(
      '@copy is "PostAutumnRecaps" in sandbox.\n',
    );
  });

  it.each([
    ['last x', 'name cannot be last: @last is the post last shown or changed'],
    ['a.b PostSpringLaunch', 'name must be 1 to 64 letters, digits, - and _'],
    ['_a PostSpringLaunch', 'beginning with a letter or a digit, got "_a"'],
    [`${'n'.repeat(65)} PostSpringLaunch`, 'name must be 1 to 64'],
    ['constructor PostSpringLaunch', 'name "constructor" is not allowed; choose another'],
    ['a', 'ID is required'],
    ['a @nope', 'ID "@nope" is not a name in sandbox'],
    ['a @last', 'ID "@last": no post was shown or changed here yet'],
    [`a ${'0af1'.repeat(16)}`, 'ID is a pairing session, which is a credential'],
    ['a .', 'ID must be one ID, got "."'],
  ])('refuses %s', async (words, message) => {
    const { run, path } = await named({});
    const { exitCode, stderr } = await run(`name set ${words}`);
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(message) });
    expect(existsSync(path)).toBe(false);
  });

  it('gives the names of one machine to another', async () => {
    const { run } = await named({ launch: 'PostSpringLaunch', guild: '223344556677889900' });
    const { stdout } = await run('name list --json');
    expect(JSON.parse(stdout)).toEqual([
      { name: 'guild', id: '223344556677889900' },
      { name: 'launch', id: 'PostSpringLaunch' },
    ]);
    for (const form of ['--json', '-o ndjson']) {
      const other = await named({ kept: 'PostAutumnRecaps' });
      const input = (await run(`name list ${form}`)).stdout;
      expect((await other.run('name set --from -', { input })).stderr).toBe(
        'Set 2 names in sandbox.\n',
      );
      expect((await other.run('name list')).stdout).toBe(
        'guild\t223344556677889900\t-\t-\nkept\tPostAutumnRecaps\t-\t-\n' +
          'launch\tPostSpringLaunch\t-\t-\n',
      );
    }
  });

  it('imports nothing where one record is wrong, and says all that is', async () => {
    const { run, path } = await named({});
    const input = '[{"name":"a","id":"PostSpringLaunch"},{"name":"last","id":"x"},{"id":"y"}]';
    const { exitCode, stderr } = await run('name set --from -', { input });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('2 errors; nothing was sent');
    expect(stderr).toContain('record 2 ("last") cannot be last');
    expect(stderr).toContain('record 3 has no name or no ID');
    expect(existsSync(path)).toBe(false);
    const wrong = await run('name set --from -', { input: 'launch PostSpringLaunch' });
    expect(wrong.stderr).toContain('--from must be what name list --json prints');
  });

  it('is refused by a file that others can write, or that is damaged', async () => {
    needsUnix('owners and modes');
    const { run, path } = await named();
    chmodSync(path, 0o666);
    const open = await run('posts get @launch');
    expect(open.exitCode).toBe(13);
    expect(open.stderr).toMatch(/names\.json/);
    chmodSync(path, 0o600);
    for (const text of ['{', '[]', '{"names":{"sandbox":{"a":"b"}}}', '{"format":2}']) {
      writeFileSync(path, text);
      const damaged = await run('posts get @launch');
      expect({ code: damaged.exitCode, stderr: damaged.stderr }).toEqual({
        code: 13,
        stderr: expect.stringMatching(/names\.json (?:is damaged|was written by a newer)/),
      });
      expect(readFileSync(path, 'utf8')).toBe(text);
      // A call without a name does not need the file.
      expect((await run('posts get PostSpringLaunch')).exitCode).toBe(0);
    }
  });
});

describe('name delete', () => {
  it('deletes one, and says which was probably meant', async () => {
    const { run } = await named();
    const { exitCode, stderr } = await run('name delete lunch');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('name "lunch" is not a name in sandbox');
    expect(stderr).toContain('did you mean launch?');
    expect((await run('name delete @launch')).stderr).toBe('Deleted @launch from sandbox.\n');
    expect((await run('posts get @launch')).exitCode).toBe(2);
  });
});

const ids = {
  launch: 'PostSpringLaunch',
  link: 'TargetSpringLink',
  mast: 'TargetSpringMast',
  me: 'AccountMastodonA',
  disc: 'AccountDiscordAa',
  chan: '112233445566778899',
  msg: '998877665544332211',
  brand: 'ProfileMainBrand',
  board: '549755885175',
  aud: '23850000000000001',
  hook: 'WebhookAlertsOps',
};

describe('a name stands for its ID', () => {
  it.each([
    ['posts get @launch', [['GET /v1/posts/PostSpringLaunch']]],
    ['posts get @LAUNCH', [['GET /v1/posts/PostSpringLaunch']]],
    [
      'posts retry @launch --target @link,@mast --target=@link',
      [
        [
          'POST /v1/posts/PostSpringLaunch/retry',
          { targetIds: ['TargetSpringLink', 'TargetSpringMast'] },
        ],
      ],
    ],
    [
      'posts reply @launch --target @mast --text @everyone',
      [
        [
          'POST /v1/posts/PostSpringLaunch/comments/reply',
          { targetId: 'TargetSpringMast', text: '@everyone' },
        ],
      ],
    ],
    [
      'posts reply @launch --target @mast --text @launch --parent-status-id @chan',
      [
        [
          'POST /v1/posts/PostSpringLaunch/comments/reply',
          { targetId: 'TargetSpringMast', text: '@launch', parentStatusId: ids.chan },
        ],
      ],
    ],
    [
      'discord pins add @chan @msg -a @disc',
      [
        [
          'PUT /v1/discord/channels/112233445566778899/pins/998877665544332211?accountId=AccountDiscordAa',
        ],
      ],
    ],
    [
      'accounts mastodon mute @chan @msg --account=@me',
      [
        [`POST /v1/accounts/AccountMastodonA/mastodon-statuses/${ids.chan}/mute`],
        [`POST /v1/accounts/AccountMastodonA/mastodon-statuses/${ids.msg}/mute`],
      ],
    ],
    [
      'connect pinterest select-board -a@me --profile @brand --board @board',
      [
        [
          'POST /v1/connect/pinterest/select-board',
          { accountId: ids.me, profileId: ids.brand, boardId: ids.board },
        ],
      ],
    ],
    [
      'connect reddit flairs -a @me --subreddit @launch',
      [['GET /v1/connect/reddit/flairs?accountId=AccountMastodonA&subreddit=%40launch']],
    ],
    [
      'webhooks update @hook --name @launch',
      [['PATCH /v1/webhooks', { id: ids.hook, name: '@launch' }]],
    ],
    ['ads audiences delete @aud', [[`DELETE /v1/ads/audiences/${ids.aud}`]]],
    ['api GET /v1/posts/@launch?x=@launch', [['GET /v1/posts/PostSpringLaunch?x=@launch']]],
    ['api POST /v1/posts/@launch/retry', [['POST /v1/posts/PostSpringLaunch/retry']]],
  ])('%s', async (line, wanted) => {
    const { run } = await named(ids);
    const { exitCode, stdout, stderr } = await run(`${line} -n --json --no-input`);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.not.stringContaining('@') });
    expect(requestsOf(stdout)).toEqual(wanted);
  });

  it('in SOCIAL_ACCOUNT, and in --confirm', async () => {
    const { run } = await named(ids);
    const line = 'accounts mastodon mute 1 -n --json';
    const { stdout } = await run(line, { env: { SOCIAL_ACCOUNT: '@me' } });
    expect(requestsOf(stdout)[0]![0]).toContain('/accounts/AccountMastodonA/');
    const unknown = await run('accounts mastodon mute 1', { env: { SOCIAL_ACCOUNT: '@mee' } });
    expect(unknown.stderr).toContain('SOCIAL_ACCOUNT "@mee" is not a name in sandbox');
    const done = await run('credentials disable CredentialSystem --confirm @cred', {});
    expect(done.stderr).toContain('--confirm "@cred" is not a name in sandbox');
    await run('name set cred CredentialSystem');
    expect((await run('credentials disable @cred --confirm @cred')).exitCode).toBe(0);
    const deleted = 'api DELETE /v1/ads/audiences/@aud --confirm @aud';
    expect((await run(deleted)).exitCode).toBe(0);
    expect((await run('credentials disable @cred --confirm @last')).stderr).toContain(
      '--confirm cannot be "@last"',
    );
  });

  it.each([
    ['a line', '@launch\n"@launch"\n'],
    ['JSON', '{"postId":"@launch"}\n{"postId":"PostSpringLaunch"}\n'],
    ['an array', '["@launch","@LAUNCH"]'],
    ['CSV', 'postId\n@launch\n'],
  ])('in %s of --from, and is one record with its ID', async (_form, input) => {
    const { run } = await named(ids);
    const { stdout } = await run('posts retry --from - -n --json', { input });
    expect(requestsOf(stdout)).toEqual([['POST /v1/posts/PostSpringLaunch/retry', {}]]);
  });

  it('in the columns and the lists of --from', async () => {
    const { run } = await named(ids);
    const cells = await run('posts retry --from - -n --json', {
      input: 'postId,target\n@launch,@link;@mast\n',
    });
    const objects = await run('posts retry --from - -n --json', {
      input: '{"postId":"@launch","targetIds":["@link","TargetSpringMast"]}\n',
    });
    expect(requestsOf(objects.stdout)).toEqual(requestsOf(cells.stdout));
    expect(requestsOf(cells.stdout)[0]![1]).toEqual({ targetIds: [ids.link, ids.mast] });
    const column = await run('posts get --from - --column post -n --json', {
      input: 'post,note\n@launch,@launch\n',
    });
    expect(requestsOf(column.stdout)).toEqual([['GET /v1/posts/PostSpringLaunch']]);
  });

  it('and is no part of a record’s key, of what is written, or of the line that goes on', async () => {
    const { home, run } = await named({ ...ids, gone: 'PostWithoutPlace' });
    const failures = join(home, 'failed.ndjson');
    const journal = join(home, 'j');
    const line = `posts retry @launch @gone --journal ${journal} --failures-to ${failures} --json`;
    const first = await run(line);
    expect(first.exitCode).toBe(11);
    expect(
      first.stdout + readFileSync(failures, 'utf8') + readFileSync(journal, 'utf8'),
    ).not.toContain('@launch');
    // The line that is suggested has the IDs; beside it stands what they are called.
    expect(first.stderr).toContain('posts retry PostSpringLaunch PostWithoutPlace --journal');
    const { error } = JSON.parse(first.stderr.trim().split('\n').at(-1)!) as {
      error: { why: readonly string[] };
    };
    expect(error.why).toEqual(
      expect.arrayContaining(['@launch is PostSpringLaunch', '@gone is PostWithoutPlace']),
    );
    const again = await run(
      `posts retry PostSpringLaunch PostWithoutPlace --journal ${journal} --json`,
    );
    expect(again.stderr).toContain('1 already done');
  });
});

describe('a name that cannot be used', () => {
  it.each([
    ['posts get @lunch', 'post ID "@lunch" is not a name in sandbox', 'did you mean @launch?'],
    [
      'posts get @',
      'post ID "@" is not a name in sandbox',
      'to set it: social -C sandbox name set <name> <id>',
    ],
    ['posts get @zzzz', '"@zzzz" is not a name', 'to set it: social -C sandbox name set zzzz <id>'],
    ['posts get @chan', '"@chan" is "112233445566778899": must be exactly 16 letters', 'try:'],
    ['posts retry @launch --target @last', '--target "@last" is a post', 'try:'],
    ['api GET /v1/posts/@lunch', 'path "@lunch" is not a name', 'write %40 for an @'],
    [
      'ads audiences delete @lunch -y',
      'audience ID "@lunch" is not a name',
      'did you mean @launch?',
    ],
  ])('%s', async (line, message, fix) => {
    const { run } = await named(ids);
    const { exitCode, stdout, stderr } = await run(line);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).toContain(fix);
  });

  it('in a list: all of them at once, each with its line, and nothing is sent', async () => {
    const home = freshHome();
    const server = await recordingServer();
    const own = { SOCIAL_BASE_URL: server.url, SOCIAL_TOKEN: 'tok-0123456789' };
    await social(split('name set launch PostSpringLaunch'), { home, env: own });
    const input = '@launch\n@lunch\n{"postId":"@launch","targetIds":["@x"]}\n@last\n';
    const { exitCode, stderr } = await social(split('posts retry --from -'), {
      home,
      env: own,
      input,
    });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('3 invalid lines in standard input; nothing was sent');
    expect(stderr).toMatch(
      /line 2: post ID "@lunch" is not a name in http[^;]*; did you mean @launch\?/,
    );
    expect(stderr).toMatch(/line 3: --target "@x" is not a name/);
    expect(stderr).toContain('line 4: post ID cannot be "@last" in a list; use the ID');
    expect(server.requests).toEqual([]);
  });
});

describe('the place of names', () => {
  it('is the context; without one, or with another service in its place, the origin', async () => {
    const home = freshHome();
    const run = (line: string, more: Record<string, string> = {}) =>
      socialInProcess(split(line), { home, env: more });
    for (const [name, url] of [
      ['prod', 'https://a.example.com'],
      ['test', 'https://b.example.com'],
    ] as const)
      await run(`context set ${name} --base-url ${url}`);
    await run('name set launch PostOfProduction -C prod');
    const urls = async (line: string, more = {}) =>
      requestsOf((await run(`${line} -n --json`, more)).stdout);
    expect(await urls('posts get @launch')).toEqual([['GET /v1/posts/PostOfProduction']]);
    expect((await run('posts get @launch -C test')).exitCode).toBe(2);
    expect(
      (await run('posts get @launch -C prod --base-url https://b.example.com')).stderr,
    ).toContain('"@launch" is not a name in https://b.example.com');
    expect(await urls('posts get @launch -C prod --base-url https://a.example.com/')).toHaveLength(
      1,
    );
    const bare = { SOCIAL_CONTEXT: '', SOCIAL_BASE_URL: 'https://c.example.com/api' };
    const other = freshHome();
    const there = (line: string, more: Record<string, string> = bare) =>
      socialInProcess(split(line), { home: other, env: more });
    expect((await there('name set launch PostOfNoContexts')).stderr).toContain(
      'in https://c.example.com.',
    );
    expect((await there('posts get @launch -n --json')).stdout).toContain('PostOfNoContexts');
    expect((await there('name list', {})).stderr).toContain('--context is required');
    expect((await there('posts get @launch -n', {})).stderr).toContain('needs a context');
  });

  it('goes with the context that is deleted', async () => {
    const home = freshHome();
    const run = (line: string) => socialInProcess(split(line), { home });
    await run('context set live --base-url https://a.example.com');
    await run('name set launch PostOfProduction');
    expect((await run('name list')).stdout).toContain('PostOfProduction');
    await run('context delete live');
    await run('context set live --base-url https://a.example.com');
    expect((await run('name list')).stdout).toBe('');
  });
});

const terminal: RunOptions = { columns: 80, env: { ...env, SOCIAL_NO_INPUT: '1', NO_COLOR: '1' } };

describe('@last', () => {
  it('is the post last shown at the terminal or changed here, and is said', async () => {
    const { social: run, clock } = testCli();
    const at = async (line: string, scene = terminal) => {
      clock.now += 1000;
      return run(split(line), scene);
    };
    await at('posts get PostSpringLaunch');
    expect(await at('posts get @last --json')).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('@last is PostSpringLaunch\n') as string,
    });
    await at('posts retry PostFlashSaleNow -q', { env });
    const quiet = await at('posts get @last -q --jq .id', { env });
    expect({ ...quiet }).toMatchObject({ stdout: 'PostFlashSaleNow\n', stderr: '' });
    // A change says what it is done to, also where notes are hidden.
    const change = await at('posts retry @last -q', { env });
    expect(change.stderr).toContain('@last is PostFlashSaleNow\n');
    await at('posts get PostSpringLaunch');
    expect((await at('name set night @last')).stderr).toBe(
      '@night is "PostSpringLaunch" in sandbox.\n',
    );
    expect((await at('api GET /v1/posts/@last --jq .id', { env })).stdout).toBe(
      'PostSpringLaunch\n',
    );
  });
});

describe('history and consent', () => {
  it('show the ID and its name; JSON has the ID alone', async () => {
    const { social: run } = testCli();
    await run(split('name set launch PostSpringLaunch'), { env });
    await run(split('posts retry @launch'), { env });
    const table = await run(split('history list'), { ...terminal, columns: 140 });
    expect(table.stdout).toContain('PostSpringLaunch (@launch)');
    const json = await run(split('history list --json'), { env });
    expect(JSON.parse(json.stdout)).toMatchObject([{ ids: ['PostSpringLaunch'] }]);
    await run(split('name set cred CredentialSystem'), { env });
    const asked = await run(split('credentials disable @cred'), { env });
    expect(asked.stderr).toContain(
      'confirmation required: credentials disable "CredentialSystem" (@cred)',
    );
    expect(asked.stderr).toContain(
      'credentials disable CredentialSystem --confirm CredentialSystem',
    );
  });
});

describe('completion', () => {
  it('offers the names that fit, with the IDs they stand for', async () => {
    const { home } = await named({ ...ids, seen: 'PostAutumnRecaps' });
    const machine = {
      env,
      configDir: () => join(home, '.config/social'),
      stateDir: () => join(home, 'state'),
    };
    const value = (known: string) => ({ label: 'x', known });
    const tree = (known: string) => ({
      root: { words: ['social'], summary: '', operands: [value(known)] },
      flags: [],
    });
    const offers = (known: string, word = '') =>
      complete(['0', word], tree(known), machine).split('\n');
    expect(offers('channel').slice(1, -1)).toEqual([
      '@chan\t112233445566778899',
      '@msg\t998877665544332211',
      '@board\t549755885175',
      '@aud\t23850000000000001',
    ]);
    expect(offers('post')).toContain('@launch\tPostSpringLaunch');
    expect(offers('post')).not.toContain('@chan\t112233445566778899');
    expect(offers('name')).toContain('launch\tPostSpringLaunch');
    expect(offers('context')).not.toContain('@launch\tPostSpringLaunch');
  });
});
