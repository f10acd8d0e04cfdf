// `social api --paginate`: how a list is followed, what is printed of it, and what ends it: over real sockets.

import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/base/errors.ts';
import { linkedNext, nextPath, pageItems } from '../../../src/commands/api/paginate.ts';
import { shell } from '../../support/program.ts';
import {
  errorResponse,
  recordingServer,
  type RecordedRequest,
  type StubResponse,
} from '../../support/recording-server.ts';
import { serviceAt } from '../../support/terminal.ts';
import { testCli } from '../../support/test-cli.ts';

type Answer = (request: RecordedRequest, number: number) => StubResponse;

const json = (body: unknown, headers: Record<string, string> = {}): StubResponse => ({
  body: JSON.stringify(body),
  headers,
});
const query = ({ target }: RecordedRequest) => new URL(target, 'http://x').searchParams;

/** Runs `api /v1/list --paginate` on a service that answers so. */
async function paginated(
  answer: Answer,
  flags: readonly string[] = [],
  { path = '/v1/list', signal }: { path?: string; signal?: AbortSignal } = {},
) {
  const { url, requests } = await recordingServer((number, request) => answer(request, number));
  const scene = { env: serviceAt(url), ...(signal && { signal }) };
  const outcome = await testCli().social(['api', path, '--paginate', ...flags], scene);
  return { ...outcome, url, requests, targets: requests.map(({ target }) => target) };
}

/** A service with three pages of two items, followed by a cursor. */
const threePages: Answer = (request) => {
  const at = Number(query(request).get('cursor') ?? 0);
  const items = [{ id: `a${at}` }, { id: `b${at}` }];
  return json({ ok: true, data: { items, nextCursor: at < 2 ? `${at + 1}` : null } });
};
const all = ['a0', 'b0', 'a1', 'b1', 'a2', 'b2'];
const asLines = (ids: readonly string[]) => ids.map((id) => `{"id":"${id}"}\n`).join('');

describe('a list is read page by page', () => {
  it('by nextCursor, with the query and headers of the first page, as one item per line', async () => {
    const { stdout, stderr, exitCode, targets, requests } = await paginated(
      threePages,
      ['-H', 'x-team: blue'],
      { path: '/v1/list?status=failed' },
    );
    expect({ stdout, stderr, exitCode }).toEqual({ stdout: asLines(all), stderr: '', exitCode: 0 });
    expect(targets).toEqual([
      '/v1/list?status=failed',
      '/v1/list?status=failed&cursor=1',
      '/v1/list?status=failed&cursor=2',
    ]);
    expect(requests.every(({ headers }) => headers['x-team'] === 'blue')).toBe(true);
    expect(new Set(requests.map(({ headers }) => headers['x-request-id'])).size).toBe(3);
  });

  it('by a Link header, relative or absolute, among others, before a cursor', async () => {
    const { stdout, targets } = await paginated((request, number) => {
      const page = Number(query(request).get('page') ?? 1);
      const origin = `http://${request.headers['host']!}`;
      const to = number === 1 ? '?page=2' : `${origin}/v1/list?page=3`;
      const link = `<https://a.example/?a=1,2>; rel="prev"; title="x, y", <${to}>; title=z; rel="last next"`;
      const body = { data: [{ page }], ...(page < 3 && { nextCursor: 'not this' }) };
      return json(body, page < 3 ? { link } : {});
    });
    expect(stdout).toBe('{"page":1}\n{"page":2}\n{"page":3}\n');
    expect(targets).toEqual(['/v1/list', '/v1/list?page=2', '/v1/list?page=3']);
  });

  it('with --jq and --fields applied to each item', async () => {
    const ids = all.map((id) => `${id}\n`).join('');
    expect((await paginated(threePages, ['--jq', '.id'])).stdout).toBe(ids);
    expect((await paginated(threePages, ['--fields', 'id', '--json'])).stdout).toBe(asLines(all));
  });

  it('into a batch', async () => {
    const id = (letter: string) => `PostForTheTests${letter}`;
    const { url, stdout } = await paginated((_request, number) =>
      json({ data: [{ id: id('AB'[number - 1]!) }], nextCursor: number < 2 ? 'x' : null }),
    );
    const argv = ['posts', 'retry', '--from', '-', '--column', 'id', '-n'];
    const batch = await testCli().social(argv, { env: serviceAt(url), stdin: stdout });
    expect(batch.stdout.match(/POST .*\/v1\/posts\/PostForTheTests[AB]\/retry/g)).toHaveLength(2);
  });
});

describe('a list stops', () => {
  it.each([
    ['another origin', '<https://evil.example/v1/list?page=2>; rel=next', 'is not below'],
    ['an origin without a scheme', '<//evil.example/x>; rel=next', 'is not below'],
    ['another protocol', '<ftp://a.example/>; rel=next', 'is not below'],
    ['no URL', '<http://[>; rel=next', 'is not below'],
    ['a user name', '<http://me:secret@127.0.0.1/>; rel=next', 'is not below'],
  ])('before %s: no token is sent there', async (_what, link, why) => {
    const outcome = await paginated(() => json({ data: [1] }, { link }));
    expect(outcome).toMatchObject({ stdout: '1\n', exitCode: 9, targets: ['/v1/list'] });
    expect(outcome.stderr).toMatch(new RegExp(`^error: the .*next page ${why}`));
    expect(outcome.stderr).not.toContain('secret');
  });

  it('before a page outside of the base URL', () => {
    const next = (link: string) => {
      const headers = { link: `<${link}>; rel=next` };
      return nextPath({ headers, body: {} }, '/v1/list', 'https://a.example/api');
    };
    for (const link of ['/v1/list?page=2', '/api/../v1/list'])
      expect(() => next(link)).toThrow(/is not below https:\/\/a\.example\/api/);
    expect(next('/api/v1/list?a=\u001b[2J#b')).toBe('/v1/list?a=%1B[2J');
  });

  it('at a page that repeats, after printing the others', async () => {
    const answers = ['b', 'c', 'b'];
    const { stdout, stderr, exitCode } = await paginated((_request, number) =>
      json({ data: [number], nextCursor: answers[number - 1] }),
    );
    expect({ stdout, exitCode }).toEqual({ stdout: '1\n2\n3\n', exitCode: 9 });
    expect(stderr).toBe('error: the next page was read before; stopped: "/v1/list?cursor=b"\n');
  });

  it('after a thousand pages with 8 and the command that resumes', async () => {
    const { exitCode, stderr, requests } = await paginated((_request, number) =>
      json({ data: [], nextCursor: number }),
    );
    expect({ exitCode, count: requests.length }).toEqual({ exitCode: 8, count: 1000 });
    expect(stderr).toBe(
      "error: stopped after 1000 pages; the list continues\ntry: social api '/v1/list?cursor=1000' --paginate\n",
    );
  });

  it('with 9 when the next page is not named', async () => {
    const { exitCode, stdout, stderr } = await paginated(() =>
      json({ data: { items: [1] }, meta: { hasMore: true, page: 1 } }),
    );
    expect({ exitCode, stdout }).toEqual({ exitCode: 9, stdout: '1\n' });
    expect(stderr).toContain('has hasMore, but no next page');
  });

  it('with a note when the response has pages of an unsupported kind', async () => {
    const outcome = await paginated(() => json({ data: [1], page: 1, totalPages: 9 }));
    expect(outcome).toMatchObject({ exitCode: 0, stdout: '1\n' });
    expect(outcome.stderr).toContain('note: the response names no next page');
  });

  it.each<[string, StubResponse, number]>([
    ['a refusal', errorResponse(410, 'gone', 'Gone.'), 5],
    ['an error with status 200', { body: '{"ok":true,"error":{"code":"x","message":"y"}}' }, 6],
    ['a page that is not JSON', { body: '<h1>\u001b[2J' }, 9],
    ['a page larger than 10 MiB', { body: `[${'1,'.repeat(6_000_000)}1]` }, 9],
    ['a page that is empty', { body: '' }, 9],
  ])('after %s at page 3, with the command that resumes', async (_what, answer, exitCode) => {
    const outcome = await paginated(
      (request, number) => (number === 3 ? answer : threePages(request, number)),
      ['--retries', '0', '-H', 'x-team: the blue', '--jq', '.id'],
    );
    expect(outcome).toMatchObject({ exitCode, stdout: 'a0\nb0\na1\nb1\n' });
    expect(outcome.stderr).toContain(
      "\ntry: social api '/v1/list?cursor=2' --paginate -H 'x-team: the blue' --jq .id\n",
    );
    expect(outcome.stderr).not.toContain('\u001b');
  });

  it('with advice on the token when it is rejected, and without a command at the first page', async () => {
    const late = await paginated((request, number) =>
      number === 1 ? threePages(request, number) : errorResponse(401),
    );
    expect(late).toMatchObject({ exitCode: 4, stdout: asLines(all.slice(0, 2)) });
    expect(late.stderr).toContain('\n  set SOCIAL_TOKEN to a valid token of http://127.0.0.1');
    expect(late.stderr).not.toContain('--paginate');
    const early = await paginated(() => errorResponse(404));
    expect(early).toMatchObject({ exitCode: 5, stdout: '' });
    expect(early.stderr).not.toContain('--paginate');
  });

  it('on Ctrl-C, with the command that resumes', async () => {
    const stop = new AbortController();
    const answer: Answer = (request, number) => {
      if (number === 2)
        stop.abort(new Failure('interrupted', { what: 'cancelled; nothing was sent' }));
      return threePages(request, number);
    };
    const outcome = await paginated(answer, [], { signal: stop.signal });
    expect(outcome).toMatchObject({
      exitCode: 130,
      stdout: asLines(all.slice(0, 2)),
      stderr: "cancelled; nothing was changed\nresume: social api '/v1/list?cursor=1' --paginate\n",
    });
    expect(outcome.requests).toHaveLength(2);
  });

  it('when the pipe is closed: no further page is requested', async () => {
    const { url, requests } = await recordingServer((number) =>
      json({
        data: Array.from({ length: 2000 }, (_, i) => `${number}-${i}-${'x'.repeat(100)}`),
        nextCursor: number,
      }),
    );
    const script = 'social api /v1/list --paginate | head -n 1; echo "${PIPESTATUS[0]}"';
    const { stdout } = await shell(script, { env: serviceAt(url) });
    expect(stdout).toMatch(/^"1-0-x+"\n0\n$/);
    expect(requests.length).toBeLessThan(50);
  });
});

it('all faults of the line are reported at once, and nothing is sent', async () => {
  const { url, requests } = await recordingServer();
  const argv = ['api', 'POST', '/v1/x', '--paginate', '--whole', '-o', 'table'];
  const { stderr, exitCode } = await testCli().social(argv, { env: serviceAt(url) });
  expect(exitCode).toBe(2);
  expect(stderr.split('\n').slice(0, 4)).toEqual([
    'error: 3 errors; nothing was sent',
    '  --whole cannot be combined with --paginate',
    '  --paginate requires the method GET',
    "  --output cannot be table: the result is JSON; make rows with --jq, e.g. --jq '.[] | [.id, .status] | @tsv'",
  ]);
  expect(requests).toHaveLength(0);
});

it('a dry run shows the first page', async () => {
  const { url, requests } = await recordingServer();
  const argv = ['api', '/v1/x?a=1', '--paginate', '-n'];
  const { stdout } = await testCli().social(argv, { env: serviceAt(url) });
  expect(stdout).toContain(`GET ${url}/v1/x?a=1\n`);
  expect(requests).toHaveLength(0);
});

describe('the parts of a response', () => {
  it.each<[unknown, unknown]>([
    [[1], [1]],
    [{ data: [1] }, [1]],
    [{ ok: true, data: { posts: [1], total: 1 } }, [1]],
    [{ results: [], next: null }, []],
    [{ data: { a: [1], b: [2] } }, undefined],
    [{ data: {} }, undefined],
    ['text', undefined],
  ])('the items of %j are %j', (body, items) => {
    expect(pageItems(body)).toEqual(items);
  });

  it.each<[string, string | undefined]>([
    ['</a>; rel=next', '/a'],
    ['</a>;REL="first NEXT"', '/a'],
    ['</a>; rel="prev", </b?x=1;2,3>; title="a; rel=next"; rel=next', '/b?x=1;2,3'],
    ['</a>; rel=nextpage', undefined],
    ['<'.repeat(20_000), undefined],
    ['', undefined],
  ])('the next page of the header %.60s is %s', (header, target) => {
    expect(linkedNext(header)).toBe(target);
  });

  it.each<[unknown, string | undefined]>([
    [{ nextCursor: 'a' }, '/v1/list?x=2&cursor=a'],
    [{ data: { nextCursor: 7 } }, '/v1/list?x=2&cursor=7'],
    [{ meta: { nextCursor: "a\r\n&b='\u0000" } }, '/v1/list?x=2&cursor=a%0D%0A%26b%3D%27%00'],
    [{ nextCursor: '' }, undefined],
    [{ nextCursor: null, hasMore: false }, undefined],
    [{ page: 1, totalPages: 2 }, undefined],
    [[], undefined],
  ])('after %j comes %s', (body, path) => {
    expect(nextPath({ headers: {}, body }, '/v1/list?cursor=1&x=2', 'https://a.example')).toBe(
      path,
    );
  });
});
