// Values of records, of files and of headers: what is refused before anything is opened, and what arrives as it was
// given. The bounds of each field are in laws/bounds.test.ts; the built program keeps the rules about bytes, standard
// input, variables, files and questions too.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fieldsOf } from '../../src/api/operations/fields.ts';
import { reply as replyOperation } from '../../src/api/operations/posts.ts';
import type { Runtime } from '../../src/base/runtime.ts';
import type { Settings } from '../../src/config/settings.ts';
import { valuesFromFlags } from '../../src/input/flag-values.ts';
import { socialInProcess } from '../support/in-process.ts';
import { freshHome, social } from '../support/program.ts';
import { recordingServer, errorResponse, successResponse } from '../support/recording-server.ts';

const A = 'AccountBlueskyAa';
const POST = 'PostSpringLaunch';
const get = ['posts', 'get'];
const reply = ['posts', 'reply', POST, '--target', 'TargetSpringLink'];
const tag = ['accounts', 'tracking-tags', 'shared-accounts', '-a', A, '--'];
const create = ['webhooks', 'create', '--url', 'https://h.example', '--event', 'post.failed'];
const update = ['webhooks', 'update', 'WebhookAlertsOps'];

interface Scene {
  readonly input?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** True if the built program is run. */
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
  'an id that is none': [
    [
      ['posts', 'get', POST.slice(1)],
      'post ID must be exactly 16 letters a-z A-Z, got 15 characters',
    ],
    [['accounts', 'discord', 'channels', '\u001b]0;x\u0007', '-a', A], '\\u{1b}]0;x\\u{7}'],
  ],
  'half a character in a record': [
    [
      ['ads', 'audiences', 'delete', '--yes', '--from', '-'],
      'with an invisible character; remove it',
      { input: '{"audienceId":"a\\ud800"}\n' },
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
  'a value in a record that is of another type': [
    ['"isActive":"maybe"', '--active must be true or false, got "maybe"'],
    ['"isActive":1', '--active must be true or false, got a number'],
    ['"url":12345678901234567890', '--url must be text, got a number'],
  ].map(([json, told]): Case => [
    ['webhooks', 'create', '--from', 'HOME/hooks.ndjson'],
    told!,
    {
      files: {
        'hooks.ndjson': `{${json!.includes('"url"') ? '' : '"url":"https://h.example",'}"events":["post.failed"],${json}}\n`,
      },
    },
  ]),
  'a secret header in the command line': ['Authorization', 'X-API-KEY'].map((name): Case => [
    [...create, '--header', `${name}: Bearer h1dden`],
    `--header must not have the value of "${name}", which is a secret`,
  ]),
  'a file of headers that cannot be read': [
    [[...create, '--header-file', 'HOME/none'], 'none does not exist'],
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
  'an empty secret where one was to be removed': [
    [
      [...update, '--secret-env', 'HOOK'],
      'got 0\n  use --clear-secret to remove it',
      { env: { HOOK: '' } },
    ],
  ],
  'an empty text, by the flag that was typed': [
    [[...reply, '--text-file', '-'], '--text-file must be 1 to 300 characters, got 0'],
  ],
  'a flag that is not there, with a value': [
    [[...get, POST, '--tokn=h1dden'], '--tokn is an unknown flag of social posts get'],
    [[...get, POST, '--tokn', 'h1dden'], '--tokn is an unknown flag of social posts get'],
  ],
  'what takes something away, without consent and without a terminal': [
    [['ads', 'audiences', 'delete', 'a'], 'try: social ads audiences delete a --yes'],
    [
      ['credentials', 'disable', 'CredentialOfOurs'],
      'try: social credentials disable CredentialOfOurs --yes',
    ],
  ],
};

/** The built program gets the first case of these. */
const ofBuilt = new Set([
  'an id that is none',
  'half a character in a record',
  'bytes that are no UTF-8',
  'custom headers in a record that are no object of strings',
  'an empty secret where one was to be removed',
  'a flag that is not there, with a value',
  'what takes something away, without consent and without a terminal',
]);

async function isRefused([argv, told, scene]: Case, isBuilt: boolean): Promise<unknown> {
  const { exitCode, stdout, stderr, service } = await typed(argv, { ...scene, isBuilt });
  expect({ argv, exitCode, stdout, calls: service.connections() }).toEqual({
    argv,
    exitCode: 2,
    stdout: '',
    calls: 0,
  });
  expect(stderr).toContain(told);
  expect(stderr).not.toMatch(/h1d(?:\r\n)?den|\u001b|\u0007/);
  return exitCode;
}

it.each(Object.entries(refusals))('%s is rejected before any request', async (what, cases) => {
  const codes = cases.map((each, i) => isRefused(each, i === 0 && ofBuilt.has(what)));
  expect(await Promise.all(codes)).toEqual(cases.map(() => 2));
});

/** A reply that was taken: its text as it arrived, and what was said of it. */
async function replied(argv: readonly string[], scene?: Scene) {
  const { service, stderr, exitCode } = await typed([...reply, ...argv], scene);
  expect({ exitCode, requests: service.requests.length }).toEqual({ exitCode: 0, requests: 1 });
  return { text: (JSON.parse(service.requests[0]!.body) as { text: string }).text, stderr };
}

describe('a value arrives as it was typed', () => {
  it('an ID of any form, as one segment that is encoded once', async () => {
    const { service } = await typed([...tag, '%2f?#;+ é'], { isBuilt: true });
    expect(service.requests.map(({ target }) => target)).toEqual([
      `/v1/accounts/${A}/tracking-tags/%252f%3F%23%3B%2B%20%C3%A9/shared-accounts`,
    ]);
  });

  it('texts at the limit, of invisible characters, and with a final newline', async () => {
    const long = await replied(['--text', '🎉'.repeat(300)], { isBuilt: true });
    expect(long.text).toBe('🎉'.repeat(300));
    const empty = await replied(['--text', ' \u200b']);
    expect(empty).toMatchObject({ text: ' \u200b' });
    expect(empty.stderr).toContain('warning: --text: the text looks empty\n');
    const input = '\na\tb\n\n';
    const file = await replied(['--text-file', '-'], { input, isBuilt: true });
    expect(file).toEqual({ text: '\na\tb\n', stderr: '' });
  });

  it('custom headers of a record, with any names', async () => {
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

  it('a query name is sent once, and can be changed', async () => {
    const line = ['discord', 'roles', '1', '-a', A];
    const own = await typed([...line, '--query', 'account=x'], {}, errorResponse(400));
    expect(own.exitCode).toBe(6);
    expect(own.service.requests.map(({ target }) => target)).toEqual([
      `/v1/discord/guilds/1/roles?accountId=${A}&account=x`,
    ]);
    expect(own.stderr).toContain('the query name accountId is not in the API document; --query');
  });
});

it('a line with a fault opens no editor, and its text is not called missing', async () => {
  const terminal = { isTTY: true };
  const found = await valuesFromFlags(
    fieldsOf(replyOperation).filter(({ prose }) => prose),
    {
      operation: replyOperation,
      typedFlags: { editor: true },
      settings: { noInput: false } as Settings,
      // An editor would need more than these.
      runtime: { stdin: terminal, stderr: terminal } as unknown as Runtime,
      isSound: false,
    },
  );
  expect(found).toMatchObject({ values: {}, faults: [], unread: new Set(['text']) });
});
