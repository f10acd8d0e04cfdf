// The text of an error and its JSON form say the same: every word of the text is in the object.

import { describe, expect, it } from 'vitest';
import { cancelledFailure } from '../../src/base/errors.ts';
import { closedPort, misbehavingServer } from '../support/misbehaving-server.ts';
import { targetPost, targets } from '../support/posts.ts';
import { errorResponse, recordingServer, type StubResponse } from '../support/recording-server.ts';
import { withoutIds } from '../support/request-ids.ts';
import { splitWords } from '../support/shell-words.ts';
import { testCli, type RunOptions } from '../support/test-cli.ts';
import { CANARY } from '../support/token-leak-check.ts';

/** Words that name what the object has under a key, and those that mark a line. */
const FRAME = 'error HTTP from attempts client request id try resume line'.split(' ');

const wordsIn = (text: string): readonly string[] =>
  Array.from(text.matchAll(/[\p{L}\p{N}@$/-][^\s"'(){}[\],;=…]*/gu), ([word]) =>
    word.replace(/[.:?]+$/, ''),
  ).filter((word) => word !== '');

/** Returns all texts and numbers of a value, and the keys of details, which are not ours. */
function valuesIn(value: unknown, isOurs = true): readonly string[] {
  if (typeof value !== 'object' || value === null) return [String(value)];
  return Object.entries(value).flatMap(([key, each]) => [
    ...(isOurs ? [] : [key]),
    ...valuesIn(each, isOurs && key !== 'details'),
  ]);
}

const objectsIn = (text: string): readonly unknown[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as unknown);

/** The words of the text form that the JSON form of the same error does not have. */
async function missingWords(line: string, scene: RunOptions) {
  const run = async (more: readonly string[]) => {
    const { social, folder } = testCli();
    const words = splitWords(line.replace('FOLDER', folder));
    const outcome = await social([...more, ...words], { ...scene });
    // Each run has a folder, and ids of its own for what it sends.
    return { ...outcome, stderr: withoutIds(outcome.stderr).replaceAll(folder, 'FOLDER') };
  };
  const [text, json] = [await run([]), await run(['--json'])];
  expect(json.exitCode).toBe(text.exitCode);
  const last = JSON.parse(json.stderr.trimEnd().split('\n').at(-1)!) as {
    error: { exitCode: number };
  };
  expect(last).toMatchObject({ ok: false, error: { exitCode: text.exitCode } });
  const said = [last, ...objectsIn(json.stdout)].flatMap((each) => valuesIn(each));
  const notes = json.stderr.split('\n').filter((each) => !each.startsWith('{'));
  const known = new Set([...said, ...notes].flatMap(wordsIn).concat(FRAME));
  return { text, missing: wordsIn(text.stderr).filter((word) => !known.has(word)) };
}

const get = 'posts get PostForTheTestsA --retries 1';
const retry = 'posts retry PostForTheTestsA';
const refusal = (status: number, details: unknown, headers = {}): StubResponse => ({
  status,
  headers,
  body: JSON.stringify({ ok: false, error: { code: 'bad_thing', message: 'Said why.', details } }),
});
const html = (status: number): StubResponse => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: '<title>Sign in here</title>',
});
const post = (one: string, other: string, updatedAt?: string): StubResponse => ({
  body: JSON.stringify({
    ok: true,
    data: targetPost([targets.twitter(one, undefined, updatedAt), targets.mastodon(other)]),
  }),
});

type Answer = Parameters<typeof recordingServer>[0];

/** A post whose retry fails at once. Each read has a time of its own: two in one millisecond would show the same failure. */
const failsAgain: Answer = (number, { method }) =>
  method === 'POST'
    ? post('publishing', 'published')
    : post('failed', 'published', new Date(Date.now() + number * 1000).toISOString());

describe('the facts in the text of an error are in its object', () => {
  it.each<readonly [name: string, exitCode: number, line: string, answer: Answer]>([
    ['401', 4, get, errorResponse(401, 'unauthorized', 'Who is it?')],
    ['404', 5, get, errorResponse(404)],
    ['409', 6, retry, errorResponse(409, 'conflict', 'Not now.')],
    ['422 with a list', 6, retry, refusal(422, [{ field: 'text', message: 'is too long' }])],
    ['422 with an object', 6, retry, refusal(422, { text: ['too long'], n: 3, why: 'a b' })],
    ['422 with texts', 6, retry, refusal(422, ['one thing', 'another'])],
    ['429', 7, get, refusal(429, null, { 'retry-after': '30', 'x-request-id': 'req-7f3a' })],
    ['500', 9, get, errorResponse(500)],
    ['500 of a change', 12, retry, errorResponse(500)],
    ['502 with a page', 9, get, html(502)],
    ['200 with a page', 9, get, html(200)],
    ['a 200 that is not JSON', 9, get, { body: '{"ok":' }],
    ['200 with ok:false', 9, get, { body: '{"ok":false}' }],
    ['a redirect', 9, get, { status: 302, headers: { location: 'https://b.example/' } }],
    [
      'a wait that ends with failures',
      10,
      'posts wait PostForTheTestsA',
      post('failed', 'published'),
    ],
    [
      'a wait that is too short',
      8,
      'posts wait PostForTheTestsA --wait-timeout 5s',
      post('publishing', 'published'),
    ],
    ['a batch', 11, 'posts get PostForTheTestsA PostForTheTestsB', errorResponse(404)],
    [
      'a batch with unknown outcomes',
      12,
      'posts retry PostForTheTestsA PostForTheTestsB',
      errorResponse(500),
    ],
    [
      'a batch with a journal that can be resumed',
      4,
      'posts retry PostForTheTestsA PostForTheTestsB --journal FOLDER/night.journal',
      errorResponse(401),
    ],
    [
      'a batch whose canary failed',
      11,
      'posts retry PostForTheTestsA PostForTheTestsB --canary 1',
      failsAgain,
    ],
    [
      'a batch that stops early',
      11,
      'posts get PostForTheTestsA PostForTheTestsB --max-failures 1 --concurrency 1',
      errorResponse(422),
    ],
    [
      'a pairing that expired',
      10,
      'connect telegram access-code CODE1234 --wait',
      {
        body: '{"ok":true,"data":{"status":"expired","code":"CODE1234","expiresAt":"2026-03-02T09:00:00Z"}}',
      },
    ],
    ['200 with an error', 6, 'api GET /v1/posts', errorResponse(200)],
    [
      'a file that cannot be written',
      13,
      'posts get PostForTheTestsA PostForTheTestsB --failures-to /dev/null/x',
      errorResponse(404),
    ],
    ['a missing confirmation', 2, 'ads audiences delete 23850000000000001', errorResponse(404)],
    [
      'an account that is not ready',
      10,
      'connect facebook pages -a AccountFacebookA --require-ready',
      { body: '{"ok":true,"data":{"status":"pending","pages":[]}}' },
    ],
  ])('%s', async (_name, exitCode, line, answer) => {
    const { url } = await recordingServer(answer);
    const scene = { env: { SOCIAL_BASE_URL: url, SOCIAL_TOKEN: CANARY } };
    const { text, missing } = await missingWords(line, scene);
    expect({ text, missing }).toMatchObject({ text: { exitCode }, missing: [] });
  });

  it.each([
    ['usage', 2, 'posts get short --timeout 5 --bogus'],
    ['a wrong value of one flag', 2, 'posts get PostForTheTestsA --output jso'],
    ['a missing value', 2, 'posts get --timeout'],
    ['an unknown command', 2, 'posts list'],
    ['a context that does not exist', 2, 'posts get PostForTheTestsA -C nope'],
    ['no service', 4, 'posts get PostForTheTestsA'],
    ['no token', 4, 'posts get PostForTheTestsA --base-url https://a.example'],
    ['a list with bad lines', 2, 'posts get --from -'],
    ['a missing list', 2, 'posts get --from FOLDER/nothing.txt'],
    ['a mistyped command', 2, 'posts rety PostForTheTestsA'],
    ['a value and its fix', 2, 'webhooks create --url http://a.example --event post.failed'],
    ['a change that is not in the history', 2, 'history show nope'],
  ])('%s', async (_name, exitCode, line) => {
    const { text, missing } = await missingWords(line, { stdin: 'short\nPostForTheTestsA\n{}\n' });
    expect({ text, missing }).toMatchObject({ text: { exitCode }, missing: [] });
  });

  it('a batch says whether requests were sent', async () => {
    const posts = Array.from(
      { length: 26 },
      (_, i) => `PostForTheTests${'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[i]}`,
    );
    const refusing = `http://127.0.0.1:${await closedPort()}`;
    const { url } = await recordingServer(errorResponse(404));
    const sent = async (words: readonly string[], service: string) => {
      const env = { SOCIAL_BASE_URL: service, SOCIAL_TOKEN: CANARY };
      const { stderr } = await testCli().social([...words, '--retries', '0', '--json'], { env });
      return JSON.parse(stderr.trimEnd().split('\n').at(-1)!) as unknown;
    };
    for (const command of ['get', 'retry'])
      for (const count of [2, 26]) {
        const words = ['posts', command, ...posts.slice(0, count)];
        expect(await sent(words, refusing)).toMatchObject({ error: { sent: false } });
        expect(await sent(words, url)).toMatchObject({ error: { sent: true } });
      }
  });

  it('a missing service, and a lost response', async () => {
    const refusing = `http://127.0.0.1:${await closedPort()}`;
    const { url: lossy } = await misbehavingServer((socket) => socket.resetAndDestroy());
    for (const [SOCIAL_BASE_URL, line, exitCode] of [
      [refusing, get, 9],
      [refusing, `${get} PostForTheTestsB`, 11],
      [lossy, get, 9],
      [lossy, retry, 12],
    ] as const) {
      const scene = { env: { SOCIAL_BASE_URL, SOCIAL_TOKEN: CANARY } };
      const { text, missing } = await missingWords(line, scene);
      expect({ text, missing }).toMatchObject({ text: { exitCode, stdout: '' }, missing: [] });
    }
  });

  it('a refused confirmation', async () => {
    const { url } = await recordingServer(errorResponse(404));
    const env = { SOCIAL_BASE_URL: url, SOCIAL_TOKEN: CANARY, NO_COLOR: '1' };
    const ask = { confirm: async () => false, text: async () => 'another' };
    const scene = { env, columns: 80, ask };
    const { text, missing } = await missingWords('ads audiences delete 23850000000000001', scene);
    expect({ text, missing }).toMatchObject({ text: { exitCode: 3 }, missing: [] });
  });

  it('a signal after a read, or a change, was sent', async () => {
    let stop = new AbortController();
    const silent = await misbehavingServer(() => stop.abort(cancelledFailure()));
    const env = { SOCIAL_BASE_URL: silent.url, SOCIAL_TOKEN: CANARY };
    for (const line of [get, retry]) {
      const scene = {
        env,
        get signal() {
          stop = new AbortController();
          return stop.signal;
        },
      };
      const { text, missing } = await missingWords(line, scene);
      expect({ text, missing }).toMatchObject({ text: { exitCode: 130 }, missing: [] });
    }
  });
});
