// What is refused before anything is opened: exit 2, the sentence, an empty stdout, and nobody who would have answered
// was called. The first case of a rule about bytes, standard input, variables, files or questions is given to the built
// program, all others are run in this process. The same rules in every corner are in laws/bounds.test.ts.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { socialInProcess } from '../support/in-process.ts';
import { freshHome, social } from '../support/program.ts';
import { recordingServer, errorResponse, successResponse } from '../support/recording-server.ts';

const A = 'AccountBlueskyAa';
const POST = 'PostSpringLaunch';
const SESSION = '5e551011a1b2c3d4e5f60718293a4b5c6d7e8f905e551011a1b2c3d4e5f60718';
const ASTRAL = '𝒳';
const get = ['posts', 'get'];
const reply = ['posts', 'reply', POST, '--target', 'TargetSpringLink'];
const dm = ['accounts', 'bluesky', 'send', '-a', A];
const tag = ['accounts', 'tracking-tags', 'shared-accounts', '-a', A, '--'];
const create = ['webhooks', 'create', '--url', 'https://h.example', '--event', 'post.failed'];
const update = ['webhooks', 'update', 'WebhookAlertsOps'];
const pins = ['discord', 'pins', 'add', '-a', A, '--'];

interface Scene {
  readonly input?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** In a process of its own. */
  readonly isBuilt?: boolean;
}

async function typed(argv: readonly string[], scene: Scene = {}, answer = successResponse()) {
  const service = await recordingServer(answer);
  const home = freshHome();
  for (const [name, text] of Object.entries(scene.files ?? {}))
    writeFileSync(join(home, name), text);
  const env = { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: 'a-token-of-the-test', ...scene.env };
  const words = argv.map((word) => word.replace('HOME/', `${home}/`));
  const input = (scene.input ?? '') as string;
  const run = scene.isBuilt ? social : socialInProcess;
  const { exitCode, stdout, stderr } = await run(words, { home, env, input });
  return { exitCode, stdout, stderr, service };
}

type Case = readonly [argv: readonly string[], told: string, scene?: Scene];

/** Each is refused: 2, the sentence, nothing on stdout, no connection; what is secret in it is not said. */
const refusals: Readonly<Record<string, readonly Case[]>> = {
  'an id of 15 or 17 letters': [
    [[...get, POST.slice(1)], 'post ID must be exactly 16 letters a-z A-Z, got 15 characters'],
    [[...get, `${POST}h`], 'post ID must be exactly 16 letters a-z A-Z, got 17 characters'],
  ],
  'an id with a digit, a hyphen, an underscore, a space': [
    [[...get, 'Pos7SpringLaunch'], 'must be exactly 16 letters a-z A-Z, but character 4 is "7"'],
    [[...get, 'Post-pringLaunch'], 'character 5 is "-"'],
    [[...get, 'Post_pringLaunch'], 'character 5 is "_"'],
    [[...get, ' ostSpringLaunch'], 'character 1 is " "'],
  ],
  'an id with letters that only look like it': [
    [[...get, 'ａostSpringLaunch'], 'character 1 is U+FF41, not an ASCII letter'],
    [[...get, 'PоstSpringLaunch'], 'character 2 is U+043E, not an ASCII letter'],
  ],
  'an id with a line break at its end': [[[...get, `${POST}\n`], 'contains a line break']],
  'an id of Discord that is none': ['', '123456789012345678901', '+1', '1e3', '٣'].map(
    (id): Case => [[...pins, id, '1'], 'channel ID must be 1 to 20 digits 0-9'],
  ),
  'a session in upper case, or of 63 characters': [
    [
      ['connect', 'telegram', 'session', SESSION.toUpperCase()],
      'session ID must be 64 lowercase hexadecimal characters',
    ],
    [
      ['connect', 'telegram', 'session', SESSION.slice(1)],
      'session ID must be 64 lowercase hexadecimal characters, got 63',
    ],
  ],
  'a free id that is empty': [
    [[...dm, '--text', 'x', '--', ''], 'conversation ID must not be empty'],
    [[...tag, ''], 'tag ID must not be empty'],
  ],
  'a free id that is . or ..': [
    [[...tag, '.'], 'tag ID cannot be ".": a URL path cannot carry it'],
    [[...tag, '..'], 'tag ID cannot be "..": a URL path cannot carry it'],
  ],
  'half a character in a record': [
    [
      ['ads', 'audiences', 'delete', '--yes', '--from', '-'],
      'is not valid text',
      { input: '{"audienceId":"a\\ud800"}\n' },
    ],
  ],
  'a free id of more than 2,048 bytes': [
    [[...tag, 'é'.repeat(342)], 'is too long (limit 2048 bytes encoded, got 2052)'],
  ],
  'an id that begins with a hyphen, not behind --': [
    [['ads', 'audiences', 'delete', '-5', '--yes'], 'put -- before an ID that starts with -'],
  ],
  'an action that Mastodon does not have': [
    [
      ['accounts', 'mastodon', 'like', '1', '-a', A],
      'commands: favourite, unfavourite, reblog, unreblog, bookmark, unbookmark, mute, unmute',
    ],
  ],
  'no targets': [[['posts', 'retry', POST, '--target', ''], '--target needs at least one id']],
  'a reply of nothing, or of 301 characters': [
    [[...reply, '--text', ''], '--text must be 1 to 300 characters, got 0'],
    [[...reply, '--text', ASTRAL.repeat(301)], '--text must be 1 to 300 characters, got 301'],
  ],
  'a message of nothing, or of 10,001 characters': [
    [[...dm, '--text', '', '--', 'c'], '--text must be 1 to 10000 characters, got 0'],
    [
      [...dm, '--text', 'x'.repeat(10_001), '--', 'c'],
      '--text must be 1 to 10000 characters, got 10001',
    ],
  ],
  'bytes that are no UTF-8': [
    [
      [...reply, '--text-file', 'HOME/text'],
      'is not valid UTF-8 (byte 17)',
      { files: { text: Buffer.from(`${'x'.repeat(16)}\xff`, 'latin1') } },
    ],
    [
      [...reply, '--text-file', '-'],
      'is not valid UTF-8 (byte 17)',
      { input: Buffer.from(`${'x'.repeat(16)}\xff`, 'latin1') },
    ],
  ],
  'control characters in a text': [
    [
      [...reply, '--text-file', '-'],
      'contains the control character U+0000 at 5',
      { input: 'a\n\tb\0' },
    ],
    [[...reply, '--text', 'a\u001b'], '--text contains the control character U+001B at 2'],
  ],
  'an address of a webhook that is none': [
    'http://h',
    'https:h',
    'https:\\\\h',
    'https://u@h',
    'https://',
    'https:///x',
  ].map((url): Case => [
    ['webhooks', 'create', '--all-events', '--url', url],
    '--url must be https:// with a host and no user name',
  ]),
  'a value in a record that is of another type': [
    ['"isActive":"maybe"', '--active must be true or false, got "maybe"'],
    ['"isActive":1', '--active must be true or false, got a number'],
    ['"url":12345678901234567890', '--url must be text, got a number'],
  ].map(([json, told]): Case => [
    ['webhooks', 'create', '--from', 'HOME/hooks.ndjson'],
    told!,
    { files: { 'hooks.ndjson': `{"url":"https://h.example","events":["post.failed"],${json}}\n` } },
  ]),
  'a name, events or a secret of a webhook out of bounds': [
    [[...create, '--name', ''], '--name must be 1 to 160 characters, got 0'],
    [[...create, '--name', ASTRAL.repeat(161)], '--name must be 1 to 160 characters, got 161'],
    [[...create.slice(0, 4), '--event', ''], '--event needs at least one event'],
    [[...create, '--event', 'post.exploded'], 'account.ads.initial_sync_completed'],
    [[...create, '--event', 'post.failed'], 'must not name post.failed twice'],
    [
      [...create, '--header', 'X-Team: a', '--header', 'Y: b', '--header', 'x-team: c'],
      '--header must not repeat a name (number 3 has that of number 1)',
    ],
    [
      [...create, '--secret-env', 'HOOK'],
      '--secret-env must be 8 to 1024 characters, got 7',
      { env: { HOOK: 'h1dden!' } },
    ],
    [
      [...create, '--secret-env', 'HOOK'],
      '--secret-env must be 8 to 1024 characters, got 1025',
      { env: { HOOK: 'h1dden'.padEnd(1025, '!') } },
    ],
  ],
  'a header that may not be sent': [
    [[...create, '--header', 'X Y: h1dden'], 'name "X Y" is not a header name'],
    [[...create, '--header', 'Host: h1dden'], 'name "Host" is not allowed'],
    [[...create, '--header', 'X-A: h1d\r\nden'], 'value of "X-A" contains a line break'],
  ],
  'a secret header in the command line': [
    'Authorization',
    'proxy-authorization',
    'Cookie',
    'X-Auth-Token',
    'X-API-KEY',
    'clientSecret',
  ].map((name): Case => [
    [...create, '--header', `${name}: Bearer h1dden`],
    `--header must not have the value of "${name}", which is a secret`,
  ]),
  'a file of headers that cannot be read': [
    [[...create, '--header-file', 'HOME/none'], 'none does not exist'],
    [[...create, '--header-file', 'HOME/h'], '--header-file has no line', { files: { h: '\n' } }],
    [
      [...create, '--header-file', 'HOME/h'],
      "--header-file must be 'Name: value' (number 2 has no colon)",
      { files: { h: 'Authorization: h1dden\nh1dden\n' } },
    ],
    [
      [...create, '--header', 'X-Team: a', '--header-file', 'HOME/h'],
      '--header-file must not repeat a name (number 2 has that of number 1)',
      { files: { h: 'x-team: h1dden\n' } },
    ],
    [
      [...create, '--header-file', 'HOME/h'],
      'value of "X-A" contains a line break',
      { files: { h: 'X-A: h1d\rden\n' } },
    ],
    [
      [...create, '--header-file', '-', '--secret-file', '-'],
      '--header-file cannot read stdin: --secret-file reads it',
      { input: 'X-A: h1dden' },
    ],
  ],
  'custom headers in a record that are no object of strings': [
    ['{"__proto__":"h1dden"}', 'name "__proto__" is not a header name'],
    ['{"X-A":{"b":"h1dden"}}', 'value of "X-A" must be text, got an object'],
    ['{"X-A":null}', 'value of "X-A" must be text, got null'],
    ['["X-A: h1dden"]', 'must be an object of strings, got a list'],
    ['"X-A: h1dden"', 'must be an object of strings, got a string'],
    ['5', 'must be an object of strings, got a number'],
  ].map(([json, told]): Case => [
    ['webhooks', 'create', '--from', 'HOME/hooks.ndjson'],
    told!,
    {
      files: {
        'hooks.ndjson': `{"url":"https://h.example","events":["post.failed"],"customHeaders":${json}}\n`,
      },
    },
  ]),
  'a change of nothing': [[update, 'webhooks update has nothing to change']],
  'an empty secret where one was to be removed': [
    [
      [...update, '--secret-env', 'HOOK'],
      'got 0\n  use --clear-secret to remove it',
      { env: { HOOK: '' } },
    ],
  ],
  'a flag that is not there, with a value': [
    [[...get, POST, '--tokn=h1dden'], 'unknown flag "--tokn"'],
    [[...get, POST, '--tokn', 'h1dden'], 'unknown flag "--tokn"'],
  ],
  'a command or a word too many': [
    [['post', 'get', POST], 'did you mean social posts?'],
    [get, 'post ID is required'],
    [['accounts', 'discord', 'channels', '\u001b]0;x\u0007', '-a', A], '\\u{1b}]0;x\\u{7}'],
  ],
  'a number that is none, or out of bounds': [
    '0',
    '33',
    '1e9',
    '0x10',
    'NaN',
    '-1',
    '1.5',
    '5x',
  ].map((value): Case => [
    [...get, POST, `--concurrency=${value}`],
    `--concurrency must be a whole number from 1 to 32, got "${value}"`,
  ]),
  'a time without a unit, or past a day': ['10', '10x', '99999999999s', '25h'].map(
    (value): Case => [
      [...get, POST, `--timeout=${value}`],
      `--timeout needs a whole number above 0 and a unit, e.g. 500ms, 30s, 5m; limit 24h, got "${value}"`,
    ],
  ),
  'a base URL with more than a place': [
    'ftp://h',
    'https://u:h1dden@h',
    'https://h?a=h1dden',
    'https://h#h1dden',
    'https://h:65536',
  ].map((url): Case => [
    [...get, POST, '--base-url', url],
    '--base-url must be https://host[:port][/path]',
  ]),
  'flags that contradict each other': [
    [[...get, POST, '--json', '-o', 'tsv'], '--json cannot be combined with -o tsv'],
    [
      [...reply.filter((word) => word !== POST), '--from', '-', '--text-file', '-'],
      '--from cannot read stdin: --text-file reads it',
      { input: POST },
    ],
    [
      [...reply.filter((word) => word !== POST), '--from', '/dev/stdin', '--text-file', '-'],
      '--from cannot read stdin: --text-file reads it',
      { input: POST },
    ],
  ],
  'what takes something away, without consent and without a terminal': [
    [['ads', 'audiences', 'delete', 'a'], 'try: social ads audiences delete a --confirm a'],
    [['credentials', 'disable', 'CredentialOfOurs'], '--confirm CredentialOfOurs'],
  ],
};

/** The rules whose first case is given to the built program: of words, standard input, variables, files, questions. */
const ofBuilt = [
  'an id of 15 or 17 letters',
  'an id with letters that only look like it',
  'half a character in a record',
  'bytes that are no UTF-8',
  'control characters in a text',
  'custom headers in a record that are no object of strings',
  'an empty secret where one was to be removed',
  'a flag that is not there, with a value',
  'what takes something away, without consent and without a terminal',
];

async function isRefused([argv, told, scene]: Case, isBuilt: boolean): Promise<void> {
  const { exitCode, stdout, stderr, service } = await typed(argv, { ...scene, isBuilt });
  expect({ argv, exitCode, stdout, calls: service.connections() }).toEqual({
    argv,
    exitCode: 2,
    stdout: '',
    calls: 0,
  });
  expect(stderr).toContain(told);
  expect(stderr).not.toMatch(/h1d(?:\r\n)?den|\u001b|\u0007/);
}

it.each(Object.entries(refusals))('%s is refused before anybody is called', async (what, cases) => {
  expect(cases.length).toBeGreaterThan(0);
  await Promise.all(cases.map((each, i) => isRefused(each, i === 0 && ofBuilt.includes(what))));
});

it('rules of the built program are rules', () => {
  expect(ofBuilt.filter((rule) => !Object.hasOwn(refusals, rule))).toEqual([]);
});

/** A reply that was taken: its text as it arrived, and what was said of it. */
async function replied(argv: readonly string[], scene?: Scene) {
  const { service, stderr, exitCode } = await typed([...reply, ...argv], scene);
  expect({ exitCode, requests: service.requests.length }).toEqual({ exitCode: 0, requests: 1 });
  return { text: (JSON.parse(service.requests[0]!.body) as { text: string }).text, stderr };
}

const updated = async (...flags: string[]) =>
  (await typed([...update, ...flags])).service.requests.map(({ body }) => body);

describe('what is taken arrives as it was typed', () => {
  it.each([
    ['a/b', 'a%2Fb'],
    ['%2f', '%252f'],
    ['?#;+ é', '%3F%23%3B%2B%20%C3%A9'],
    ['\\', '%5C'],
    ['-x', '-x'],
  ])('the id %j is one segment, encoded once', async (id, segment) => {
    const { service, exitCode } = await typed([...tag, id], { isBuilt: id === '?#;+ é' });
    expect(service.requests.map(({ target }) => target)).toEqual([
      `/v1/accounts/${A}/tracking-tags/${segment}/shared-accounts`,
    ]);
    // Whatever was answered about it decides.
    expect(exitCode).toBe(0);
    expect((await typed([...tag, id], {}, errorResponse(404))).exitCode).toBe(5);
  });

  it('a target that was named twice is sent once, and that is said', async () => {
    const { service, stderr, exitCode } = await typed(
      'posts retry PostSpringLaunch --target TargetSpringLink,TargetSpringLink'.split(' '),
    );
    expect(exitCode).toBe(0);
    expect(service.requests.map(({ body }) => body)).toEqual([
      '{"targetIds":["TargetSpringLink"]}',
    ]);
    expect(stderr).toContain('--target: 1 duplicate value ignored');
  });

  it('texts at the limit, of nothing to see, and with a last newline', async () => {
    const long = await replied(['--text', '🎉'.repeat(300)], { isBuilt: true });
    expect(long.text).toBe('🎉'.repeat(300));
    expect(long.stderr).toContain('--text: the service may count characters differently\n');
    const empty = await replied(['--text', ' \u200b']);
    expect(empty).toMatchObject({ text: ' \u200b' });
    expect(empty.stderr).toContain('warning: --text: the text looks empty\n');
    const input = '\na\tb\n\n';
    const file = await replied(['--text-file', '-', '--debug'], { input, isBuilt: true });
    expect(file.text).toBe('\na\tb\n');
    expect(file.stderr).toContain('note: --text-file: its final newline was removed\n');
  });

  it('custom headers of a record are its own, whatever they are called', async () => {
    const customHeaders = { constructor: 'c', toString: 't', 'X-A': 'a' };
    const line = JSON.stringify({
      url: 'https://h.example',
      events: ['post.failed'],
      customHeaders,
    });
    const { service, exitCode, stderr } = await typed(['webhooks', 'create', '--from', '-'], {
      input: `${line}\n`,
    });
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    const body = JSON.parse(service.requests[0]!.body) as Record<string, unknown>;
    expect(Object.entries(body['customHeaders'] as object)).toEqual(Object.entries(customHeaders));
  });

  it('a secret is cleared by its flag, and else left alone', async () => {
    expect(await updated('--clear-secret')).toEqual(['{"id":"WebhookAlertsOps","secret":null}']);
    expect(await updated('--name', 'x')).toEqual(['{"id":"WebhookAlertsOps","name":"x"}']);
  });

  it('bounds are taken, and a day of patience is no millisecond', async () => {
    for (const flags of [
      ['--concurrency', '1'],
      ['--concurrency', '32'],
      ['--timeout', '24h'],
    ])
      expect((await typed([...get, POST, ...flags])).exitCode).toBe(0);
  });

  it('an undocumented query name is sent once, and can be another', async () => {
    const line = ['discord', 'roles', '1', '-a', A];
    const own = await typed([...line, '--query', 'account=x'], {}, errorResponse(400));
    expect(own.exitCode).toBe(6);
    expect(own.service.requests.map(({ target }) => target)).toEqual([
      `/v1/discord/guilds/1/roles?accountId=${A}&account=x`,
    ]);
    expect(own.stderr).toContain('the query name accountId is not in the API document; --query');
  });
});
