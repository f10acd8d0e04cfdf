// Every bound of "Limits" in the API document that a request can break, and every value that must not be missing:
// refused here before anything is opened, and by the embedded service when it is sent there all the same.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startSandbox } from '../../src/sandbox/serve.ts';
import { rawRequest } from '../support/raw-request.ts';
import { recordingServer } from '../support/recording-server.ts';
import { NOON, temporaryFolder, testCli, type RunOptions } from '../support/test-cli.ts';

const A = 'AccountBlueskyAa';
const POST = 'PostSpringLaunch';
const TARGET = 'TargetSpringLink';
const SESSION = '5e551011a1b2c3d4e5f60718293a4b5c6d7e8f905e551011a1b2c3d4e5f60718';
const ASTRAL = '𝒳';
const reply = (text: string) => ['posts', 'reply', POST, '--target', TARGET, '--text', text];
const dm = (text: string) => ['accounts', 'bluesky', 'send', 'c', '-a', A, '--text', text];
const create = (...flags: string[]) => [
  'webhooks',
  'create',
  '--url',
  'https://h.example',
  '--event',
  'post.failed',
  ...flags,
];
const update = (...flags: string[]) => ['webhooks', 'update', 'WebhookAlertsOps', ...flags];

const board = (profile: string, id: string) => [
  'connect',
  'pinterest',
  'select-board',
  '-a',
  A,
  '--profile',
  profile,
  '--board',
  id,
];
const xs = (length: number) => 'x'.repeat(length);

/** Runs a line against a service that would answer; what is refused must never reach it. */
async function typed(argv: readonly string[], scene: RunOptions = {}) {
  const service = await recordingServer();
  const env = { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: 'token', ...scene.env };
  const outcome = await testCli().social(argv, { ...scene, env });
  return { ...outcome, service };
}

async function refused(argv: readonly string[], scene: RunOptions = {}): Promise<string> {
  const { exitCode, stdout, stderr, service } = await typed(argv, scene);
  expect(service.connections()).toBe(0);
  expect(stdout).toBe('');
  expect(exitCode).toBe(2);
  return stderr;
}

async function accepted(argv: readonly string[], scene: RunOptions = {}): Promise<unknown> {
  const { exitCode, service, stderr } = await typed(argv, scene);
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  expect(service.requests).toHaveLength(1);
  const { body } = service.requests[0]!;
  return body === '' ? undefined : JSON.parse(body);
}

const idRule = 'must be exactly 16 letters a-z A-Z';

describe('a resource id', () => {
  it.each([
    ['15 letters', 'PostSpringLaunc', `${idRule}, got 15 characters`],
    ['17 letters', 'PostSpringLaunchh', `${idRule}, got 17 characters`],
    ['no letter at all', '', `${idRule}, got 0 characters`],
    ['a digit', 'Pos7SpringLaunch', 'character 4 is "7"'],
    ['a hyphen', 'Post-pringLaunch', 'character 5 is "-"'],
    ['an underscore', 'Post_pringLaunch', 'character 5 is "_"'],
    ['a space at its end', 'PostSpringLaunc ', 'character 16 is " "'],
    ['a full-width letter', 'ａostSpringLaunch', 'character 1 is U+FF41, not an ASCII letter'],
    ['a Cyrillic letter', 'PоstSpringLaunch', 'character 2 is U+043E, not an ASCII letter'],
    ['the Kelvin sign, a K in no ASCII', 'PostSpringLaunc\u212a', 'character 16 is U+212A'],
    ['an astral letter', `PostSpringLaunc${ASTRAL}`, 'character 16 is U+1D4B3'],
    ['a line break at its end', 'PostSpringLaunch\n', 'contains a line break'],
  ])('of %s is refused', async (_what, id, problem) => {
    const stderr = await refused(['posts', 'get', id]);
    expect(stderr).toMatch(/^error: post ID must be exactly 16 letters a-z A-Z/);
    expect(stderr).toContain(problem);
  });

  it.each([
    ['posts', 'retry', 'short'],
    ['posts', 'reply', 'short', '--target', TARGET, '--text', 'hi'],
    ['posts', 'reply', POST, '--target', 'short', '--text', 'hi'],
    ['posts', 'retry', POST, '--target', 'short'],
    ['accounts', 'bluesky', 'send', 'c', '-a', 'short', '--text', 'hi'],
    ['accounts', 'mastodon', 'mute', '1', '-a', 'short'],
    ['accounts', 'discord', 'channels', '-a', 'short'],
    ['accounts', 'tracking-tags', 'shared-accounts', '1', '-a', 'short'],
    ['connect', 'pinterest', 'select-board', '-a', 'short', '--profile', 'p', '--board', 'b'],
    ['connect', 'facebook', 'pages', '-a', 'short'],
    ['connect', 'reddit', 'flairs', '-a', 'short', '--subreddit', 's'],
    ['discord', 'pins', 'add', '1', '2', '-a', 'short'],
    ['discord', 'roles', '1', '-a', 'short'],
    ['credentials', 'disable', 'short', '--yes'],
    ['webhooks', 'update', 'short', '--active'],
  ])('is refused wherever it stands: %s %s %s %s %s %s', async (...argv) => {
    expect(await refused(argv.filter((word) => word !== undefined))).toContain(
      `${idRule}, got 5 characters`,
    );
  });

  it('that came from the environment is called by the name of its variable', async () => {
    const scene = { env: { SOCIAL_ACCOUNT: 'short' } };
    expect(await refused(['accounts', 'discord', 'channels'], scene)).toContain(
      `SOCIAL_ACCOUNT ${idRule}`,
    );
  });
});

describe('a Discord id', () => {
  it.each(['', '123456789012345678901', '+1', '1e3', '٣', '-1', ' 1', '0x10'])(
    'refuses %j',
    async (id) => {
      expect(await refused(['discord', 'roles', '-a', A, '--', id])).toMatch(
        /^error: guild ID must be 1 to 20 digits 0-9, got /,
      );
      expect(await refused(['discord', 'pins', 'add', '-a', A, '--', '1', id])).toContain(
        'message ID must be 1 to 20 digits 0-9',
      );
      expect(await refused(['discord', 'pins', 'add', '-a', A, '--', id, '1'])).toContain(
        'channel ID must be 1 to 20 digits 0-9',
      );
    },
  );

  it('says how many digits it has', async () => {
    const said = await refused(['discord', 'roles', '-a', A, '1'.repeat(21)]);
    expect(said).toContain('must be 1 to 20 digits 0-9, got 21 digits');
  });

  it('of twenty digits passes unchanged, though no double holds it', async () => {
    const { service } = await typed(['discord', 'roles', '98765432109876543210', '-a', A]);
    expect(service.requests[0]?.target).toBe(
      `/v1/discord/guilds/98765432109876543210/roles?accountId=${A}`,
    );
  });
});

describe('a Telegram session id', () => {
  it.each([
    ['in upper case', SESSION.toUpperCase()],
    ['of 63 characters', SESSION.slice(1)],
    ['of 65 characters', `${SESSION}0`],
    ['that is empty', ''],
    ['with a letter that is no hexadecimal digit', `g${SESSION.slice(1)}`],
  ])('%s is refused', async (_what, id) => {
    expect(await refused(['connect', 'telegram', 'session', id])).toMatch(
      /^error: session ID must be 64 lowercase hexadecimal characters, got /,
    );
  });
});

const foreign: readonly (readonly [name: string, ...argv: string[]])[] = [
  ['conversation ID', 'accounts', 'bluesky', 'send', '-a', A, '--text', 'hi', '--'],
  ['status ID', 'accounts', 'mastodon', 'mute', '-a', A, '--'],
  ['tag ID', 'accounts', 'tracking-tags', 'shared-accounts', '-a', A, '--'],
  ['code', 'connect', 'telegram', 'access-code', '--'],
  ['audience ID', 'ads', 'audiences', 'delete', '--yes', '--'],
];

describe.each(foreign)('a %s', (name, ...argv) => {
  it('refuses nothing at all', async () => {
    expect(await refused([...argv, ''])).toMatch(`error: ${name} must not be empty\n`);
  });

  it.each(['.', '..'])('refuses %s, which no path can carry', async (id) => {
    const stderr = await refused([...argv, id]);
    expect(stderr).toContain(`error: ${name} cannot be "${id}": a URL path cannot carry it\n`);
  });

  it('refuses half a surrogate pair', async () => {
    expect(await refused([...argv, 'a\ud800'])).toContain(`${name} is not valid text`);
  });

  it('takes 2048 encoded bytes and no more', async () => {
    expect(await refused([...argv, 'é'.repeat(342)])).toContain(
      'limit 2048 bytes encoded, got 2052',
    );
    expect(await refused([...argv, 'a'.repeat(2049)])).toContain('too long');
    await accepted([...argv, 'a'.repeat(2048)]);
  });

  it.each(['a/b', '?', '#', '%', '%2f', '\\', ';', '+', ' ', 'é', '...', '-x', "'", '\u0000'])(
    'sends %j as one segment',
    async (id) => {
      const { service } = await typed([...argv, id]);
      const target = service.requests[0]!.target.split('?')[0]!;
      const plain = (await typed([...argv, 'PLAIN'])).service.requests[0]!.target.split('?')[0]!;
      expect(target.split('/')).toHaveLength(plain.split('/').length);
      const at = plain.split('/').indexOf('PLAIN');
      expect(decodeURIComponent(target.split('/')[at]!)).toBe(id);
    },
  );
});

describe('a word that is no flag and no command', () => {
  it('is refused as a Mastodon action, and the eight are named', async () => {
    const stderr = await refused(['accounts', 'mastodon', 'like', '1', '-a', A]);
    expect(stderr).toBe(
      'error: "like" is not a command of social accounts mastodon\n' +
        '  commands: favourite, unfavourite, reblog, unreblog, bookmark, unbookmark, mute, unmute\n' +
        'try: social accounts mastodon --help\n',
    );
  });

  it('begins an id only behind --', async () => {
    const stderr = await refused(['ads', 'audiences', 'delete', '-5', '--yes']);
    expect(stderr).toContain('put -- before an ID that starts with -');
  });
});

describe('a list of targets', () => {
  it.each(['', ',', ',,'])('%j names none', async (list) => {
    expect(await refused(['posts', 'retry', POST, '--target', list])).toContain(
      '--target needs at least one id',
    );
  });

  it('names each once, and says so', async () => {
    const { service, stderr } = await typed([
      'posts',
      'retry',
      POST,
      '--target',
      TARGET,
      '--target',
      `${TARGET},TargetSpringMast`,
    ]);
    expect(JSON.parse(service.requests[0]!.body)).toEqual({
      targetIds: [TARGET, 'TargetSpringMast'],
    });
    expect(stderr).toContain('--target: 1 duplicate value ignored');
  });
});

describe('a text', () => {
  it.each([
    ['of a reply', reply, 300],
    ['of a message', dm, 10_000],
  ])('%s is counted in code points', async (_what, line, limit) => {
    expect(await refused(line(''))).toContain(`--text must be 1 to ${limit} characters, got 0`);
    expect(await refused(line('x'.repeat(limit + 1)))).toContain(`got ${limit + 1}`);
    expect(await refused(line(ASTRAL.repeat(limit + 1)))).toContain(`got ${limit + 1}`);
    expect(await accepted(line('x'))).toMatchObject({ text: 'x' });
    expect(await accepted(line(ASTRAL.repeat(limit)))).toMatchObject({
      text: ASTRAL.repeat(limit),
    });
  });

  it.each([
    ['\0', 'U+0000'],
    ['\u001b', 'U+001B'],
    ['\u007f', 'U+007F'],
  ])('with the control character %j is refused', async (character, name) => {
    const stderr = await refused(reply(`Hi\n\t${character}`));
    expect(stderr).toContain(`--text contains the control character ${name} at 5`);
  });

  it('keeps line breaks and tabs', async () => {
    expect(await accepted(reply('a\n\tb'))).toMatchObject({ text: 'a\n\tb' });
  });

  it('from standard input loses one final newline and nothing else', async () => {
    const line = reply('').slice(0, -2);
    const scene = { stdin: '\na\n\nb \n\n' };
    expect(await accepted([...line, '--text-file', '-'], scene)).toMatchObject({
      text: '\na\n\nb \n',
    });
    const told = 'note: --text-file: its final newline was removed\n';
    expect((await typed([...line, '--text-file', '-', '--debug'], scene)).stderr).toContain(told);
    expect((await typed([...line, '--text-file', '-'], scene)).stderr).toBe('');
    const none = await typed([...line, '--text-file', '-', '--debug'], { stdin: 'a' });
    expect(none.stderr).not.toContain('final newline');
  });

  it('from a file is read as it is, and the file must be one', async () => {
    const line = reply('').slice(0, -2);
    const folder = temporaryFolder();
    const path = join(folder, 'text');
    writeFileSync(path, 'from a file\r\n');
    expect(await accepted([...line, '--text-file', path])).toMatchObject({ text: 'from a file' });
    expect(await refused([...line, '--text-file', folder])).toContain('is not a regular file');
    writeFileSync(join(folder, 'windows'), 'a\r\nb\r\n');
    expect(await refused([...line, '--text-file', join(folder, 'windows')])).toContain(
      '--text contains the control character U+000D at 2; use LF line ends, not CRLF\n',
    );
    writeFileSync(join(folder, 'utf16'), '\ufeffa', 'utf16le');
    expect(await refused([...line, '--text-file', join(folder, 'utf16')])).toContain(
      'utf16 is UTF-16\n  save it as UTF-8\n',
    );
    expect(await refused([...line, '--text-file', join(folder, 'none')])).toContain(
      'does not exist',
    );
    writeFileSync(path, Buffer.alloc(1024 * 1024 + 1, 'x'));
    expect(await refused([...line, '--text-file', path])).toContain('larger than 1 MiB');
  });

  it('that is not UTF-8 is refused by the place of the first bad byte', async () => {
    const path = join(temporaryFolder(), 'text');
    writeFileSync(path, Buffer.from([0x61, 0xc3, 0xa9, 0xff, 0x61]));
    const line = reply('').slice(0, -2);
    expect(await refused([...line, '--text-file', path])).toContain('is not valid UTF-8 (byte 4)');
  });

  it('is given once', async () => {
    expect(await refused([...reply('a'), '--text-file', '-'], { stdin: 'b' })).toContain(
      '--text-file cannot be combined with --text',
    );
  });
});

describe('a webhook', () => {
  it.each([
    'http://h.example',
    'https:h.example',
    'https:\\\\h.example',
    'https://',
    'https:///path',
    'https://user@h.example',
    'https://user:pass@h.example',
    'https://h.example:99999',
    'https://h example',
    'ftp://h.example',
    'h.example',
    '',
  ])('refuses the url %j', async (url) => {
    const wanted = '--url must be https:// with a host and no user name';
    expect(await refused(['webhooks', 'create', '--url', url, '--all-events'])).toContain(wanted);
    expect(await refused(update('--url', url))).toContain(wanted);
  });

  it.each([
    ['', 0],
    ['x'.repeat(161), 161],
    [ASTRAL.repeat(161), 161],
  ])('refuses a name that is empty or too long', async (name, length) => {
    const wanted = `--name must be 1 to 160 characters, got ${length}`;
    expect(await refused(create('--name', name))).toContain(wanted);
    expect(await refused(update('--name', name))).toContain(wanted);
  });

  it('takes a name of 160 code points', async () => {
    const name = ASTRAL.repeat(160);
    expect(await accepted(create('--name', name))).toMatchObject({ name });
  });

  it('refuses events that are none, unknown or named twice', async () => {
    const line = ['webhooks', 'create', '--url', 'https://h.example'];
    expect(await refused([...line, '--event', ''])).toContain('--event needs at least one event');
    const unknown = await refused([...line, '--event', 'post.exploded']);
    expect(unknown).toContain('post.exploded');
    expect(unknown).toContain('account.ads.initial_sync_completed');
    expect(await refused([...line, '--event', 'post.failed,post.failed'])).toContain(
      'must not name post.failed twice',
    );
    expect(await refused([...line, '--event', 'post.failed', '--all-events'])).toContain(
      '--all-events cannot be combined with --event',
    );
  });

  it.each([
    ['7 characters', 'sevenxx', 7],
    ['1025 characters', 'x'.repeat(1025), 1025],
    ['7 astral characters', ASTRAL.repeat(7), 7],
  ])('refuses a secret of %s and does not show it', async (_what, secret, length) => {
    for (const line of [create(), update()]) {
      const stderr = await refused([...line, '--secret-env', 'HOOK'], { env: { HOOK: secret } });
      expect(stderr).toContain(`error: --secret-env must be 8 to 1024 characters, got ${length}\n`);
      expect(stderr).not.toContain(secret);
    }
  });

  it.each([8, 1024])('takes a secret of %i code points', async (length) => {
    const secret = ASTRAL.repeat(length);
    const body = await accepted([...create(), '--secret-env', 'HOOK'], { env: { HOOK: secret } });
    expect(body).toMatchObject({ secret });
  });

  it('names the flag that a secret came from where its length depends on who counts', async () => {
    const env = { HOOK: ASTRAL.repeat(1024) };
    const { stderr } = await typed([...update(), '--secret-env', 'HOOK', '-n'], { env });
    expect(stderr).toBe('--secret-env: the service may count characters differently\n');
  });

  it.each([
    ['X Y: v4lue', '"X Y" is not a header name'],
    ['Host: v4lue', '"Host" is not allowed'],
    ['content-length: v4lue', '"content-length" is not allowed'],
    ['Transfer-Encoding: v4lue', '"Transfer-Encoding" is not allowed'],
    ['__proto__: v4lue', '"__proto__" is not a header name'],
    ['X-A: v4\nlue', 'value of "X-A" contains a line break'],
    ['X-A: v4lue\0', 'value of "X-A" contains a line break'],
    ['v4lue', 'has no colon'],
  ])('refuses the header %j without showing its value', async (header, problem) => {
    const stderr = await refused(create('--header', header));
    expect(stderr).toContain(problem);
    expect(stderr).not.toMatch(/v4\n?lue/);
  });

  it('is not changed by nothing', async () => {
    expect(await refused(update())).toContain('webhooks update has nothing to change');
  });

  it('does not lose its secret by an empty one', async () => {
    const empty = { env: { HOOK: '' } };
    for (const [flags, scene] of [
      [['--secret-env', 'HOOK'], empty],
      [['--secret-file', '-'], { stdin: '\n' }],
    ] as const) {
      expect(await refused(update(...flags), scene)).toBe(
        `error: ${flags[0]} must be 8 to 1024 characters, got 0\n  use --clear-secret to remove it\ntry: social webhooks update --help\n`,
      );
      // A new one has none to lose.
      expect(await refused(create(...flags), scene)).not.toContain('clear-secret');
    }
    expect(await accepted(update('--clear-secret'))).toEqual({
      id: 'WebhookAlertsOps',
      secret: null,
    });
    expect(await accepted(update('--name', 'x'))).toEqual({ id: 'WebhookAlertsOps', name: 'x' });
  });

  it('cannot lose and get a secret at once', async () => {
    expect(
      await refused(update('--clear-secret', '--secret-env', 'HOOK'), {
        env: { HOOK: 'correct horse' },
      }),
    ).toContain('--clear-secret cannot be combined with --secret-env');
  });

  it('never takes a secret from the command line', async () => {
    const stderr = await refused(create('--secret', 'correct horse'));
    expect(stderr).toContain('secrets are not accepted on the command line');
    expect(stderr).not.toContain('correct horse');
    for (const given of [['--token', 'correct horse'], ['--token=correct horse']]) {
      const env = { SOCIAL_TOKEN: 'of-the-environment' };
      const token = await refused(['posts', 'get', POST, ...given], { env });
      expect(token).toContain(
        '--token does not exist: secrets are not accepted on the command line',
      );
      expect(token).toContain('set SOCIAL_TOKEN');
      expect(token).not.toContain('correct horse');
    }
  });

  it('is either active or not', async () => {
    expect(await refused(create('--active', '--inactive'))).toContain(
      '--active cannot be combined with --inactive',
    );
  });
});

describe('what select-board needs', () => {
  it('is a profile of 1 to 255 code points and some board', async () => {
    expect(await refused(board('', ''))).toMatch(
      /--profile must be 1 to 255 characters, got 0\n.*--board must not be empty/,
    );
    expect(await refused(board('x'.repeat(256), 'b'))).toContain('got 256');
    expect(await accepted(board(ASTRAL.repeat(255), 'b'))).toMatchObject({ boardId: 'b' });
  });
});

describe('a flag of one value', () => {
  it.each([
    [['posts', 'reply', POST, '--target', TARGET, '--target', 'TargetAutumnMast'], '--target'],
    [['posts', 'reply', POST, '--target', TARGET, '--text', 'a', '--text', 'b'], '--text'],
    [['posts', 'reply', POST, '--text-file', 'a', '--text-file', 'b'], '--text-file'],
    [['posts', 'retry', '--from', 'a', '--json', '--from=b'], '--from'],
    [create('--secret-file', 'a', '--secret-file', 'b'), '--secret-file'],
  ])('%j is not given twice', async (line, flag) => {
    const refusal = await refused(line);
    expect(refusal).toContain(`${flag} cannot be repeated: it takes one value`);
    expect(refusal).toMatch(/\ntry: social .* --help\n$|"next":"social posts retry --help"/);
  });

  it('is refused with all else that is wrong', async () => {
    const line = ['posts', 'reply', 'short', '--target', TARGET, '--target', 'x', '--text', ''];
    expect(await refused(line)).toMatch(
      /^error: 4 errors; nothing was sent\n.*--target cannot be repeated.*post ID.*--target must.*--text/s,
    );
  });

  it('may be one that a shell alias gives too: the last counts', async () => {
    const line = ['posts', 'get', POST, '--timeout', '1s', '--timeout', '20s'];
    expect(await accepted(line)).toBeUndefined();
    const twice = ['-a', 'AccountMastodonA', '-a', 'AccountMastodonB'];
    await accepted(['accounts', 'mastodon', 'mute', '1', ...twice]);
  });
});

describe('what is missing is named, all of it', () => {
  it.each([
    ['posts get', ['post ID']],
    ['posts retry', ['post ID']],
    ['posts reply', ['post ID', '--target', '--text']],
    ['accounts bluesky send', ['conversation ID', '--account', '--text']],
    ['accounts mastodon mute', ['status ID', '--account']],
    ['accounts discord channels', ['--account']],
    ['accounts tracking-tags shared-accounts', ['tag ID', '--account']],
    ['connect pinterest select-board', ['--account', '--profile', '--board']],
    ['connect facebook pages', ['--account']],
    ['connect reddit flairs', ['--account', '--subreddit']],
    ['connect telegram session', ['session ID']],
    ['connect telegram access-code', ['code']],
    ['discord pins add', ['channel ID', 'message ID', '--account']],
    ['discord roles', ['guild ID', '--account']],
    ['ads audiences delete', ['audience ID']],
    ['credentials disable', ['credential ID']],
    ['webhooks create', ['--url', '--event']],
    ['webhooks update', ['webhook ID']],
  ])('%s', async (line, missing) => {
    const stderr = await refused(line.split(' '));
    for (const name of missing) expect(stderr).toContain(`${name} is required`);
    const { details } = await faultsOf(line.split(' '));
    expect(details.filter(({ problem }) => problem === 'is required')).toHaveLength(missing.length);
  });

  it.each([
    ['posts reply', '--text is required; or use --text-file\n'],
    ['accounts bluesky send', '--text is required; or use --text-file\n'],
    ['webhooks create', '--event is required; or use --all-events\n'],
    ['webhooks create --url https://h.example', '--event is required\n  or use --all-events\n'],
  ])('%s: with the other flag that gives it', async (line, said) => {
    expect(await refused(line.split(' '))).toContain(said);
  });
});

async function faultsOf(argv: readonly string[], scene: RunOptions = {}) {
  const stderr = await refused([...argv, '--json'], scene);
  const last = stderr.trimEnd().split('\n').at(-1)!;
  const { error } = JSON.parse(last) as {
    error: { code: string; sent: boolean; details: { field: string; problem: string }[] };
  };
  expect(error).toMatchObject({ code: 'usage', sent: false, outcome: 'none', exitCode: 2 });
  return error;
}

describe('all that is wrong with a line is said at once', () => {
  it('five faults of five values', async () => {
    const { details } = await faultsOf([
      'posts',
      'reply',
      'abc',
      '--target',
      'def',
      '--text',
      '',
      '--timeout',
      '10',
      '--retries',
      '99',
    ]);
    expect(details.map(({ field }) => field).toSorted()).toEqual(
      ['--retries', '--target', '--text', '--timeout', 'post ID'].toSorted(),
    );
  });

  it('of several ids, each with the place where it stands', async () => {
    const { details } = await faultsOf(['posts', 'get', 'abc', POST, 'def']);
    expect(details.map(({ problem }) => problem)).toEqual([
      `${idRule}, got 3 characters (in "abc")`,
      `${idRule}, got 3 characters (in "def")`,
    ]);
  });

  it('for a person too, a line each', async () => {
    const stderr = await refused(['posts', 'reply', 'abc', '--target', 'def', '--text', '']);
    expect(stderr.split('\n')).toEqual([
      'error: 3 errors; nothing was sent',
      `  post ID ${idRule}, got 3 characters`,
      `  --target ${idRule}, got 3 characters`,
      '  --text must be 1 to 300 characters, got 0',
      'try: social posts reply --help',
      '',
    ]);
  });
});

describe('flags and commands', () => {
  it.each(['11', '1e9', '0x1', 'NaN', '-1', '1.5', '5x', ''])(
    '--retries=%s is refused',
    async (value) => {
      expect(await refused(['posts', 'get', POST, `--retries=${value}`])).toContain(
        `--retries must be a whole number from 0 to 10, got "${value}"`,
      );
    },
  );

  it.each(['0', '10'])('--retries=%s is taken', async (value) => {
    expect(await accepted(['posts', 'get', POST, `--retries=${value}`])).toBeUndefined();
  });

  it.each(['10', '10x', '99999999999s', '25h', '0s', '-1s', '1.5s', ''])(
    '--timeout=%s is refused',
    async (value) => {
      expect(await refused(['posts', 'get', POST, `--timeout=${value}`])).toContain(
        '--timeout needs a whole number above 0 and a unit, e.g. 500ms, 30s, 5m; limit 24h',
      );
    },
  );

  it.each([
    'ftp://h.example',
    'h.example',
    'https://user:p4ss@h.example',
    'https://h.example?token=p4ss',
    'https://h.example#p4ss',
    'https://h.example:99999',
    'https://',
  ])('--base-url %s is refused and not shown', async (value) => {
    const stderr = await refused(['posts', 'get', POST, '--base-url', value]);
    expect(stderr).toContain('--base-url must be https://host[:port][/path]');
    expect(stderr).not.toContain('p4ss');
  });

  it('that contradict each other are refused', async () => {
    expect(await refused(['posts', 'get', POST, '--json', '-o', 'tsv'])).toContain(
      '--json cannot be combined with -o tsv',
    );
    const twice = ['posts', 'reply', '--from', '-', '--target', TARGET, '--text-file', '-'];
    expect(await refused(twice, { stdin: POST })).toContain(
      '--from cannot read stdin: --text-file reads it',
    );
  });

  it('that are unknown are named without their value, with what was meant', async () => {
    const stderr = await refused(['posts', 'retry', POST, '--tagret=s3cret']);
    expect(stderr).toContain('--tagret');
    expect(stderr).toContain('did you mean --target?');
    expect(stderr).not.toContain('s3cret');
  });

  it.each([
    [['post', 'get', POST], 'did you mean social posts?'],
    [['posts', 'gett', POST], 'did you mean social posts get?'],
    [['discord', 'pins', 'ad', '1', '2'], 'did you mean social discord pins add?'],
    [['frobnicate'], '"frobnicate" is not a command of social'],
    [['connect', 'telegram', 'access-code', 'a', 'b'], 'accepts 1 argument, got 2: unexpected "b"'],
    [
      ['discord', 'pins', 'add', '1', '2', '3', '-a', A],
      'accepts 2 arguments, got 3: unexpected "3"',
    ],
    [
      ['accounts', 'discord', 'channels', 'x', '-a', A],
      'accepts no arguments, got 1: unexpected "x"',
    ],
  ])('%j is refused', async (argv, message) => {
    expect(await refused(argv)).toContain(message);
  });

  it.each(['--fields', '--output', '--timeout', '--query', '--base-url'])(
    'that take a value need one: %s',
    async (flag) => {
      expect(await refused(['posts', 'get', POST, flag])).toContain(`${flag} needs a value`);
    },
  );

  it.each([
    ['--fields', 'sttus', 'did you mean status?'],
    ['-o', 'yaml', '--output must be one of: table, wide, json, ndjson, tsv; got "yaml"'],
    ['--color', 'blue', '--color must be one of: auto, always, never'],
    ['--query', 'novalue', '--query must be name=value'],
  ])('%s %s is refused', async (flag, value, message) => {
    expect(await refused(['posts', 'get', POST, flag, value])).toContain(message);
  });

  it('and no variable of the environment gets past the same rules', async () => {
    const { details } = await faultsOf(['posts', 'get', POST], {
      env: { SOCIAL_TIMEOUT: '10', SOCIAL_BASE_URL: 'nowhere' },
    });
    expect(details.map(({ field }) => field).toSorted()).toEqual([
      'SOCIAL_BASE_URL',
      'SOCIAL_TIMEOUT',
    ]);
  });
});

describe('consent', () => {
  it.each([
    ['ads', 'audiences', 'delete', 'a'],
    ['credentials', 'disable', 'CredentialSystem'],
  ])('is not assumed off a terminal: %s %s %s %s', async (...argv) => {
    const stderr = await refused(argv.filter((word) => word !== undefined));
    expect(stderr).toContain('confirmation required');
    expect(stderr).toContain('--confirm');
  });

  it('for one id does not cover another', async () => {
    await refused(['ads', 'audiences', 'delete', 'a', 'b', '--confirm', 'a']);
    const { service, exitCode } = await typed([
      'ads',
      'audiences',
      'delete',
      'a',
      'b',
      '--confirm',
      'a',
      '--confirm',
      'b',
    ]);
    expect({ exitCode, sent: service.requests.length }).toEqual({ exitCode: 0, sent: 2 });
  });
});

describe('the embedded service refuses the same when it is sent there all the same', () => {
  const hook = { url: 'https://h.example', events: ['post.failed'] };
  const patch = { id: 'WebhookAlertsOps' };
  const chosen = { accountId: 'AccountPinterest', profileId: 'p', boardId: 'b' };

  it.each<readonly [method: string, path: string, body: unknown, field: string]>([
    ['GET', '/v1/posts/short', undefined, 'postId'],
    ['GET', '/v1/posts/PostSpr1ngLaunch', undefined, 'postId'],
    ['POST', '/v1/posts/short/retry', {}, 'postId'],
    ['POST', `/v1/posts/${POST}/retry`, { targetIds: [] }, 'targetIds'],
    ['POST', `/v1/posts/${POST}/retry`, { targetIds: ['short'] }, 'targetIds.0'],
    ['POST', `/v1/posts/${POST}/retry`, { targetIds: TARGET }, 'targetIds'],
    ['POST', `/v1/posts/${POST}/retry`, { targetIds: null }, 'targetIds'],
    ['POST', `/v1/posts/${POST}/retry`, { unknown: 1 }, 'unknown'],
    ['POST', `/v1/posts/${POST}/comments/reply`, { text: 'x' }, 'targetId'],
    ['POST', `/v1/posts/${POST}/comments/reply`, { targetId: TARGET }, 'text'],
    ['POST', `/v1/posts/${POST}/comments/reply`, { targetId: TARGET, text: '' }, 'text'],
    ['POST', `/v1/posts/${POST}/comments/reply`, { targetId: TARGET, text: xs(301) }, 'text'],
    ['POST', `/v1/posts/${POST}/comments/reply`, { targetId: 'short', text: 'x' }, 'targetId'],
    ...['rootUri', 'rootCid', 'parentUri', 'parentCid', 'parentStatusId'].map(
      (field) =>
        [
          'POST',
          `/v1/posts/${POST}/comments/reply`,
          { targetId: TARGET, text: 'x', [field]: '' },
          field,
        ] as const,
    ),
    ['POST', `/v1/accounts/short/bluesky-conversations/c/messages`, { text: 'x' }, 'accountId'],
    ['POST', `/v1/accounts/${A}/bluesky-conversations/c/messages`, { text: '' }, 'text'],
    ['POST', `/v1/accounts/${A}/bluesky-conversations/c/messages`, { text: xs(10_001) }, 'text'],
    ['POST', `/v1/accounts/${A}/bluesky-conversations/c/messages`, {}, 'text'],
    ['POST', `/v1/accounts/${A}/mastodon-statuses/1/like`, undefined, 'action'],
    ['POST', '/v1/accounts/short/mastodon-statuses/1/mute', undefined, 'accountId'],
    ['GET', '/v1/accounts/short/discord-channels', undefined, 'accountId'],
    ['GET', '/v1/accounts/short/tracking-tags/1/shared-accounts', undefined, 'accountId'],
    ['POST', '/v1/connect/pinterest/select-board', { ...chosen, accountId: 'a' }, 'accountId'],
    ['POST', '/v1/connect/pinterest/select-board', { ...chosen, profileId: '' }, 'profileId'],
    ['POST', '/v1/connect/pinterest/select-board', { ...chosen, profileId: xs(256) }, 'profileId'],
    ['POST', '/v1/connect/pinterest/select-board', { ...chosen, boardId: '' }, 'boardId'],
    ['GET', '/v1/connect/facebook/pages', undefined, 'accountId'],
    ['GET', '/v1/connect/facebook/pages?accountId=short', undefined, 'accountId'],
    ['GET', '/v1/connect/reddit/flairs?accountId=AccountRedditAaa', undefined, 'subreddit'],
    ['GET', '/v1/connect/reddit/flairs?subreddit=x', undefined, 'accountId'],
    [
      'GET',
      '/v1/connect/reddit/flairs?accountId=AccountRedditAaa&subreddit=',
      undefined,
      'subreddit',
    ],
    ['GET', `/v1/connect/telegram/business/session/${xs(64)}`, undefined, 'sessionId'],
    [
      'GET',
      `/v1/connect/telegram/business/session/${SESSION.toUpperCase()}`,
      undefined,
      'sessionId',
    ],
    ['PUT', `/v1/discord/channels/x/pins/1?accountId=${A}`, undefined, 'channelId'],
    ['PUT', `/v1/discord/channels/1/pins/${'1'.repeat(21)}?accountId=${A}`, undefined, 'messageId'],
    ['PUT', '/v1/discord/channels/1/pins/1', undefined, 'accountId'],
    ['GET', `/v1/discord/guilds/1e3/roles?accountId=${A}`, undefined, 'guildId'],
    ['GET', '/v1/discord/guilds/1/roles', undefined, 'accountId'],
    ['POST', '/v1/platform-app-credentials/short/disable', undefined, 'credentialId'],
    ['POST', '/v1/webhooks', {}, 'url'],
    ['POST', '/v1/webhooks', { url: hook.url }, 'events'],
    ['POST', '/v1/webhooks', { ...hook, url: 'http://h.example' }, 'url'],
    ['POST', '/v1/webhooks', { ...hook, events: [] }, 'events'],
    ['POST', '/v1/webhooks', { ...hook, events: ['post.exploded'] }, 'events.0'],
    ['POST', '/v1/webhooks', { ...hook, events: Array(13).fill('post.failed') }, 'events'],
    ['POST', '/v1/webhooks', { ...hook, name: '' }, 'name'],
    ['POST', '/v1/webhooks', { ...hook, name: xs(161) }, 'name'],
    ['POST', '/v1/webhooks', { ...hook, secret: xs(7) }, 'secret'],
    ['POST', '/v1/webhooks', { ...hook, secret: xs(1025) }, 'secret'],
    ['POST', '/v1/webhooks', { ...hook, secret: null }, 'secret'],
    ['POST', '/v1/webhooks', { ...hook, isActive: 'yes' }, 'isActive'],
    ['POST', '/v1/webhooks', { ...hook, customHeaders: ['X-A: b'] }, 'customHeaders'],
    ['POST', '/v1/webhooks', { ...hook, customHeaders: { 'X-A': 1 } }, 'customHeaders'],
    ['PATCH', '/v1/webhooks', { name: 'x' }, 'id'],
    ['PATCH', '/v1/webhooks', { id: 'short', name: 'x' }, 'id'],
    ['PATCH', '/v1/webhooks', { ...patch, name: '' }, 'name'],
    ['PATCH', '/v1/webhooks', { ...patch, url: 'http://h.example' }, 'url'],
    ['PATCH', '/v1/webhooks', { ...patch, events: [] }, 'events'],
    ['PATCH', '/v1/webhooks', { ...patch, secret: xs(7) }, 'secret'],
  ])('%s %s %j', async (method, path, body, field) => {
    const stateDir = temporaryFolder();
    const sandbox = await startSandbox({ stateDir, now: () => NOON, note: () => undefined });
    onTestFinished(() => sandbox.close());
    const answer = await rawRequest(sandbox, method, path, body);
    expect(answer.status).toBe(422);
    const { error } = JSON.parse(answer.body) as { error: { code: string; details: object[] } };
    expect(error.code).toBe('validation_failed');
    expect(error.details).toContainEqual({ field, message: expect.any(String) as string });
  });
});
