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

/** After an unknown outcome: the read that shows it, which only a retry has in this API, or where a person can check. */
const adviceAfter = (line: string, method: string) => {
  if (line.startsWith('posts retry'))
    return {
      next: `social posts get ${line.split(' ')[2]!}`,
      hint: expect.stringMatching(/^then: social history settle \w+$/) as string,
    };
  const where = method === 'DELETE' ? /“not found” means that/ : /^Check .*: the API cannot /;
  return { next: null, hint: expect.stringMatching(where) as string };
};

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
    const advice = what.includes('reset') && method !== 'GET' ? adviceAfter(line, method) : {};
    expect(error).toMatchObject({ sent: true, outcome, exitCode, message, ...advice });
    // No part of what came is shown.
    expect(stderr).not.toContain('SSH-2.0');
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
  ['it conflicts', errorResponse(409), { READ: [1, 6], IDEM: [1, 6], ONCE: [1, 6] }],
  // It may come from a server in between: a read is sent once more.
  ['a page with status 200 comes', page, { READ: [2, 9], IDEM: [ATTEMPTS, 12], ONCE: [1, 12] }],
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

it('a response that ends with its connection may have lost its body: a change is unknown', async () => {
  const service = await misbehavingServer((socket) => void socket.end('HTTP/1.1 200 OK\r\n\r\n'));
  expect((await run('posts retry PostSpringLaunch', service.url)).exitCode).toBe(12);
  expect(service.requests('POST')).toBe(1);
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
