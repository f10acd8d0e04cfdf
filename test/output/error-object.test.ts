// Whatever the text of an error says, its JSON object says too: many real errors, each read both ways.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { countingServer, idOf, post, type Reply } from '../support/counting-server.ts';
import { Failure } from '../../src/base/errors.ts';
import { testCli } from '../support/test-cli.ts';

interface ErrorObject {
  readonly ok: false;
  readonly error: Readonly<Record<string, unknown>>;
}

/** Every text and number in a value. */
function piecesOf(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [String(value)];
  return Object.entries(value).flatMap(([key, each]) => [key, ...piecesOf(each)]);
}

/** What stands around the values of an object in its text. */
const FRAME =
  /\b(?:error|try|resume|HTTP|from|(?:client )?request id|attempts?|line|the)\b|[^\p{L}\p{N}]/gu;

/** What a line of the text says and the object does not. */
function leftOut(line: string, error: unknown): string {
  const said = line.replace(/^ *(?:error|try|resume): /, '').trim();
  // A line of a batch does not name the host, but for what stopped it.
  const pieces = piecesOf(error).flatMap((text) =>
    [...text.split('\n'), ...text.split(/\n| from HOST/)].map((each) => each.trim()),
  );
  if (pieces.some((each) => each.includes(said))) return '';
  return pieces
    .filter((each) => each !== '')
    .toSorted((a, b) => b.length - a.length)
    .reduce((rest, each) => rest.replaceAll(each, ' '), said)
    .replaceAll(FRAME, '');
}

interface Setting {
  /** The answers of the service; without it there is none. */
  readonly reply?: Parameters<typeof countingServer>[0];
  /** Where no service is. */
  readonly baseUrl?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: () => AbortSignal;
}

const ids = (count: number) => Array.from({ length: count }, (_, i) => `${idOf(i)}\n`).join('');
const always = (reply: Reply) => (): Reply => reply;
const answer = (status: number, code: string, more: object = {}, headers = {}): Reply => ({
  status,
  headers,
  body: JSON.stringify({ ok: false, error: { code, message: `It is ${code}.`, ...more } }),
});
const failedPost = (id: string, error: string) => post(id, 'failed', { error });

const cases: Readonly<Record<string, readonly [line: string, setting?: Setting]>> = {
  'a word too many': ['posts get A B C --frm x'],
  'a value and its fix': ['webhooks create --url http://example.com --event post.failed'],
  'several faults at once': ['posts retry nope --target x --wait-timeout soon --rate 5'],
  'an unknown command': ['posts rety PostSpringLaunch'],
  'an unknown context': ['-C prd posts get PostSpringLaunch'],
  'no service': ['posts get PostSpringLaunch', { env: { SOCIAL_TOKEN: '' } }],
  'no token': [
    'posts get PostSpringLaunch',
    { baseUrl: 'https://api.example.com', env: { SOCIAL_TOKEN: '' } },
  ],
  'a settings file that is damaged': [
    'context list',
    { files: { 'config/config.json': '{"contexts":' } },
  ],
  'a list that is not there': ['posts get --from nothing.txt', { reply: always({}) }],
  'a list with bad lines': [
    'posts get --from -',
    { reply: always({}), stdin: 'nope\n"x\nPostSpringLaunch\n' },
  ],
  'a file that cannot be written': [
    'posts get --from - --failures-to none/there.txt',
    { reply: always(answer(422, 'invalid')), stdin: ids(2) },
  ],
  'consent without a terminal': ['ads audiences delete AudienceSpringXy', { reply: always({}) }],
  'a refused token': [
    'posts get PostSpringLaunch',
    { reply: always(answer(401, 'unauthorized', {}, { 'x-request-id': 'req-1' })) },
  ],
  'a thing that is not there': [
    'posts get PostSpringLaunch',
    { reply: always(answer(404, 'not_found')) },
  ],
  'refused fields': [
    'posts reply PostSpringLaunch --target TargetSpringLink --text Hi',
    {
      reply: always(
        answer(422, 'invalid', {
          details: [{ field: 'text', message: 'is too short' }, { rule: 7 }],
        }),
      ),
    },
  ],
  'a conflict': [
    'posts retry PostSpringLaunch',
    {
      reply: (id, method) =>
        method === 'GET' ? { body: post(id) } : answer(409, 'nothing_to_retry'),
    },
  ],
  'a rate limit': [
    'posts get PostSpringLaunch',
    { reply: always(answer(429, 'rate_limited', {}, { 'retry-after': '2' })) },
  ],
  'an answer that is no JSON': [
    'posts get PostSpringLaunch',
    {
      reply: always({
        status: 502,
        headers: { 'content-type': 'text/html' },
        body: '<html>Bad gateway</html>',
      }),
    },
  ],
  'a redirection': [
    'posts get PostSpringLaunch',
    { reply: always({ status: 302, headers: { location: 'https://elsewhere.example/' } }) },
  ],
  'a lost change': [
    'posts reply PostSpringLaunch --target TargetSpringLink --text Hi',
    { reply: always({ cut: true }) },
  ],
  'a lost retry': [
    'posts retry PostSpringLaunch',
    { reply: (id, method) => (method === 'GET' ? { body: post(id, 'failed') } : { cut: true }) },
  ],
  'a change that the service lost': [
    'webhooks create --url https://example.com/hook --event post.failed',
    { reply: always(answer(500, 'internal')) },
  ],
  'no answer': ['posts get PostSpringLaunch', { reply: always({ cut: true }) }],
  'a wait that ended badly': [
    'posts wait PostSpringLaunch',
    { reply: (id) => ({ body: failedPost(id, 'token expired: reconnect the account') }) },
  ],
  'a wait that ran out': [
    'posts wait PostSpringLaunch --wait-timeout 5s',
    { reply: (id) => ({ body: post(id, 'publishing') }) },
  ],
  'a pairing that expired': [
    'connect telegram access-code CODE1234 --wait',
    { reply: always({ body: '{"ok":true,"data":{"status":"expired","code":"CODE1234"}}' }) },
  ],
  'an account that is not ready': [
    'connect facebook pages -a AccountFacebookA --require-ready',
    {
      reply: always({
        body: '{"ok":true,"data":{"readiness":{"ready":false,"status":"missing_page"}}}',
      }),
    },
  ],
  'a batch in which some failed': [
    'posts get --from - --failures-to left.txt',
    {
      stdin: ids(4),
      reply: (id) =>
        id === idOf(1) ? answer(422, 'invalid') : id === idOf(2) ? answer(404, 'not_found') : {},
    },
  ],
  'a batch with unknown outcomes': [
    'posts retry --from - --journal night.journal --retries 0',
    { stdin: ids(3), reply: always({ cut: true }) },
  ],
  'a batch whose token was refused': [
    'posts retry --from - --journal night.journal',
    { stdin: ids(3), reply: always(answer(401, 'unauthorized')) },
  ],
  'a batch whose canary failed': [
    'posts retry --from - --canary 1',
    { stdin: ids(3), reply: (id) => ({ body: failedPost(id, 'caption too long') }) },
  ],
  'a batch of waits': [
    'posts wait --from - --wait-timeout 5s',
    {
      stdin: ids(3),
      reply: (id) => ({
        body: id === idOf(1) ? post(id, 'publishing') : failedPost(id, 'HTTP 503'),
      }),
    },
  ],
  'a batch that stops early': [
    'posts get --from - --max-failures 1 --concurrency 1',
    { stdin: ids(4), reply: always(answer(422, 'invalid')) },
  ],
  'a call that was interrupted': [
    'posts retry PostSpringLaunch',
    {
      reply: always({}),
      signal: () =>
        AbortSignal.abort(new Failure('interrupted', { what: 'cancelled; nothing was sent' })),
    },
  ],
  'a change in the history that is not there': ['history show nope'],
  'a refused body': [
    'api GET /v1/posts',
    { reply: always({ body: '{"ok":true,"error":{"code":"moved","message":"Gone."}}' }) },
  ],
};

it.each(Object.entries(cases))('%s', async (_name, [line, setting = {}]) => {
  const read = async (...more: readonly string[]) => {
    const { social, folder } = testCli();
    const { url } =
      setting.reply === undefined ? { url: setting.baseUrl } : await countingServer(setting.reply);
    for (const [file, text] of Object.entries(setting.files ?? {})) {
      mkdirSync(join(folder, file, '..'), { recursive: true });
      writeFileSync(join(folder, file), text, { mode: 0o600 });
    }
    const words = line
      .split(' ')
      .map((word) => (/^(?:left|night|none)\b/.test(word) ? join(folder, word) : word));
    const env = {
      SOCIAL_TOKEN: 'a-token',
      ...(url === undefined ? {} : { SOCIAL_BASE_URL: url }),
      ...setting.env,
    };
    const signal = setting.signal?.();
    const outcome = await social([...words, ...more], {
      env,
      ...(setting.stdin === undefined ? {} : { stdin: setting.stdin }),
      ...(signal === undefined ? {} : { signal }),
    });
    // What differs from run to run: the port, the id of the call.
    const settled = (output: string) =>
      output
        .replaceAll(folder, '/folder')
        .replaceAll(/127\.0\.0\.1:\d+/g, 'HOST')
        .replaceAll(/[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}/g, 'UUID');
    return { ...outcome, stderr: settled(outcome.stderr), stdout: settled(outcome.stdout) };
  };
  const text = await read();
  const json = await read('--json');
  expect(json.exitCode).toBe(text.exitCode);
  expect(text.exitCode).not.toBe(0);
  const { error } = JSON.parse(json.stderr.trimEnd().split('\n').at(-1)!) as ErrorObject;
  expect(error['exitCode']).toBe(text.exitCode);
  const lines = text.stderr.trimEnd().split('\n');
  const start = lines.findLastIndex((each) => /^(?:error: (?!line )|cancelled|stopped)/.test(each));
  expect(start).toBeGreaterThanOrEqual(0);
  const report = lines.slice(start);
  expect(report.map((each) => leftOut(each, error)).filter(Boolean)).toEqual([]);
  const items = json.stdout.split('\n').filter((each) => each.includes('"error":'));
  const ofItems = lines.filter((each) => each.startsWith('error: line '));
  for (const each of ofItems)
    expect(items.map((item) => leftOut(each, JSON.parse(item)))).toContain('');
});
