// The JSON error object: whatever the text of a failure says, the object says too. The first of both are the built
// program's.

import { describe, expect, it } from 'vitest';
import { socialInProcess } from '../support/in-process.ts';
import { social } from '../support/program.ts';
import { recordingServer, errorResponse, type StubResponse } from '../support/recording-server.ts';

import { misbehavingServer } from '../support/misbehaving-server.ts';

const get = ['posts', 'get', 'PostForTheTestsA'];

interface ErrorObject {
  readonly ok: false;
  readonly error: Readonly<Record<string, unknown>> & { readonly why: readonly string[] };
}

const env = (url: string) => ({ SOCIAL_BASE_URL: url, SOCIAL_TOKEN: 'a-token-for-tests' });

async function errorOf(argv: readonly string[], url: string, isBuilt = false) {
  const run = isBuilt ? social : socialInProcess;
  const { stdout, stderr, exitCode } = await run([...argv, '--json'], { env: env(url) });
  expect(stdout).toBe('');
  const { ok, error } = JSON.parse(stderr.trimEnd().split('\n').at(-1)!) as ErrorObject;
  expect({ ok, exitCode }).toEqual({ ok: false, exitCode: error['exitCode'] });
  return error;
}

/** Returns the error object for a refusal by the service. */
async function refusedWith(argv: readonly string[], answer: StubResponse, isBuilt = false) {
  const service = await recordingServer(answer);
  return {
    error: await errorOf(argv, service.url, isBuilt),
    host: new URL(service.url).host,
    service,
  };
}

describe('the error object', () => {
  it('and the text have the same status, code, host, message, pause and request id of the service', async () => {
    const answer = {
      ...errorResponse(429, 'rate_limited', 'Too many requests'),
      headers: { 'retry-after': '30', 'x-request-id': 'req-7f3a' },
    };
    const argv = [...get, '--retries', '0'];
    const { error, host, service } = await refusedWith(argv, answer, true);
    expect(error).toMatchObject({
      kind: 'rate_limited',
      status: 429,
      code: 'rate_limited',
      message: 'Too many requests',
      host,
      requestId: 'req-7f3a',
      attempts: 1,
      retryAfterMs: 30_000,
      timedOut: false,
      why: ['rate limited, next possible in 30s'],
    });
    const { stderr } = await socialInProcess(argv, { env: env(service.url) });
    expect(stderr).toBe(
      `error: HTTP 429 rate_limited from ${host}: Too many requests\n  ${error.why[0]!}\n  request id: req-7f3a\n`,
    );
  });

  it('has the details also when the message already lists them', async () => {
    const details = [
      { field: 'text', message: 'must not be empty' },
      { field: 'targetId', message: 'must be text' },
    ];
    const said = 'text must not be empty, targetId must be text';
    for (const [message, lines] of [
      [said, ''],
      ['2 fields are not valid', '  text: must not be empty\n  targetId: must be text\n'],
    ] as const) {
      const error = { code: 'invalid', message, details };
      const answer = { status: 422, body: JSON.stringify({ ok: false, error }) };
      const told = await refusedWith(get, answer);
      expect(told.error['details']).toEqual(details);
      const { stderr } = await socialInProcess(get, { env: env(told.service.url) });
      expect(stderr).toMatch(/^error: HTTP 422 invalid from [\d.:]+: .*\n/);
      expect(stderr.slice(stderr.indexOf('\n') + 1)).toBe(lines);
    }
  });

  it('masks a token in a request id before it is cut', async () => {
    const token = env('').SOCIAL_TOKEN;
    for (const before of [0, 970, 975, 980, 3960, 3970, 3975, 3990]) {
      const { error } = await refusedWith(get, {
        ...errorResponse(409),
        headers: { 'x-request-id': `${'r'.repeat(before)}${token}${'s'.repeat(300)}` },
      });
      expect(error['requestId']).toMatch(before === 0 ? /^\[redacted/ : /^r+/);
      expect(error['requestId']).not.toContain(token.slice(0, 3));
      expect(String(error['requestId']).length).toBeLessThan(4040);
    }
  });

  it('has no control sequence of a request id', async () => {
    const service = await misbehavingServer((socket) =>
      socket.end(
        'HTTP/1.1 409 Conflict\r\nx-request-id: \u009b31m\u009d0;t\u009c\r\ncontent-length: 2\r\n\r\n{}',
        'latin1',
      ),
    );
    const { stderr } = await socialInProcess([...get, '--json'], { env: env(service.url) });
    expect(stderr).not.toMatch(/[\u0080-\u009f]/);
    expect((JSON.parse(stderr) as ErrorObject).error['requestId']).toContain('\u009b31m');
  });
});

describe('errors are JSON objects when the output is JSON, by the last setting', () => {
  it.each<[string, string, boolean]>([
    ['', '', false],
    ['', 'ndjson', true],
    ['-o json', 'tsv', true],
    ['--output=ndjson', '', true],
    ['-otsv', 'json', false],
    ['-o json -o tsv', '', false],
    ['--json', 'tsv', true],
  ])('%s with SOCIAL_OUTPUT=%s: %s', async (flags, variable, isObject) => {
    const argv = [...flags.split(' ').filter(Boolean), 'posts', 'get', 'x'];
    const { stderr } = await socialInProcess(argv, { env: { SOCIAL_OUTPUT: variable } });
    expect(stderr).toMatch(isObject ? /^\{"ok":false,/ : /^error: /);
  });

  it('and not because an ID looks like the flag', async () => {
    const argv = ['ads', 'audiences', 'delete', '--', '--json'];
    const { stderr } = await socialInProcess(argv, { env: env('https://a.example') });
    expect(stderr).toMatch(/^error: confirmation required: ads audiences delete "--json"\n/);
  });
});
