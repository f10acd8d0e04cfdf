// The ids by which a call is found in the logs of the service: the one that is sent with all its attempts, the
// service's own, and the trace of the environment.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { plainId } from '../../src/base/hash.ts';
import { targetPost, targets } from '../support/posts.ts';
import {
  errorResponse,
  recordingServer,
  type StubResponse,
  successResponse,
} from '../support/recording-server.ts';
import { temporaryFolder, testCli } from '../support/test-cli.ts';

const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const get = ['posts', 'get', 'PostForTheTestsA'];
const retry = ['posts', 'retry', 'PostForTheTestsA', '--yes'];
const env = (url: string) => ({ SOCIAL_BASE_URL: url, SOCIAL_TOKEN: 'a-token-for-tests' });

async function run(
  argv: readonly string[],
  url: string,
  more: Record<string, string> = {},
  home = temporaryFolder(),
) {
  const outcome = await testCli(home).social(argv, { env: { ...env(url), ...more } });
  const last = outcome.stderr.trimEnd().split('\n').at(-1)!;
  const parsed = last.startsWith('{')
    ? (JSON.parse(last) as { error: Record<string, unknown> })
    : undefined;
  return { ...outcome, error: parsed?.error ?? {} };
}

describe('the request id of a call', () => {
  it('is the same for all its attempts, in --debug and in the error', async () => {
    const { url, requests } = await recordingServer(errorResponse(500));
    const { error, stderr } = await run([...get, '--json', '--debug', '--retries', '2'], url);
    const [id, ...others] = requests.map(({ headers }) => headers['x-request-id']);
    expect(id).toMatch(UUID);
    expect(others).toEqual([id, id]);
    expect(error).toMatchObject({ requestId: null, clientRequestId: id, attempts: 3 });
    expect(stderr.match(new RegExp(`^> x-request-id: ${id}$`, 'gm'))).toHaveLength(3);
  });

  it('is another one for each read', () => {
    const ids = Array.from({ length: 1000 }, plainId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(UUID);
  });

  it('is in the message of an unclear response, unless the service gave its own', async () => {
    const lost = await recordingServer(errorResponse(503));
    const { stderr } = await run([...get, '--retries', '0'], lost.url);
    const id = lost.requests[0]!.headers['x-request-id']!;
    expect(stderr).toContain(`\n  client request id: ${id}\n`);
    const named = await recordingServer({
      ...errorResponse(503),
      headers: { 'request-id': 'req-1' },
    });
    const other = await run([...get, '--retries', '0'], named.url);
    expect(other.stderr).toContain('\n  request id: req-1\n');
    expect(other.stderr).not.toContain('client request id');
    const refused = await run(get, (await recordingServer(errorResponse(404))).url);
    expect(refused.stderr).not.toContain('request id');
  });

  it('is omitted for unsent requests and dry runs', async () => {
    const { error } = await run([...get, '--json', '--retries', '0'], 'http://127.0.0.1:1');
    expect(error).toMatchObject({ sent: false, clientRequestId: null });
    for (const flag of ['--dry-run', '--curl']) {
      const { stdout } = await run([...get, flag], 'https://a.example');
      expect(stdout).toContain('user-agent');
      expect(stdout).not.toContain('x-request-id');
    }
  });

  it('can be set with api -H', async () => {
    const { url, requests } = await recordingServer(errorResponse(500));
    const argv = [
      'api',
      'GET',
      '/v1/queue',
      '-H',
      'X-Request-ID: case-17',
      '--json',
      '--retries',
      '1',
    ];
    const { error } = await run(argv, url);
    expect(requests.map(({ headers }) => headers['x-request-id'])).toEqual(['case-17', 'case-17']);
    expect(error).toMatchObject({ clientRequestId: 'case-17' });
  });

  it('is in the history with that of the service, and in the journal before the request', async () => {
    const home = temporaryFolder();
    const journal = join(home, 'batch.journal');
    let written = '';
    const changes = () => requests.filter(({ method }) => method === 'POST');
    const { url, requests } = await recordingServer((_number, { method, target }): StubResponse => {
      const id = target.split('/')[3]!;
      const failed = { ...targetPost([targets.twitter('failed')]), id };
      if (method === 'GET') return successResponse(JSON.stringify(failed));
      if (changes().length === 2) written = readFileSync(journal, 'utf8');
      return { ...errorResponse(500), headers: { 'x-correlation-id': 'corr-9' } };
    });
    const one = await run([...retry, '--json'], url, {}, home);
    expect(one.error).toMatchObject({ kind: 'outcome_unknown', requestId: 'corr-9' });
    const list = await run(['history', 'list', '--json'], url, {}, home);
    const [entry] = JSON.parse(list.stdout) as Record<string, unknown>[];
    const id = requests[0]!.headers['x-request-id']!;
    expect(entry).toMatchObject({ outcome: 'unknown', clientRequestId: id, requestId: 'corr-9' });
    const shown = await run(['history', 'show', String(entry!['id']), '-o', 'tsv'], url, {}, home);
    expect(shown.stdout).toContain(id);
    await run(
      ['posts', 'retry', 'PostForTheTestsB', 'PostForTheTestsC', '--journal', journal, '--yes'],
      url,
      {},
      home,
    );
    expect(written).toContain(`"requestId":"${changes()[1]!.headers['x-request-id']}"`);
  });
});

describe('the request id of the service', () => {
  const headers = { 'x-request-id': 'req-7f3a' };

  it.each<[string, StubResponse, number]>([
    ['a refusal', { ...errorResponse(409), headers }, 6],
    ['a body that is not UTF-8', { body: new Uint8Array([255, 254, 0]), headers }, 9],
    ['another post', { ...successResponse('{"id":"PostForTheTestsB"}'), headers }, 9],
    ['a rejected token', { ...errorResponse(401), headers }, 4],
  ])('is in the error of %s: %#', async (_what, answer, exitCode) => {
    const { url } = await recordingServer(answer);
    const outcome = await run([...get, '--json', '--retries', '0'], url);
    expect(outcome).toMatchObject({ exitCode, error: { requestId: 'req-7f3a' } });
    const text = await run([...get, '--retries', '0'], url);
    expect(text.stderr).toContain('request id: req-7f3a');
  });

  it('is in each line of a batch, and in the error that stopped it', async () => {
    const { url } = await recordingServer({ ...errorResponse(404), headers });
    const argv = ['posts', 'get', 'PostForTheTestsA', 'PostForTheTestsB'];
    const { stdout } = await run([...argv, '--json'], url);
    expect(stdout.match(/"requestId":"req-7f3a","clientRequestId":"[\da-f-]{36}"/g)).toHaveLength(
      2,
    );
    const text = await run(argv, url);
    expect(
      text.stderr.match(/^error: PostForTheTests.: .*\(request id: req-7f3a\)$/gm),
    ).toHaveLength(2);
    const stopped = await recordingServer({ ...errorResponse(401), headers });
    expect((await run([...argv, '--json'], stopped.url)).error).toMatchObject({
      requestId: 'req-7f3a',
    });
  });
});
