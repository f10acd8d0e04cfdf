// How often each kind of operation is sent, and how it ends, when a response is lost or refuses. The server counts: a
// change that may have arrived is never sent again. (A read that shows the state afterwards is not a repeat.) The ways
// to lose a response are in client/transport/contract.test.ts.

import { describe, expect, it } from 'vitest';
import {
  recordingServer,
  errorResponse,
  successResponse,
  type StubResponse,
} from '../support/recording-server.ts';
import {
  closedPort,
  rawResponse,
  misbehavingServer,
  type SocketHandler,
} from '../support/misbehaving-server.ts';
import { operationLines } from '../support/command-lines.ts';
import { splitWords } from '../support/shell-words.ts';
import { testCli } from '../support/test-cli.ts';

/** The most attempts of one request: the first, and two retries by default. */
const ATTEMPTS = 3;

type Class = 'READ' | 'IDEM' | 'ONCE';
const classOf = (method: string): Class =>
  method === 'GET' ? 'READ' : ['PUT', 'DELETE'].includes(method) ? 'IDEM' : 'ONCE';

/** One line of each kind of operation: the method decides about repeats, the operation about reads after a change. */
const kinds = operationLines.filter(({ line }) =>
  /^(?:posts (?:get|retry|reply)|discord pins add|ads audiences delete|webhooks update) /.test(
    line,
  ),
);

type Ends = Readonly<Record<Class, readonly [requests: number, exitCode: number]>>;
const lost: Ends = { READ: [ATTEMPTS, 9], IDEM: [ATTEMPTS, 12], ONCE: [1, 12] };

interface ErrorObject {
  readonly kind: string;
  readonly message: string;
  readonly attempts: number;
  readonly code: string;
  readonly hint: string | null;
}

/** Runs a line. The message of its error has HOST in the place of the host, and no attempts: those are checked here. */
async function run(line: string, url: string, ...flags: string[]) {
  const env = { SOCIAL_BASE_URL: url, SOCIAL_TOKEN: 'token' };
  const inRealTime = flags.some((flag) => flag.startsWith('--timeout'));
  const argv = [...splitWords(line), ...flags, '--json'];
  const outcome = await testCli().social(argv, { env, inRealTime });
  const last = outcome.stderr.trimEnd().split('\n').at(-1)!;
  if (outcome.exitCode === 0) return { ...outcome, error: undefined };
  const { error } = JSON.parse(last) as { error: ErrorObject };
  const attempts = error.attempts > 1 ? ` (${error.attempts} attempts)` : '';
  // The program writes the message itself if the service sent no code.
  const isOwn = error.code === error.kind && error.kind !== 'rate_limited';
  expect(error.message).toContain(isOwn ? attempts : '');
  const message = error.message.replace(new URL(url).host, 'HOST').replace(attempts, '');
  return { ...outcome, error: { ...error, message } };
}

const tricks: readonly (readonly [what: string, trick: SocketHandler, message: string])[] = [
  [
    'the connection is reset',
    (socket) => void socket.resetAndDestroy(),
    'no response from HOST: the connection was lost',
  ],
  [
    'the response is cut off',
    (socket) => void socket.end(rawResponse('200 OK', { 'content-length': '50' }, '{"ok":true}')),
    'the response from HOST was cut off after 11 of 50 bytes',
  ],
  [
    'the response is not HTTP',
    (socket) => void socket.end('SSH-2.0-OpenSSH_9.6\r\n\r\n'),
    'the response from HOST is not valid HTTP',
  ],
];

describe.each(tricks)('when %s', (what, trick, message) => {
  // The first loss is tried with every operation, the others with one of each kind.
  it.each(what.includes('reset') ? operationLines : kinds)('$line', async ({ line, method }) => {
    const service = await misbehavingServer(trick);
    const { exitCode, stdout, stderr, error } = await run(line, service.url);
    const [requests, code] = lost[classOf(method)];
    expect({ requests: service.requests(method), exitCode, stdout }).toEqual({
      requests,
      exitCode: code,
      stdout: '',
    });
    const outcome = method === 'GET' ? 'none' : 'unknown';
    expect(error).toMatchObject({ sent: true, outcome, exitCode, message });
    // No part of what came is shown.
    expect(stderr).not.toContain('SSH-2.0');
  });
});

/** The suggested command for each change shows if it happened; in this API only a retry can be seen by a read. */
const inspected = operationLines
  .filter(({ method }) => method !== 'GET')
  .map(({ line, method }) => ({
    line,
    next: line.startsWith('posts retry') ? `social posts get ${line.split(' ')[2]!}` : null,
    hint: line.startsWith('posts retry')
      ? /^null$/
      : method === 'DELETE'
        ? /“not found” means that/
        : /^Check .*: the API cannot /,
  }));

describe('an unknown outcome names the read that shows it, or where a person can check', () => {
  it.each(inspected)('$line', async ({ line, next, hint }) => {
    const service = await misbehavingServer((socket) => void socket.resetAndDestroy());
    const { error } = await run(line, service.url);
    expect(error).toMatchObject({ next });
    expect(String((error as { hint: string | null }).hint)).toMatch(hint);
  });
});

describe('when no response comes in time', () => {
  it.each(kinds)('$line', async ({ line, method }) => {
    const service = await misbehavingServer(() => undefined);
    const { exitCode, error } = await run(line, service.url, '--timeout=300ms', '--retries=0');
    expect(exitCode).toBe(method === 'GET' ? 9 : 12);
    expect(error).toMatchObject({ sent: true, message: 'no response from HOST after 0.3s' });
    expect(service.requests(method)).toBe(1);
  });

  it('a change is not retried within the time limit', async () => {
    const service = await misbehavingServer(() => undefined);
    await run('posts retry PostSpringLaunch', service.url, '--timeout=300ms', '--retries=2');
    expect(service.requests('POST')).toBe(1);
  });
});

describe('when nothing listens', () => {
  it.each(operationLines)('$line', async ({ line }) => {
    const url = `http://127.0.0.1:${await closedPort()}`;
    const { exitCode, error } = await run(line, url);
    expect(exitCode).toBe(9);
    expect(error).toMatchObject({ sent: false, outcome: 'none', retryable: true });
  });
});

const html = { 'content-type': 'text/html' };
const page: StubResponse = { headers: html, body: '<html>gateway</html>' };
const asks = { 'retry-after': '1' };
const answers: readonly (readonly [what: string, answer: StubResponse, ends: Ends])[] = [
  ['a page with status 502 comes', { ...page, status: 502 }, lost],
  ['an error body with status 500 comes', errorResponse(500), lost],
  ['a page with status 520 comes, which no list has', { ...page, status: 520 }, lost],
  [
    'an error body asks to wait, with status 503',
    { ...errorResponse(503), headers: asks },
    { READ: [ATTEMPTS, 7], IDEM: [ATTEMPTS, 7], ONCE: [1, 7] },
  ],
  [
    'a page asks to wait, with status 503',
    { ...page, status: 503, headers: { ...html, ...asks } },
    { READ: [ATTEMPTS, 7], IDEM: [ATTEMPTS, 7], ONCE: [1, 12] },
  ],
  [
    'the service is asked too often',
    errorResponse(429),
    { READ: [ATTEMPTS, 7], IDEM: [ATTEMPTS, 7], ONCE: [ATTEMPTS, 7] },
  ],
  [
    'nothing remains of a limit, with status 403',
    { ...errorResponse(403), headers: { 'x-ratelimit-remaining': '0' } },
    { READ: [ATTEMPTS, 7], IDEM: [ATTEMPTS, 7], ONCE: [1, 7] },
  ],
  [
    'a quota of a month is used up',
    errorResponse(429, 'quota_exceeded', 'The monthly quota is used up.'),
    { READ: [1, 7], IDEM: [1, 7], ONCE: [1, 7] },
  ],
  ['the request took too long for a proxy, status 408', { ...page, status: 408 }, lost],
  [
    'the request came too early, status 425',
    errorResponse(425),
    { READ: [ATTEMPTS, 9], IDEM: [ATTEMPTS, 12], ONCE: [1, 6] },
  ],
  ...[206, 304, 999].map(
    (status) =>
      [
        `a status comes that no list has: ${status}`,
        { status },
        { READ: [1, 9], IDEM: [1, 12], ONCE: [1, 12] },
      ] as const,
  ),
  ...[400, 409, 422].map(
    (status) =>
      [
        `the service refuses with status ${status}`,
        errorResponse(status),
        { READ: [1, 6], IDEM: [1, 6], ONCE: [1, 6] },
      ] as const,
  ),
  ['there is no such thing', errorResponse(404), { READ: [1, 5], IDEM: [1, 5], ONCE: [1, 5] }],
  ['the token is refused', errorResponse(401), { READ: [1, 4], IDEM: [1, 4], ONCE: [1, 4] }],
];

describe.each(answers)('when %s', (_what, answer, ends) => {
  it.each(kinds)('$line', async ({ line, method }) => {
    const service = await recordingServer(answer);
    const { exitCode, stdout } = await run(line, service.url);
    const [requests, code] = ends[classOf(method)];
    // A read of the post follows a retry that was refused or lost; it is not a repeat.
    const sent = service.requests.filter((each) => each.method === method);
    expect({ requests: sent.length, exitCode, stdout }).toEqual({
      requests,
      exitCode: code,
      stdout: '',
    });
  });
});

/**
 * The response may come from a server in between: a read is sent once more, an idempotent change up to the usual number
 * of attempts.
 */
const garbled: Ends = { READ: [2, 9], IDEM: [ATTEMPTS, 12], ONCE: [1, 12] };

describe.each([200, 202, 204])('when a whole response with status %i has no body', (status) => {
  it.each(kinds)('$line', async ({ line, method }) => {
    const service = await recordingServer({ status });
    const { exitCode, stderr } = await run(line, service.url);
    const sent = service.requests.filter((each) => each.method === method);
    const isRead = method === 'GET';
    expect({ requests: sent.length, exitCode }).toEqual({
      requests: isRead ? 2 : 1,
      exitCode: isRead ? 9 : 0,
    });
    expect(stderr.includes('warning: no data returned\n')).toBe(!isRead);
  });
});

it('a response that ends with its connection may have lost its body: a change is unknown', async () => {
  const service = await misbehavingServer((socket) => void socket.end('HTTP/1.1 200 OK\r\n\r\n'));
  expect((await run('posts retry PostSpringLaunch', service.url)).exitCode).toBe(12);
  expect(service.requests('POST')).toBe(1);
});

describe('when a page comes with status 200', () => {
  it.each(kinds)('$line', async ({ line, method }) => {
    const service = await recordingServer(page);
    const { exitCode, error, stdout } = await run(line, service.url);
    const [requests, code] = garbled[classOf(method)];
    const sent = service.requests.filter((each) => each.method === method);
    expect({ requests: sent.length, exitCode, stdout }).toEqual({
      requests,
      exitCode: code,
      stdout: '',
    });
    const message = 'HTTP 200 from HOST: a page of a gateway, not of the service: "gateway"';
    expect(error).toMatchObject({ message });
  });
});

describe('a retry', () => {
  it('succeeds as soon as one attempt does', async () => {
    const service = await recordingServer((number) =>
      number < 3 ? { ...page, status: 503 } : successResponse('{"id":"PostSpringLaunch"}'),
    );
    const outcome = await run('posts get PostSpringLaunch', service.url, '-q');
    expect(outcome).toMatchObject({
      exitCode: 0,
      stdout: '{"id":"PostSpringLaunch"}\n',
      stderr: '',
    });
    expect(service.requests).toHaveLength(3);
  });

  it('sends the same request each time', async () => {
    const service = await recordingServer(errorResponse(429));
    await run('posts retry PostSpringLaunch --target TargetSpringLink', service.url);
    const [first, ...others] = service.requests;
    expect(others).toHaveLength(2);
    for (const other of others) expect(other).toEqual(first);
  });

  it.each([0, 1, 5])('happens as often as --retries %i says', async (retries) => {
    const service = await recordingServer(errorResponse(429));
    await run('posts get PostSpringLaunch', service.url, '--retries', `${retries}`);
    expect(service.requests).toHaveLength(retries + 1);
  });
});
