// `social api --paginate`: how a list is followed, what is printed of it, and what ends it: over real sockets.

import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/base/errors.ts';
import {
  pageItems,
  linkedNext,
  nextPath,
  stepIn,
  stepOf,
} from '../../../src/commands/api/next-page.ts';
import { endEarly } from '../../../src/commands/api/paginate.ts';
import { shell, social } from '../../support/program.ts';
import {
  errorResponse,
  recordingServer,
  type RecordedRequest,
  type StubResponse,
} from '../../support/recording-server.ts';
import { testCli } from '../../support/test-cli.ts';

const run = (
  argv: readonly string[],
  { input = '', ...scene }: { env: Record<string, string>; input?: string },
) => testCli().social(argv, { ...scene, stdin: input });

const env = (url: string) => ({ SOCIAL_BASE_URL: url, SOCIAL_TOKEN: 'a-token-for-tests' });
const json = (body: unknown, headers: Record<string, string> = {}): StubResponse => ({
  body: JSON.stringify(body),
  headers,
});
const query = ({ target }: RecordedRequest) => new URL(target, 'http://x').searchParams;

interface Scene {
  path: string;
  /** The path of the base URL. */
  base: string;
  more: Record<string, string>;
}

/** Runs `api /v1/list --paginate` on a service that answers so. */
async function paginated(
  answer: (request: RecordedRequest, number: number) => StubResponse,
  flags: readonly string[] = [],
  { path = '/v1/list', base = '', more = {} }: Partial<Scene> = {},
) {
  const service = await recordingServer((number, request) => answer(request, number));
  const argv = ['api', path, '--paginate', ...flags];
  const outcome = await run(argv, { env: { ...env(service.url + base), ...more } });
  const { requests } = service;
  return { ...outcome, url: service.url, requests, targets: requests.map(({ target }) => target) };
}

/** A service with three pages of two items, followed by a cursor. */
const threePages = (request: RecordedRequest): StubResponse => {
  const at = Number(query(request).get('cursor') ?? 0);
  const items = [{ id: `a${at}` }, { id: `b${at}` }];
  return json({ ok: true, data: { items, nextCursor: at < 2 ? `${at + 1}` : null } });
};
const all = ['a0', 'b0', 'a1', 'b1', 'a2', 'b2'];
const asLines = (ids: readonly string[]) => ids.map((id) => `{"id":"${id}"}\n`).join('');

describe('a list is followed', () => {
  it('by a cursor, with the query and the headers of the first page, as items a line', async () => {
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

  it('by a Link header, relative or whole, among others', async () => {
    const { stdout, targets } = await paginated((request, number) => {
      const page = Number(query(request).get('page') ?? 1);
      const origin = `http://${request.headers['host']!}`;
      const to = number === 1 ? '?page=2' : `${origin}/v1/list?page=3`;
      const link = `<https://a.example/?a=1,2>; rel="prev"; title="x, y", <${to}>; title=z; rel="last next"`;
      return json({ ok: true, data: [{ page }], page, pages: 9 }, page < 3 ? { link } : {});
    });
    // A page number beside it counts where there is no link any longer.
    expect(stdout.split('\n').slice(0, 3)).toEqual(['{"page":1}', '{"page":2}', '{"page":3}']);
    expect(targets.slice(0, 3)).toEqual(['/v1/list', '/v1/list?page=2', '/v1/list?page=3']);
  });

  it('by page numbers, to the last that there is', async () => {
    const { targets } = await paginated(
      (request) => {
        const page = Number(query(request).get('page') ?? 1);
        return json({ data: [{ page }], meta: { page, perPage: 10, total: 25 } });
      },
      [],
      { path: '/v1/list?page=1&limit=10' },
    );
    expect(targets).toEqual([
      '/v1/list?page=1&limit=10',
      '/v1/list?limit=10&page=2',
      '/v1/list?limit=10&page=3',
    ]);
  });

  it('as --next says: a path below the base URL, a query, or a cursor', async () => {
    const nexts = ['/v1/list?at=1', '?at=2', 'c 3', null];
    const { targets, exitCode } = await paginated(
      (_request, number) => json({ data: [number], cursor: 'not this', on: nexts[number - 1] }),
      ['--next', '.on'],
      { base: '/api' },
    );
    expect({ targets, exitCode }).toEqual({
      targets: [
        '/api/v1/list',
        '/api/v1/list?at=1',
        '/api/v1/list?at=2',
        '/api/v1/list?at=2&cursor=c%203',
      ],
      exitCode: 0,
    });
  });

  it('with --jq on each item, --fields, and TSV of these', async () => {
    expect((await paginated(threePages, ['--jq', '.id'])).stdout).toBe(
      all.map((id) => `${id}\n`).join(''),
    );
    expect((await paginated(threePages, ['--fields', 'id', '-o', 'tsv'])).stdout).toBe(
      all.map((id) => `${id}\n`).join(''),
    );
    expect((await paginated(threePages, ['--json'])).stdout).toBe(asLines(all));
    // What the settings say of tables is not meant for a list of any length.
    expect((await paginated(threePages, [], { more: { SOCIAL_OUTPUT: 'table' } })).stdout).toBe(
      asLines(all),
    );
  });

  it('and feeds a batch', async () => {
    const id = (letter: string) => `PostForTheTests${letter}`;
    const { url, stdout } = await paginated((_request, number) =>
      json({
        data: [{ id: id('AB'[number - 1]!), status: 'failed' }],
        nextCursor: number < 2 ? 'x' : null,
      }),
    );
    const argv = ['posts', 'retry', '--from', '-', '--column', 'id', '-n'];
    const batch = await run(argv, { env: env(url), input: stdout });
    expect(batch.stdout.match(/POST .*\/v1\/posts\/PostForTheTests[AB]\/retry/g)).toHaveLength(2);
  });
});

describe('a list ends', () => {
  it('before another origin: no token goes there', async () => {
    const other = await recordingServer();
    for (const link of [
      `<${other.url}/v1/list?page=2>; rel=next`,
      '<//evil.example/x>; rel=next',
      '<ftp://a.example/>; rel=next',
      '<http://[>; rel=next',
    ]) {
      const { stdout, stderr, exitCode, requests } = await paginated(() =>
        json({ data: [1] }, { link }),
      );
      expect({ stdout, exitCode, count: requests.length }).toEqual({
        stdout: '1\n',
        exitCode: 9,
        count: 1,
      });
      expect(stderr).toMatch(
        /^error: the next page is (?:not at http:\/\/127\.0\.0\.1:\d+; it was not followed|no URL): "/,
      );
    }
    expect(other.connections()).toBe(0);
  });

  it('before an address with a user name, and one that is not below the base URL', async () => {
    const { url } = await recordingServer();
    const to = (address: string) => nextPath({ to: address }, '/v1/list', `${url}/api`);
    expect(() => to(`http://me:secret@${url.slice(7)}/api/v1/list`)).toThrow(
      /^the URL of the next page has a user name; it was not followed$/,
    );
    expect(() => to('/v1/list?page=2')).toThrow(/is not below http:.*\/api; it was not followed/);
    expect(() => to('/api/../v1/list')).toThrow(/is not below/);
    expect(to("/api/v1/list?a=\u001b[2J'#b")).toBe('/v1/list?a=%1B[2J%27');
    expect(
      nextPath({ name: 'cursor', value: "a\r\n&b='\u0000" }, '/v1/list?cursor=1&x=2', url),
    ).toBe('/v1/list?x=2&cursor=a%0D%0A%26b%3D%27%00');
  });

  it('where it turns round, after what was printed', async () => {
    const answers = ['b', 'c', 'b'];
    const { stdout, stderr, exitCode } = await paginated((_request, number) =>
      json({ data: [number], nextCursor: answers[number - 1] }),
    );
    expect({ stdout, exitCode }).toEqual({ stdout: '1\n2\n3\n', exitCode: 9 });
    expect(stderr).toBe(
      'error: the next page was read before; stopped: "/v1/list?cursor=b"\n  --next says where the next page is, as a jq expression\n',
    );
  });

  it('at --max-pages with 0 and the command that continues, at the default with 8', async () => {
    const { stdout, stderr, exitCode } = await paginated(threePages, [
      '--max-pages',
      '2',
      '--jq',
      '.id',
    ]);
    expect({ stdout, exitCode }).toEqual({ stdout: 'a0\nb0\na1\nb1\n', exitCode: 0 });
    expect(stderr).toBe(
      "stopped after 2 pages; the list continues (--max-pages)\nresume: social api '/v1/list?cursor=2' --paginate --max-pages 2 --jq .id\n",
    );
    const unasked = () =>
      endEarly(1000, 'social api /v1/x', { isBounded: false }, { note: () => undefined });
    expect(unasked).toThrow(
      expect.objectContaining({
        exitCode: 8,
        message: 'stopped after 1000 pages; the list continues',
      }),
    );
  });

  it.each<[string, StubResponse, number]>([
    ['a refusal', errorResponse(410, 'gone', 'Gone.'), 5],
    ['an error with status 200', { body: '{"ok":true,"error":{"code":"x","message":"y"}}' }, 6],
    ['a page that is not JSON', { body: '<h1>\u001b[2J' }, 9],
    ['a page larger than 10 MiB', { body: `[${'1,'.repeat(6_000_000)}1]` }, 9],
    ['a page that is empty', { body: '' }, 9],
  ])(
    'by %s at page 3, with whole pages printed and the command that continues',
    async (_what, answer, exitCode) => {
      const { url, requests } = await recordingServer((_number, request) =>
        query(request).get('cursor') === '2' ? answer : threePages(request),
      );
      const argv = [
        'api',
        '/v1/list',
        '--paginate',
        '--retries',
        '0',
        '-H',
        'x-team: the blue',
        '--rate',
        '100/s',
      ];
      const outcome = await social(argv, { env: env(url) });
      expect(outcome).toMatchObject({ exitCode, stdout: asLines(all.slice(0, 4)) });
      expect(outcome.stderr).toContain(
        "\ntry: social api '/v1/list?cursor=2' --paginate -H 'x-team: the blue' --rate 100/s\n",
      );
      expect(outcome.stderr).not.toContain('\u001b');
      expect(requests).toHaveLength(3);
    },
  );

  it('with advice on the token where that was refused, and nothing to resume at the first page', async () => {
    const late = await paginated((request, number) =>
      number === 1 ? threePages(request) : errorResponse(401),
    );
    expect(late).toMatchObject({ exitCode: 4, stdout: asLines(all.slice(0, 2)) });
    expect(late.stderr).toContain('\n  set SOCIAL_TOKEN to a valid token of http://127.0.0.1');
    expect(late.stderr).toContain("\n  then resume: social api '/v1/list?cursor=1' --paginate\n");
    const early = await paginated(() => errorResponse(404));
    expect(early).toMatchObject({ exitCode: 5, stdout: '' });
    expect(early.stderr).not.toContain('--paginate');
  });

  it('when the user stops it, with the command that continues', async () => {
    const stop = new AbortController();
    const { url, requests } = await recordingServer((number, request) => {
      if (number === 2)
        stop.abort(new Failure('interrupted', { what: 'cancelled; nothing was sent' }));
      return threePages(request);
    });
    const scene = { env: env(url), signal: stop.signal };
    const outcome = await testCli().social(['api', '/v1/list', '--paginate'], scene);
    expect(outcome).toEqual({
      exitCode: 130,
      stdout: asLines(all.slice(0, 2)),
      stderr: "cancelled; nothing was changed\nresume: social api '/v1/list?cursor=1' --paginate\n",
    });
    expect(requests).toHaveLength(2);
  });

  it('when its reader has closed the pipe: nothing more is asked for', async () => {
    const { url, requests } = await recordingServer((number) =>
      json({
        data: Array.from({ length: 2000 }, (_, i) => `${number}-${i}-${'x'.repeat(100)}`),
        cursor: number,
      }),
    );
    const script = 'social api /v1/list --paginate | head -n 1; echo "${PIPESTATUS[0]}"';
    const { stdout } = await shell(script, { env: env(url) });
    expect(stdout).toMatch(/^"1-0-x+"\n0\n$/);
    expect(requests.length).toBeLessThan(50);
  });
});

it('a 429 is waited for, and the page is asked for again', async () => {
  let isBusy = true;
  const { stdout, exitCode, targets } = await paginated((request, number) => {
    if (number !== 2 || !isBusy) return threePages(request);
    isBusy = false;
    return { ...errorResponse(429), headers: { 'retry-after': '0' } };
  });
  expect({ stdout, exitCode }).toEqual({ stdout: asLines(all), exitCode: 0 });
  expect(targets.filter((each) => each.endsWith('cursor=1'))).toHaveLength(2);
});

it('--rate keeps pages apart', async () => {
  const { url } = await recordingServer((_number, request) => threePages(request));
  const { social: timed, clock } = testCli();
  const start = clock.now;
  const { exitCode } = await timed(['api', '/v1/list', '--paginate', '--rate', '10/s'], {
    env: env(url),
  });
  expect({ exitCode, ms: clock.now - start }).toEqual({ exitCode: 0, ms: 200 });
});

it('what is wrong with the line is said at once, and nothing is sent', async () => {
  const { url, requests } = await recordingServer();
  const argv = [
    'api',
    'POST',
    '/v1/x',
    '--paginate',
    '--whole',
    '-o',
    'table',
    '--rate',
    'x',
    '--max-pages',
    '0',
    '--next',
    '.[',
  ];
  const { stderr, exitCode } = await run(argv, { env: env(url) });
  expect(exitCode).toBe(2);
  expect(stderr.split('\n').slice(0, 7)).toEqual([
    'error: 6 errors; nothing was sent',
    '  --max-pages must be a whole number from 1 to 100000, got "0"',
    '  --paginate requires the method GET',
    '  --paginate cannot be combined with --whole: it prints items',
    '  --paginate prints a line per item: use --json, or -o tsv with --fields',
    '  --rate must be a number of requests per second or minute, e.g. 10/s or 90/m, got "x"',
    '  --next is not a valid jq expression: syntax error, unexpected end of file',
  ]);
  const alone = await run(['api', '/v1/x', '--next', '.a', '--rate', '1/s'], {
    env: env(url),
  });
  expect(alone.stderr).toContain('  --next requires --paginate\n  --rate requires --paginate\n');
  expect(requests).toHaveLength(0);
});

it('a path alone is a GET; a dry run shows the first page', async () => {
  const { url, requests } = await recordingServer(json({ ok: true, data: 1 }));
  const { stdout } = await run(['api', '/v1/x'], { env: env(url) });
  expect({ stdout, method: requests[0]!.method }).toEqual({ stdout: '1\n', method: 'GET' });
  const dry = await run(['api', '/v1/x?a=1', '--paginate', '-n'], { env: env(url) });
  expect(dry.stdout).toContain(`GET ${url}/v1/x?a=1\n`);
  expect(requests).toHaveLength(1);
});

describe('what an answer says', () => {
  it.each<[unknown, unknown]>([
    [
      [1, 2],
      [1, 2],
    ],
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
    ['</a>; title="\\"; rel=next"', undefined],
    ['</a>; rel=nextpage', undefined],
    ['<'.repeat(20_000), undefined],
    ['', undefined],
  ])('the next page of the header %.60s is %s', (header, target) => {
    expect(linkedNext(header)).toBe(target);
  });

  it.each<[unknown, unknown]>([
    [{ nextCursor: 'a' }, { name: 'cursor', value: 'a' }],
    [{ data: { next_cursor: 7 } }, { name: 'cursor', value: '7' }],
    [{ meta: { pagination: { cursor: 'b' } } }, { name: 'cursor', value: 'b' }],
    [{ nextCursor: 'a', hasMore: false }, undefined],
    [{ nextCursor: '' }, undefined],
    [
      { page: 1, totalPages: 2 },
      { name: 'page', value: '2' },
    ],
    [{ page: 2, totalPages: 2 }, undefined],
    [
      { page: 4, hasMore: true },
      { name: 'page', value: '5' },
    ],
    [{ page: 1 }, undefined],
    [{ page: '1', pages: 4 }, undefined],
    [{ nextPage: 3 }, { name: 'page', value: '3' }],
    [[], undefined],
  ])('after %j comes %j', (body, step) => {
    expect(stepIn({}, body)).toEqual(step);
  });

  it('that continues at a place which the response does not name ends with 9', async () => {
    const pageInfo = { hasNextPage: true, endCursor: 'x' };
    const answer = () => json({ ok: true, data: { items: [{ id: 'a0' }], pageInfo } });
    const { exitCode, stdout, stderr, requests } = await paginated(answer);
    expect([exitCode, stdout]).toEqual([9, '{"id":"a0"}\n']);
    expect(stderr).toBe(
      'error: the response says that the list continues, but not where\n' +
        '  --next says where the next page is, as a jq expression\n',
    );
    expect(requests).toHaveLength(1);
  });

  it('--next gives one result for a page', () => {
    expect(() => stepOf('a\nb\n')).toThrow('--next has more than one result for a page');
    for (const end of ['', 'null\n', 'false\n']) expect(stepOf(end)).toBeUndefined();
    expect(stepOf('//evil.example/x\n')).toEqual({ to: '//evil.example/x' });
  });
});
