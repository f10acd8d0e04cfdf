// `social api`: what leaves, what is refused here, and what a lost answer means for a request of which nothing is
// known.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { targetOf } from '../../../src/commands/api/request.ts';
import {
  recordingServer,
  errorResponse,
  successResponse,
  type StubResponse,
} from '../../support/recording-server.ts';
import { misbehavingServer } from '../../support/misbehaving-server.ts';
import { serviceAt } from '../../support/terminal.ts';
import { temporaryFolder, testCli } from '../../support/test-cli.ts';
import { splitWords } from '../../support/shell-words.ts';

/** Runs a line; `folder` holds its settings and its state. */
const social = (
  argv: readonly string[],
  {
    folder,
    env = {},
    input = '',
  }: { folder?: string; env?: Record<string, string>; input?: string } = {},
) => testCli(folder).social(argv, { env, stdin: input });

const api = async (
  argv: readonly string[],
  { answer = successResponse(), input = '' }: { answer?: StubResponse; input?: string } = {},
) => {
  const service = await recordingServer(answer);
  const outcome = await social(['api', ...argv], { env: serviceAt(service.url), input });
  return { ...outcome, requests: service.requests, connections: service.connections() };
};

/** Returns the output for a read of this body. */
const shown = async (body: string, ...flags: string[]) =>
  (await api(['GET', '/v1/a', ...flags], { answer: { body } })).stdout;

/** A service that answers so once, and then well. */
const once = (status: number) =>
  recordingServer((number) => (number === 1 ? { status } : successResponse()));

describe('a request', () => {
  it.each([
    ['GET /v1/queue', 'GET', '/v1/queue', ''],
    ['get /v1/queue', 'GET', '/v1/queue', ''],
    [
      'GET /v1/queue?limit=5 -f after=a&b -F deep=[1]',
      'GET',
      '/v1/queue?limit=5&after=a%26b&deep=%5B1%5D',
      '',
    ],
    ['GET /v1/queue?limit=5&x=1 -f limit=6 --query limit=7', 'GET', '/v1/queue?x=1&limit=7', ''],
    ['DELETE /v1/media/abc --yes -f force=true', 'DELETE', '/v1/media/abc?force=true', ''],
    ['POST /v1/media', 'POST', '/v1/media', ''],
    ['POST /v1/media -f a=1 -F b=2 -F c=null', 'POST', '/v1/media', '{"a":"1","b":2,"c":null}'],
    ['PUT /v1/a -f o[]=2 -F o[]=3 -f p[]=', 'PUT', '/v1/a', '{"o":["2",3],"p":[""]}'],
    [
      'POST /v1/a -F n=9007199254740991 -f __proto__=x',
      'POST',
      '/v1/a',
      '{"__proto__":"x","n":9007199254740991}',
    ],
    ['GET /v1/tags/é%2F(x) ', 'GET', '/v1/tags/%C3%A9%2F(x)', ''],
  ])('%s', async (line, method, target, body) => {
    const { exitCode, requests } = await api(line.trim().split(' '));
    expect(exitCode).toBe(0);
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({ method, target, body });
    const { authorization, accept } = requests[0]!.headers;
    expect([authorization, accept]).toEqual(['Bearer a-token-of-the-test', 'application/json']);
    expect(requests[0]!.headers['content-type']).toBe(body === '' ? undefined : 'application/json');
  });

  it('sends a body unchanged, from a file and from standard input', async () => {
    const text = '{ "n": 9007199254740993,\n  "é": "\\u00e9" }';
    const piped = await api(['POST', '/v1/a', '--input', '-'], { input: `${text}\n` });
    expect(piped.requests[0]).toMatchObject({ body: text });
    const file = join(temporaryFolder(), 'body.json');
    writeFileSync(file, text);
    const type = 'Content-Type: application/merge-patch+json';
    const read = await api(['PUT', '/v1/a', '--input', file, '-H', type]);
    expect(read.requests[0]).toMatchObject({
      body: text,
      headers: { 'content-type': 'application/merge-patch+json' },
    });
  });

  it('sends headers of the line, and secret ones of a file, which no output shows', async () => {
    const plain = ['GET', '/v1/a', '-H', 'Accept-Language: de', '--header-file', '-'];
    const input = 'X-Api-Key: hunter2hunter2\nX-Trace:1\n';
    const { requests } = await api(plain, { input });
    expect(requests[0]!.headers).toMatchObject({
      'accept-language': 'de',
      'x-api-key': 'hunter2hunter2',
      'x-trace': '1',
    });
    for (const flag of ['--dry-run', '--curl', '--debug']) {
      const { stdout, stderr } = await api([...plain, flag], { input });
      expect(stdout + stderr).toContain('x-api-key: [redacted]');
      expect(stdout + stderr).not.toContain('hunter2');
    }
  });

  it('goes below a base URL with a path', async () => {
    const service = await recordingServer();
    const env = { SOCIAL_BASE_URL: `${service.url}/social/`, SOCIAL_TOKEN: 'a-token-of-the-test' };
    await social(['api', 'GET', '/v1/a'], { env });
    expect(service.requests.map(({ target }) => target)).toEqual(['/social/v1/a']);
  });
});

describe('nothing is sent', () => {
  it.each([
    [['GET', 'https://me:hunter2@evil.example/v1'], 'path must be a path, without the address'],
    [['GET', '//evil.example/v1'], 'path has an empty segment'],
    [['DELETE', '/v1/ads/audiences/', '--yes'], 'path has an empty segment'],
    [['GET', '/v1/posts/../../admin'], 'path contains ".."'],
    [['GET', '/v1/posts/%2E%2e/x'], 'path contains "%2E%2e"'],
    [['GET', '/v1/posts/{postId}'], 'path contains "{postId}"'],
    [['GET', '/v1/a b'], 'path contains " "\n  percent-encode it, or replace it'],
    [['GET', '/\\evil.example/a'], 'path contains "\\"'],
    [['GET', '/v1/100%'], 'path contains "%"'],
    [['GET', '/v1/a', 'b'], 'social api accepts 2 arguments, got 3: unexpected "b"'],
    [['GET', '/v1/a', '--input', '-'], '--input is not allowed: this method has no body'],
    [['POST', '/v1/a', '--input', '-', '-f', 'a=b'], '--input cannot be combined with -f and -F'],
    [['POST', '/v1/a', '--input', '-'], '--input is not JSON'],
    [['POST', '/v1/a', '-f', 'a'], '--field must be name=value (number 1 is not)'],
    [
      ['POST', '/v1/a', '-F', 'a=[9007199254740993]'],
      '--json-field "a" has a number past 2^53, which would be rounded',
    ],
    [['POST', '/v1/a', '-F', 'a=b'], '--json-field "a" has a value that is not JSON'],
    [['POST', '/v1/a', '-f', 'a=1', '-f', 'a[]=2'], 'field "a[]" conflicts with another field'],
    [['POST', '/v1/a', '-f', 'a[]=1', '-f', 'a=2'], 'field "a" conflicts with another field'],
    [
      ['POST', '/v1/a', '-f', 'a[b]=1'],
      'field "a[b]" must be a name or name[]\n  an object is JSON',
    ],
    [
      ['POST', '/v1/webhooks', '-f', 'secret=hunter2hunter2'],
      '--field "secret": secrets are not accepted on the command line',
    ],
    [['GET', '/v1/a', '-H', 'nothing'], "--header must be 'Name: value'"],
    [['GET', '/v1/a', '-H', 'a b: c'], '--header "a b" is not a header name'],
    [['GET', '/v1/a', '-H', 'a: b\r\nc: d'], '--header the value of a contains a character'],
    [['GET', '/v1/a', '-H', 'x: 1', '-H', 'X: 2'], '--header must not repeat a name'],
    [
      ['GET', '/v1/a', '-H', 'X-Api-Key: hunter2'],
      '--header must not have the value of "X-Api-Key", which is a secret\n  put "X-Api-Key: …" into a file for --header-file',
    ],
    [['GET', '/v1/a', '-o', 'tsv'], '--output cannot be tsv: the result is JSON'],
    [
      ['POST', '/v1/a', '-f', 'a=b', '-H', 'content-type: text/plain'],
      '--header content-type must be JSON',
    ],
    ...splitWords(
      'Authorization Host content-length Transfer-Encoding connection accept-encoding',
    ).map((name): [string[], string] => [
      ['GET', '/v1/a', '-H', `${name}: x`],
      `--header cannot set ${name.toLowerCase()}: social sets it`,
    ]),
  ])('%j', async (argv, why) => {
    const { exitCode, stdout, stderr, connections } = await api(argv);
    expect({ exitCode, stdout, connections }).toEqual({ exitCode: 2, stdout: '', connections: 0 });
    expect(stderr).toContain(why);
    expect(stderr).not.toContain('hunter2');
  });

  it('when several faults are reported at once', async () => {
    const { stderr } = await api(['GRAB', 'v1/{a}', '-f', 'a', '-H', 'host: x']);
    expect(stderr).toContain('error: 4 errors; nothing was sent');
  });

  it.each([['--dry-run'], ['--curl']])('with %s, and secrets are masked', async (flag) => {
    const body = '{"secret":"hunter2hunter2","customHeaders":{"x":"hunter3hunter3"},"name":"n"}';
    const argv = ['POST', '/v1/webhooks', '--input', '-', '-H', 'X-Id: 4', flag];
    const { exitCode, stdout, connections } = await api(argv, { input: body });
    expect({ exitCode, connections }).toEqual({ exitCode: 0, connections: 0 });
    expect(stdout).toContain('"name":"n"');
    expect(stdout).not.toMatch(/hunter/);
  });

  it.each(['method', 'url', 'headers', 'accept'])(
    'shows a whole request whose code is "%s"',
    async (code) => {
      const path = `/v1/connect/telegram/access-code/${code}`;
      const argv = ['api', 'GET', path, '-n', '-C', 'sandbox', '-H', 'X-A: b'];
      const { exitCode, stdout } = await social(argv);
      expect(exitCode).toBe(0);
      expect(stdout).toMatch(/^GET http\S+\/access-code\/\[redacted\]\n/);
      expect(stdout).toMatch(/^accept: /m);
      expect(stdout).toContain('x-a: b\n');
    },
  );
});

describe('a response', () => {
  it.each([
    ['{"ok":true,"data":{"a":1}}', '{"a":1}\n', ''],
    ['{"ok":true,"data":[1,9007199254740993]}', '[1,9007199254740993]\n', ''],
    ['{"ok":true,"data":null}', 'null\n', ''],
    ['[{"a":1}]', '[{"a":1}]\n', ''],
    ['{"a":1}', '{"a":1}\n', ''],
    [
      '{"ok":true,"data":[],"next":"c"}',
      '[]\n',
      'warning: the response has next beside its data; --whole shows all of it\n',
    ],
  ])('%s', async (body, stdout, stderr) => {
    expect(await api(['GET', '/v1/a'], { answer: { body } })).toMatchObject({
      exitCode: 0,
      stdout,
      stderr,
    });
  });

  it('is shown whole on request', async () => {
    const body = '{"ok":true,"data":[],"next":"c"}';
    const { stdout, stderr } = await api(['GET', '/v1/a', '--whole'], { answer: { body } });
    expect({ stdout, stderr }).toEqual({ stdout: `${body}\n`, stderr: '' });
  });

  it('has status and headers with -i', async () => {
    const answer = { body: '{"ok":true,"data":{"id":"x"}}', headers: { 'x-a': 'b\u009b31m' } };
    const { stdout } = await api(['-i', '/v1/a'], { answer });
    expect(stdout).not.toContain('\u009b');
    expect(JSON.parse(stdout)).toMatchObject({
      status: 200,
      headers: { 'x-a': 'b\u009b31m' },
      body: { id: 'x' },
    });
  });

  it('to HEAD is its headers', async () => {
    const argv = ['HEAD', '/v1/a', '--jq', '.status, .headers["x-a"]'];
    const { exitCode, stdout, requests } = await api(argv, { answer: { headers: { 'x-a': 'b' } } });
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '200\nb\n' });
    expect(requests[0]!.method).toBe('HEAD');
  });

  it.each([
    [errorResponse(403), 4],
    [errorResponse(410), 5],
    [errorResponse(422), 6],
    [errorResponse(200), 6],
    [{ body: '<html>' }, 9],
  ] as [StubResponse, number][])('ends as everywhere: %#', async (answer, code) => {
    const { exitCode, stdout } = await api(['GET', '/v1/a', '--retries', '0'], { answer });
    expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: '' });
  });

  it('is JSON whatever the output setting, and one item per line with -o ndjson', async () => {
    const list = '{"ok":true,"data":{"total":2,"items":[{"id":"a","n":1},{"id":"b"}]}}';
    const bare = '{"ok":true,"data":["a","b"]}';
    expect(await shown(list, '--fields', 'total,items.id')).toBe(
      '{"total":2,"items":[{"id":"a"},{"id":"b"}]}\n',
    );
    expect(await shown(list, '--jq', '.items[] | [.id, .n] | @tsv')).toBe('a\t1\nb\t\n');
    expect(await shown(bare, '-o', 'ndjson')).toBe('"a"\n"b"\n');
    const service = await recordingServer({ body: bare });
    const env = { ...serviceAt(service.url), SOCIAL_OUTPUT: 'table' };
    expect((await social(['api', '/v1/a'], { env })).stdout).toBe('["a","b"]\n');
  });

  it('without a requested field says which one is missing', async () => {
    const { exitCode, stdout, stderr } = await api(['GET', '/v1/a', '--fields', 'statsu'], {
      answer: successResponse('{"status":"x"}'),
    });
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '{}\n' });
    expect(stderr).toBe('warning: --fields: the response has no "statsu"\n');
  });

  it('is shown unchanged, except the ids and codes of pairings', async () => {
    const secret = '{"customHeaders":{"x":"a value"},"apiKey":"another"}';
    expect(await shown(`{"ok":true,"data":${secret}}`)).toBe(`${secret}\n`);
    const path = '/v1/connect/telegram/access-code/hunter2hunter2';
    const body = '{"ok":true,"data":{"code":"hunter2hunter2","text":"say hunter2hunter2"}}';
    const { stdout } = await api([path], { answer: { body } });
    expect(stdout).toBe('{"code":"[redacted]","text":"say [redacted]"}\n');
  });
});

describe('a retry', () => {
  const changes = ['POST', 'PUT', 'PATCH', 'DELETE'];

  it.each(changes)('never happens for a %s with a lost response', async (method) => {
    const service = await misbehavingServer((socket) => socket.resetAndDestroy());
    const argv = ['api', method, '/v1/posts/x', '--yes'];
    const { exitCode, stdout, stderr } = await social(argv, { env: serviceAt(service.url) });
    expect({ exitCode, stdout }).toEqual({ exitCode: 12, stdout: '' });
    expect(stderr).toContain('The request may have been applied. It was not retried.');
    // A POST creates something at an address that only the service knows.
    const made = method === 'POST';
    expect(stderr.includes('try: social api GET /v1/posts/x\n')).toBe(!made);
    expect(stderr.includes('Check in the service’s own console')).toBe(made);
    expect(service.requests()).toBe(1);
  });

  it.each([
    ['POST', '/v1/posts/PostSpringLaunch/retry', 'try: social posts get PostSpringLaunch\n'],
    [
      'POST',
      '/v1/posts/PostSpringLaunch/comments/reply',
      'Check the comments on the platform: the API cannot list them.',
    ],
    ['PATCH', '/v1/webhooks', 'the API cannot show a webhook'],
  ])(
    'never happens for %s %s, and the error names the read that shows the outcome',
    async (method, path, said) => {
      const service = await misbehavingServer((socket) => socket.resetAndDestroy());
      const { exitCode, stderr } = await social(['api', method, path], {
        env: serviceAt(service.url),
      });
      expect(exitCode).toBe(12);
      expect(stderr.replaceAll(/\s+/g, ' ')).toContain(said.trim());
      expect(stderr).not.toContain('api GET');
      expect(service.requests(method)).toBe(1);
    },
  );

  it('happens for a read, and for a change refused with 429', async () => {
    for (const [method, status] of [
      ['GET', 503],
      ['POST', 429],
    ] as const) {
      const { url, requests } = await once(status);
      const { exitCode } = await social(['api', method, '/v1/a'], { env: serviceAt(url) });
      expect([exitCode, requests.length]).toEqual([0, 2]);
    }
  });
});

describe('confirmation', () => {
  const danger = ['POST', '/v1/platform-app-credentials/CredentialOfOurs/disable'];

  it.each([
    ['DELETE of anything', ['DELETE', '/v1/media/abc'], 'This cannot be undone.'],
    ['a deletion of a command', ['DELETE', '/v1/ads/audiences/1'], 'deletes the audience'],
    ['a POST that deletes', danger, 'the API shows only afterwards how many'],
  ])('is asked before %s', async (_what, argv, why) => {
    const { exitCode, stderr, connections } = await api(argv);
    expect({ exitCode, connections }).toEqual({ exitCode: 2, connections: 0 });
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(why);
    expect(stderr).toContain(`try: social api ${argv.join(' ')} --yes\n`);
    expect((await api([...argv, '--confirm', argv[1]!])).requests).toHaveLength(1);
    const word = await api([...argv, '--confirm', argv[1]!.split('/').at(-1)!]);
    expect(word).toMatchObject({ exitCode: 2, connections: 0 });
  });

  it('is explained with the whole line to type', async () => {
    const { stderr } = await api(['DELETE', '/v1/media/abc', '-f', 'why=it is old', '-F', 'n=1']);
    expect(stderr).toContain("api DELETE /v1/media/abc -f 'why=it is old' -F n=1 --yes\n");
  });

  it('in a protected context is needed for every change, and --yes does not confirm a deletion', async () => {
    const service = await recordingServer();
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'config'), { mode: 0o700 });
    const contexts = { prod: { baseUrl: service.url, protected: true } };
    writeFileSync(
      join(folder, 'config', 'config.json'),
      JSON.stringify({ format: 1, context: 'prod', contexts }),
    );
    const env = { SOCIAL_TOKEN: 'a-token-of-the-test' };
    const codes = [];
    for (const argv of [
      ['GET', '/v1/a'],
      ['POST', '/v1/a'],
      ['POST', '/v1/a', '--yes'],
      ['DELETE', '/v1/a', '--yes'],
      ['DELETE', '/v1/a', '--confirm', '/v1/a'],
    ])
      codes.push((await social(['api', ...argv], { folder, env })).exitCode);
    expect(codes).toEqual([0, 2, 0, 2, 0]);
    expect(service.requests.map(({ method }) => method)).toEqual(['GET', 'POST', 'DELETE']);
  });
});

describe('any path', () => {
  const piece = fc.oneof(
    fc.constantFrom('\t', ' ', ...'/ // . .. %2e %2E. %2f \\ ? # @ : v1 https: %'.split(' ')),
    fc.string({ unit: 'binary', maxLength: 4 }),
  );
  /** The bytes that a path stands for, a character each. */
  const unescaped = (path: string) =>
    path
      .replaceAll(/[^\0-\x7f]/gu, encodeURIComponent)
      .replaceAll(/%[\da-f]{2}/gi, (escape) => String.fromCharCode(parseInt(escape.slice(1), 16)));
  const typed = fc.array(piece, { maxLength: 12 }).map((parts) => `/${parts.join('')}`);

  it.each(['https://api.example', 'https://api.example:8443/below'])(
    'stays at %s and is sent as typed, or is rejected',
    (base) => {
      fc.assert(
        fc.property(typed, (text) => {
          const target = targetOf(text, []);
          if (target === undefined) return;
          const url = new URL(base + target.path + (target.query === '' ? '' : `?${target.query}`));
          expect(url.origin).toBe(new URL(base).origin);
          expect(url.pathname).toBe(new URL(base).pathname.replace(/\/$/, '') + target.path);
          expect(unescaped(target.path)).toBe(unescaped(text.split('?')[0]!));
        }),
        { numRuns: 5000, seed: 20261121 },
      );
    },
  );
});
