// A request that breaks a bound of "Limits" in the API document, or lacks a value, is refused before anything is opened.
// The values of files, records and headers are in input/flag-values.test.ts, global flags in config/settings.test.ts.

import { describe, expect, it } from 'vitest';
import { recordingServer } from '../support/recording-server.ts';
import { splitWords } from '../support/shell-words.ts';
import { testCli, type RunOptions } from '../support/test-cli.ts';

const A = 'AccountBlueskyAa';
const POST = 'PostSpringLaunch';
const TARGET = 'TargetSpringLink';
const SESSION = '5e551011a1b2c3d4e5f60718293a4b5c6d7e8f905e551011a1b2c3d4e5f60718';
const ASTRAL = '𝒳';
const reply = ['posts', 'reply', POST, '--target', TARGET, '--text'];
const dm = ['accounts', 'bluesky', 'send', 'c', '-a', A, '--text'];
const create = 'webhooks create --url https://h.example --event post.failed'.split(' ');
const update = ['webhooks', 'update', 'WebhookAlertsOps'];
const board = ['connect', 'pinterest', 'select-board', '-a', A, '--board', 'b', '--profile'];
const xs = (length: number) => 'x'.repeat(length);

/** Runs a line against a service that would answer; a refused line must never reach it. */
async function typed(argv: readonly string[], scene: RunOptions = {}) {
  const service = await recordingServer();
  const env = { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: 'of-the-environment', ...scene.env };
  const outcome = await testCli().social(argv, { ...scene, env });
  return { ...outcome, service };
}

async function refused(argv: readonly string[], scene: RunOptions = {}): Promise<string> {
  const { exitCode, stdout, stderr, service } = await typed(argv, scene);
  expect({ exitCode, stdout, connections: service.connections() }).toEqual({
    exitCode: 2,
    stdout: '',
    connections: 0,
  });
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
    ['17 letters', 'PostSpringLaunchh', `${idRule}, got 17 characters`],
    ['no letter at all', '', `${idRule}, got 0 characters`],
    ['a digit', 'Pos7SpringLaunch', 'character 4 is "7"'],
    ['the Kelvin sign', 'PostSpringLaunc\u212a', 'character 16 is U+212A'],
    ['an astral letter', `PostSpringLaunc${ASTRAL}`, 'character 16 is U+1D4B3'],
    ['a line break at its end', 'PostSpringLaunch\n', 'contains a line break'],
  ])('of %s is rejected', async (_what, id, problem) => {
    const stderr = await refused(['posts', 'get', id]);
    expect(stderr).toMatch(/^error: post ID must be exactly 16 letters a-z A-Z/);
    expect(stderr).toContain(problem);
  });

  it.each([
    'posts retry short',
    'posts reply PostSpringLaunch --target short --text hi',
    'posts retry PostSpringLaunch --target short',
    'accounts bluesky send c -a short --text hi',
    'accounts mastodon mute 1 -a short',
    'accounts discord channels -a short',
    'accounts tracking-tags shared-accounts 1 -a short',
    'connect pinterest select-board -a short --profile p --board b',
    'connect facebook pages -a short',
    'connect reddit flairs -a short --subreddit s',
    'discord pins add 1 2 -a short',
    'discord roles 1 -a short',
    'credentials disable short --yes',
    'webhooks update short --active',
  ])('is rejected at every place: %s', async (line) => {
    expect(await refused(line.split(' '))).toContain(`${idRule}, got 5 characters`);
  });

  it('from the environment is reported with the name of its variable', async () => {
    const said = await refused(['discord', 'roles', '1'], { env: { SOCIAL_ACCOUNT: 'short' } });
    expect(said).toContain(`SOCIAL_ACCOUNT ${idRule}`);
  });
});

describe('an ID of another form', () => {
  it.each([
    [
      'guild ID must be 1 to 20 digits 0-9, but character 2 is U+FF12, not an ASCII character',
      ['discord', 'roles', '1２3', '-a', A],
    ],
    ['message ID must be 1 to 20 digits', ['discord', 'pins', 'add', '-a', A, '1', 'x']],
    ['channel ID must be 1 to 20 digits', ['discord', 'pins', 'add', '-a', A, 'x', '1']],
    [
      'session ID must be 64 characters 0-9 a-f, but character ',
      ['connect', 'telegram', 'session', SESSION.toUpperCase()],
    ],
  ] as [string, string[]][])('%s: %j', async (said, line) => {
    expect(await refused(line)).toContain(`error: ${said}`);
  });

  it('of twenty digits stays unchanged, though it exceeds double precision', async () => {
    const { service } = await typed(['discord', 'roles', '98765432109876543210', '-a', A]);
    expect(service.requests[0]?.target).toBe(
      `/v1/discord/guilds/98765432109876543210/roles?accountId=${A}`,
    );
  });
});

const foreign: readonly (readonly [name: string, line: string])[] = [
  ['conversation ID', `accounts bluesky send -a ${A} --text hi --`],
  ['status ID', `accounts mastodon mute -a ${A} --`],
  ['tag ID', `accounts tracking-tags shared-accounts -a ${A} --`],
  ['code', 'connect telegram access-code --'],
  ['audience ID', 'ads audiences delete --yes --'],
];

describe.each(foreign)('a %s', (name, line) => {
  const argv = line.split(' ');

  it.each([
    ['', 'must not be empty'],
    ['.', 'cannot be ".": a URL path cannot carry it'],
    ['..', 'cannot be "..": a URL path cannot carry it'],
    ['a\ud800', 'is not valid text'],
    ['é'.repeat(342), 'is too long (limit 2048 bytes encoded, got 2052)'],
  ])('cannot be %j', async (id, problem) => {
    expect(await refused([...argv, id])).toContain(`error: ${name} ${problem}`);
  });

  it('may have 2048 encoded bytes', async () => {
    expect((await typed([...argv, xs(2048)])).service.requests).toHaveLength(1);
  });
});

describe('a value is rejected with the rule in the error', () => {
  const retry = ['posts', 'retry', POST];
  const event = [...create.slice(0, 4), '--event'];
  const url = '--url must be https:// with a host and no user name';
  const header = (text: string) => [...create, '--header', text];
  it.each<[said: string, line: readonly string[]]>([
    ...['', ',', ',,'].map((list): [string, string[]] => [
      '--target needs at least one id',
      [...retry, '--target', list],
    ]),
    ['--text must be 1 to 300 characters, got 0', [...reply, '']],
    ['--text must be 1 to 300 characters, got 301', [...reply, ASTRAL.repeat(301)]],
    ['--text must be 1 to 10000 characters, got 10001', [...dm, ASTRAL.repeat(10_001)]],
    ['--text contains the control character U+0000 at 5', [...reply, 'Hi\n\t\0']],
    ['--text contains the control character U+001B at 1', [...reply, '\u001b']],
    ['control character U+000D at 2; use LF line ends, not CRLF', [...reply, 'a\r\nb']],
    ['--text-file cannot be combined with --text', [...reply, 'a', '--text-file', '-']],
    ['--profile must be 1 to 255 characters, got 0', [...board, '']],
    ['--profile must be 1 to 255 characters, got 256', [...board, ASTRAL.repeat(256)]],
    ['--board must not be empty', [...board, 'p', '--board', '']],
    ...['http://h.example', 'https:///path', 'https://user:pass@h.example', ''].map(
      (address): [string, string[]] => [url, [...update, '--url', address]],
    ),
    [url, ['webhooks', 'create', '--all-events', '--url', 'h.example']],
    ['--name must be 1 to 160 characters, got 0', [...update, '--name', '']],
    ['--name must be 1 to 160 characters, got 161', [...create, '--name', ASTRAL.repeat(161)]],
    ['--event needs at least one event', [...event, '']],
    ['account.ads.initial_sync_completed; got "post.exploded"', [...event, 'post.exploded']],
    ['--event must not name post.failed twice', [...event, 'post.failed,post.failed']],
    ['--all-events cannot be combined with --event', [...create, '--all-events']],
    ['--active cannot be combined with --inactive', [...create, '--active', '--inactive']],
    ['name "X Y" is not a header name', header('X Y: v4lue')],
    ['name "content-length" is not allowed', header('content-length: v4lue')],
    ['value of "X-A" contains a line break', header('X-A: v4\nlue')],
    ['webhooks update has nothing to change', update],
    ['--secret does not exist: secrets are not accepted', [...create, '--secret', 'v4lue']],
    ['--token does not exist: secrets are not accepted', ['posts', 'get', POST, '--token=v4lue']],
  ])('%s', async (said, line) => {
    const stderr = await refused(line);
    expect(stderr).toContain(said);
    expect(stderr).not.toMatch(/v4\n?lue/);
  });
});

describe('a value at its limit is accepted', () => {
  it.each<[field: string, line: readonly string[], value: string]>([
    ['text', reply, ASTRAL.repeat(300)],
    ['text', reply, 'a\n\tb'],
    ['text', dm, ASTRAL.repeat(10_000)],
    ['profileId', board, ASTRAL.repeat(255)],
    ['name', [...create, '--name'], ASTRAL.repeat(160)],
  ])('%s: %j', async (field, line, value) => {
    expect(await accepted([...line, value])).toMatchObject({ [field]: value });
  });
});

it('a list of targets has each target once, and the schema says so', async () => {
  const targets = ['--target', TARGET, '--target', `${TARGET},TargetSpringMast`];
  const { service, stderr } = await typed(['posts', 'retry', POST, ...targets]);
  expect(JSON.parse(service.requests[0]!.body)).toEqual({
    targetIds: [TARGET, 'TargetSpringMast'],
  });
  expect(stderr).toContain('--target: 1 duplicate value ignored');
});

describe('a secret', () => {
  it.each([
    ['7 characters', 'sevenxx', 7],
    ['1025 characters', xs(1025), 1025],
    ['7 astral characters', ASTRAL.repeat(7), 7],
  ])('of %s is rejected and not shown', async (_what, secret, length) => {
    for (const line of [create, update]) {
      const stderr = await refused([...line, '--secret-env', 'HOOK'], { env: { HOOK: secret } });
      expect(stderr).toContain(`error: --secret-env must be 8 to 1024 characters, got ${length}\n`);
      expect(stderr).not.toContain(secret);
    }
  });

  it.each([8, 1024])('of %i code points is accepted', async (length) => {
    const env = { HOOK: ASTRAL.repeat(length) };
    const body = await accepted([...create, '--secret-env', 'HOOK'], { env });
    expect(body).toMatchObject({ secret: env.HOOK });
  });

  it('cannot be empty, and cannot be cleared and set at once', async () => {
    for (const [flags, scene] of [
      [['--secret-env', 'HOOK'], { env: { HOOK: '' } }],
      [['--secret-file', '-'], { stdin: '\n' }],
    ] as const) {
      expect(await refused([...update, ...flags], scene)).toBe(
        `error: ${flags[0]} must be 8 to 1024 characters, got 0\n  use --clear-secret to remove it\ntry: social webhooks update --help\n`,
      );
      // A new one has none to lose.
      expect(await refused([...create, ...flags], scene)).not.toContain('clear-secret');
    }
    const both = [...update, '--clear-secret', '--secret-env', 'HOOK'];
    expect(await refused(both, { env: { HOOK: 'correct horse' } })).toContain(
      '--clear-secret cannot be combined with --secret-env',
    );
    const id = 'WebhookAlertsOps';
    expect(await accepted([...update, '--clear-secret'])).toEqual({ id, secret: null });
    expect(await accepted([...update, '--name', 'x'])).toEqual({ id, name: 'x' });
  });
});

describe('a flag with one value', () => {
  it.each([
    [[...reply.slice(0, -1), '--target', 'TargetAutumnMast'], '--target'],
    [[...reply, 'a', '--text', 'b'], '--text'],
    [['posts', 'retry', '--from', 'a', '--json', '--from=b'], '--from'],
    [[...create, '--secret-file', 'a', '--secret-file', 'b'], '--secret-file'],
  ])('%j is rejected when it is repeated', async (line, flag) => {
    const refusal = await refused(line);
    expect(refusal).toContain(`${flag} cannot be repeated: it takes one value`);
    expect(refusal).toMatch(/\ntry: social .* --help\n$|"next":"social posts retry --help"/);
  });

  it('may be repeated where a shell alias may set it: the last one is used', async () => {
    const line = ['posts', 'get', POST, '--timeout', 'x', '--timeout', '20s'];
    expect(await accepted(line)).toBeUndefined();
    const twice = ['-a', 'AccountMastodonA', '-a', 'AccountMastodonB'];
    await accepted(['accounts', 'mastodon', 'mute', '1', ...twice]);
  });
});

async function faultsOf(argv: readonly string[], scene: RunOptions = {}) {
  const stderr = await refused([...argv, '--json'], scene);
  const { error } = JSON.parse(stderr.trimEnd().split('\n').at(-1)!) as {
    error: { code: string; sent: boolean; details: { field: string; problem: string }[] };
  };
  expect(error).toMatchObject({ code: 'usage', sent: false, outcome: 'none', exitCode: 2 });
  return error.details;
}

it.each(['r/typescript', '/r/typescript', 'https://www.reddit.com/r/typescript/new'])(
  'of a subreddit %s the name alone is sent',
  async (name) => {
    const line = ['connect', 'reddit', 'flairs', '-a', 'AccountRedditAaa', '--subreddit', name];
    const { stdout } = await testCli().social([...line, '--dry-run']);
    expect(stdout).toMatch(/[?&]subreddit=typescript(?:&|\s)/);
  },
);

describe('all faults of a line are reported at once', () => {
  it.each([
    ['posts get', ['post ID']],
    ['posts reply', ['post ID', '--target', '--text']],
    ['accounts bluesky send', ['conversation ID', '--account', '--text']],
    ['accounts mastodon mute', ['status ID', '--account']],
    ['connect pinterest select-board', ['--account', '--profile', '--board']],
    ['connect reddit flairs', ['--account', '--subreddit']],
    ['discord pins add', ['channel ID', 'message ID', '--account']],
    ['ads audiences delete', ['audience ID']],
    ['webhooks create', ['--url', '--event']],
    ['webhooks update', ['webhook ID']],
  ])('%s without %j', async (line, missing) => {
    const details = await faultsOf(line.split(' '));
    const lacking = details.filter(({ problem }) => problem === 'is required');
    expect(lacking.map(({ field }) => field)).toEqual(missing);
  });

  it.each([
    ['posts reply', '--text is required; or use --text-file\n'],
    ['webhooks create', '--event is required; or use --all-events\n'],
    ['webhooks create --url https://h.example', '--event is required\n  or use --all-events\n'],
  ])('%s: including the other flag for it', async (line, said) => {
    expect(await refused(line.split(' '))).toContain(said);
  });

  it('in several IDs, each with its position', async () => {
    const details = await faultsOf(['posts', 'get', 'abc', POST, 'def']);
    expect(details.map(({ problem }) => problem)).toEqual([
      `${idRule}, got 3 characters (in "abc")`,
      `${idRule}, got 3 characters (in "def")`,
    ]);
  });

  it('in text, one line each', async () => {
    expect(await refused(splitWords("posts reply abc --target def --text ''"))).toBe(
      `error: 3 errors; nothing was sent
  post ID ${idRule}, got 3 characters
  --target ${idRule}, got 3 characters
  --text must be 1 to 300 characters, got 0
try: social posts reply --help
`,
    );
    // No request was due.
    const local = await refused(['history', 'list', '--since', 'ever', '--limit', '0']);
    expect(local).toMatch(/^error: 2 errors; nothing was changed\n/);
  });
});
