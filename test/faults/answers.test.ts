// How the program ends, and what it says, for every kind of answer: a read and a change of each, by the bytes that
// the service sends. How often each is repeated is in laws/repeats.

import { describe, expect, it } from 'vitest';
import { socialInProcess } from '../support/in-process.ts';
import { social } from '../support/program.ts';
import { rawResponse, misbehavingServer } from '../support/misbehaving-server.ts';

const ID = 'PostSpringLaunch';
const json = (text: string, status = '200 OK', headers = {}) => rawResponse(status, headers, text);
const page = (status: string, headers = {}) =>
  rawResponse(status, { 'content-type': 'text/html', ...headers }, '<h1>\u001b[2JWelcome</h1>');
const error = (status: string, headers = {}) =>
  json('{"ok":true,"error":{"code":"some_code","message":"Its words."}}', status, headers);
const post = (more: string, status?: string) =>
  json(`{"ok":true,"data":{"id":"${ID}","status":"published"${more}}}`, status);

/** Runs a command against a service that answers every request with these bytes; tables do so in this process. */
async function answered(
  bytes: Buffer,
  words: readonly string[],
  run: typeof social | typeof socialInProcess = socialInProcess,
) {
  const service = await misbehavingServer((socket) => void socket.end(bytes));
  const env = { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: 'canary' };
  const { exitCode, stdout, stderr } = await run(words, { env });
  const shown = stderr.replaceAll(service.url.slice(7), 'HOST');
  return {
    exitCode,
    stdout,
    stderr: shown,
    requests: (method: string) => service.requests(method),
  };
}

const get = ['posts', 'get', ID, '--retries', '0'];
const retry = ['posts', 'retry', ID];

/** The exit code of a command, and a line of its output. */
type End = readonly [exitCode: number, line: string];
type Row = readonly [what: string, bytes: Buffer, ofRead: End, ofChange: End];
const row = (what: string, bytes: Buffer, line: string, ofRead: number, ofChange = ofRead): Row => [
  what,
  bytes,
  [ofRead, line],
  [ofChange, line],
];
/** A read has no answer; a change may have been done. */
const useless = (what: string, bytes: Buffer, line: string) => row(what, bytes, line, 9, 12);

const UNKNOWN = 'The request may have been applied. It was not retried.';
const unsuccessful: readonly Row[] = [
  row(
    'an error beside data',
    json(`{"ok":true,"data":{"id":"${ID}"},"error":{"code":"c","message":"m"}}`),
    '  the response also contained data',
    6,
    12,
  ),
  useless(
    'a page with 504',
    page('504 Timeout'),
    'error: HTTP 504 from HOST: expected JSON, got an HTML page',
  ),
  [
    'a page with 503 that asks to wait',
    page('503 Busy', { 'retry-after': '30' }),
    [7, '  service unavailable, next possible in 30s'],
    [12, `  ${UNKNOWN}`],
  ],
  row('401', error('401 No'), '  the service rejected the token (source: SOCIAL_TOKEN)', 4),
  row(
    '422 with details',
    json(
      '{"error":{"code":"bad","message":"Bad.","details":{"a\\u001b[2J":"is\\nlong"}}}',
      '422 No',
    ),
    String.raw`  a\u{1b}[2J: is⏎long`,
    6,
  ),
  useless(
    '200,000 levels',
    json(`${'['.repeat(200_000)}${']'.repeat(200_000)}`),
    'error: the response from HOST is nested deeper than 64 levels',
  ),
  row(
    'a message that is an object',
    json('{"error":{"code":"c","message":{}}}', '400 No'),
    'error: HTTP 400 c from HOST: (no message)',
    6,
  ),
];

describe('an unsuccessful response fails a read and a change', () => {
  it.each(unsuccessful)('%s', async (_, bytes, ofRead, ofChange) => {
    const [read, change] = await Promise.all([
      answered(bytes, get),
      answered(bytes, [...retry, '--retries', '0']),
    ]);
    for (const [{ exitCode, stdout, stderr }, [code, line]] of [
      [read, ofRead],
      [change, ofChange],
    ] as const) {
      expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: '' });
      expect(stderr.split('\n')).toContain(line);
      expect(stderr).not.toMatch(/Welcome|\u001b|\[object|    at /);
      expect(stderr.includes(UNKNOWN)).toBe(code === 12);
    }
    expect([read.requests('GET'), change.requests('POST')]).toEqual([1, 1]);
  });

  it('with another id: fails a read, and is a warning for a change', async () => {
    const bytes = json('{"ok":true,"data":{"id":"PostOtherPostsAA"}}');
    const [read, change] = await Promise.all([
      answered(bytes, get, social),
      answered(bytes, [...retry, '--json'], social),
    ]);
    expect(read).toMatchObject({ exitCode: 9, stdout: '' });
    expect(read.stderr).toContain(
      'error: the response from HOST is about another post (PostOtherPostsAA)',
    );
    expect(change).toMatchObject({ exitCode: 0, stdout: '{"id":"PostOtherPostsAA"}\n' });
    expect(change.stderr).toContain(
      'warning: the response is about another post (PostOtherPostsAA)',
    );
  });
});

describe('a response without data fails a read, and is a warning for a change', () => {
  it.each([
    ['null', json('{"ok":true,"data":null}'), 'the response from HOST has no data object'],
    ['204', rawResponse('204 No Content', {}), 'empty response from HOST'],
  ])('%s', async (what, bytes, none) => {
    const [read, change] = await Promise.all([
      answered(bytes, get, social),
      answered(bytes, retry, social),
    ]);
    expect(read).toMatchObject({ exitCode: 9, stdout: '', stderr: `error: ${none}\n` });
    const warning = what === '204' ? 'no data returned' : 'the response has no data object';
    expect(change).toMatchObject({ exitCode: 0, stdout: '', stderr: `warning: ${warning}\n` });
  });
});

describe('a successful response is shown', () => {
  it('with a warning for what is missing or of another type', async () => {
    const bytes = post(',"tags":"x"');
    const lenient = await answered(bytes, get);
    expect(lenient.exitCode).toBe(0);
    expect(lenient.stderr).toMatch(/^warning: the response lacks (?:\w+, )+targets, /m);
    expect(lenient.stderr).toContain(
      'warning: the response’s tags does not match the API document: Invalid input: expected array, received string',
    );
    const wait = await answered(bytes, ['posts', 'wait', ID]);
    expect(wait).toMatchObject({ exitCode: 9, stdout: '' });
    expect(wait.stderr).toContain('error: the response lacks targets with a status\n');
  });
});

describe('deleting a missing resource', () => {
  it('succeeds when an earlier attempt was lost, and is not found otherwise', async () => {
    const gone = error('404 Not Found');
    const lost = await misbehavingServer((socket, number) =>
      number === 1 ? socket.resetAndDestroy() : socket.end(gone),
    );
    const words = ['ads', 'audiences', 'delete', '23850000000000001', '--yes'];
    const env = { SOCIAL_BASE_URL: lost.url, SOCIAL_TOKEN: 'canary' };
    const after = await social(words, { env });
    expect(after).toMatchObject({ exitCode: 0, stdout: '' });
    expect(after.stderr).toContain('warning: already gone');
    expect(lost.requests('DELETE')).toBe(2);
    const first = await answered(gone, words);
    expect(first).toMatchObject({ exitCode: 5, stdout: '' });
    expect(first.requests('DELETE')).toBe(1);
  });
});

describe('a huge response', () => {
  it('is cut in a table, with a note about the rest, and whole as JSON', async () => {
    const items = Array.from({ length: 5000 }, (_, i) => `{"id":"${i}","status":"x"}`).join(',');
    const bytes = post(`,"targets":[${items}]`);
    const table = await answered(bytes, [...get, '-o', 'table'], social);
    expect(table.exitCode).toBe(0);
    expect(table.stdout).toContain('… 4000 more, use --json');
    expect(table.stdout.split('\n').length).toBeLessThan(1_100);
    // Every item lacks something: that is one line, or a few.
    expect(table.stderr.length).toBeLessThan(5000);
    const whole = await answered(bytes, [...retry, '--json', '-q'], social);
    expect(whole.exitCode).toBe(0);
    expect((JSON.parse(whole.stdout) as { targets: unknown[] }).targets).toHaveLength(5000);
    const some = await answered(
      post(`,"targets":[${Array(50).fill('{"id":"1"}').join(',')}]`),
      get,
    );
    expect(some.stderr).toMatch(/\nwarning: the response differs in \d+ more places\n$/);
    const long = await answered(post(`,"title":"${'long '.repeat(100_000)}"`), [
      ...get,
      '-o',
      'table',
    ]);
    expect(long.exitCode).toBe(0);
    expect(long.stdout.length).toBeLessThan(20_000);
  });
});
