// A request as the tool sends it, and as curl sends it by the line of `--curl`: the same bytes, whatever was asked for.

import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  recordingServer,
  type RecordedRequest,
  type RecordingServer,
} from '../support/recording-server.ts';
import { temporaryFolder, testCli } from '../support/test-cli.ts';
import { retryPolicy, tell, times } from './times.ts';

const TOKEN = 'a-token-for-curl';
const execute = promisify(execFile);

/** The headers of the connection itself, and of the framing of a body. */
const FRAMING = new Set([
  'connection',
  'content-length',
  'host',
  'keep-alive',
  // Each call has a different ID.
  'x-request-id',
]);

const hostile = fc.constantFrom(
  ...`[ ] [1-3] {a,b} { } ' " \`id\` $HOME $(id) \\ !! * ? & # ; = % %2f @ ~ + é 🎉 - ..`.split(
    ' ',
  ),
  ' ',
);
const word = fc.string({ unit: fc.oneof(hostile, fc.constantFrom('a', 'b', '1')), maxLength: 5 });
const segment = word
  .map((text) => encodeURIComponent(text.replaceAll(/[\\#?]/g, '')))
  .filter((text) => !/^(?:\.|%2e)*$/i.test(text));
/** These characters need no escape in a typed path. */
const typedSegment = fc
  .string({
    unit: fc.constantFrom(
      'a',
      "'",
      '(',
      ')',
      '*',
      '!',
      '$',
      '&',
      ';',
      '=',
      ':',
      '@',
      '[',
      ']',
      '~',
    ),
  })
  // A value that begins with @ is a file name.
  .filter((text) => text !== '' && !text.startsWith('@'));
const headerName = fc.constantFrom('x-a', "x-'b", 'x-!c', 'x-$d', 'x-`e', 'user-agent', 'accept');
const headerValue = fc.oneof(
  fc.constant(''),
  fc.string({
    unit: fc.constantFrom('a', ' ', '\t', ';', ':', '"', "'", '$x', '`', '\\', '@', '!'),
  }),
);
const anyJson = fc.jsonValue({
  maxDepth: 2,
  stringUnit: fc.oneof(hostile, fc.constantFrom('\n', '\u001b', '\u202e', '\u007f')),
});

const line = fc.record({
  method: fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'),
  path: fc.array(fc.oneof(segment, typedSegment), { minLength: 1, maxLength: 3 }),
  typed: fc.option(fc.constantFrom('a[]=1&a[]=2', 'f[x]={1,2}', "q='x'", 'p=a*b?c&=', 'n')),
  query: fc.array(
    fc.tuple(
      word.filter((text) => !/^$|=/.test(text)),
      word,
    ),
    { maxLength: 2 },
  ),
  headers: fc.dictionary(headerName, headerValue, { maxKeys: 3 }),
  body: fc.option(anyJson),
});

type Line = typeof line extends fc.Arbitrary<infer T> ? T : never;

/** The words after `social`, and what stands on standard input. */
function wordsOf({ method, path, typed, query, headers, body }: Line) {
  const hasBody = body !== null && ['POST', 'PUT', 'PATCH'].includes(method);
  const argv = [
    'api',
    method,
    `/${path.join('/')}${typed === null ? '' : `?${typed}`}`,
    ...query.map(([name, value]) => `--query=${name}=${value}`),
    ...Object.entries(headers).map(([name, value]) => `--header=${name}: ${value}`),
    ...(hasBody ? ['--input', '-'] : []),
    '--yes',
  ];
  return { argv, stdin: hasBody ? JSON.stringify(body) : '' };
}

const seen = ({ method, target, headers, body }: RecordedRequest) => ({
  method,
  target,
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !FRAMING.has(name))),
  // An escape instead of what cannot be seen is the same JSON.
  body: body === '' ? '' : (JSON.parse(body) as unknown),
});

async function bothWays(argv: readonly string[], stdin: string, service: RecordingServer) {
  const { social } = testCli();
  const env = { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: TOKEN };
  const before = service.requests.length;
  const own = await social([...argv, '-q'], { env, stdin });
  expect(own).toMatchObject({ exitCode: 0 });
  const shown = await social([...argv, '--curl'], { env: { SOCIAL_BASE_URL: service.url }, stdin });
  expect(shown).toMatchObject({ exitCode: 0, stderr: '' });
  expect(service.requests).toHaveLength(before + 1);
  const shell = { PATH: process.env['PATH'], SOCIAL_TOKEN: TOKEN, no_proxy: '*', HOME: '/nowhere' };
  const script = join(temporaryFolder(), 'line.sh');
  writeFileSync(script, shown.stdout);
  await execute('/bin/sh', ['-e', script], { env: shell });
  return { line: shown.stdout, requests: service.requests.slice(before) };
}

it(
  'any request is sent by curl unchanged, including brackets and empty headers',
  retryPolicy,
  async () => {
    const service = await recordingServer();
    let tried = 0;
    await fc.assert(
      fc.asyncProperty(line, async (each) => {
        const { argv, stdin } = wordsOf(each);
        const { requests } = await bothWays(argv, stdin, service);
        const [own, curl] = requests.map(seen);
        expect(curl).toStrictEqual(own);
        tried++;
      }),
      times(20, 500),
    );
    expect(tried).toBeGreaterThanOrEqual(20);
    tell(`${tried} requests, each the same by curl`);
  },
);

it.each([
  [['api', 'GET', '/v1/a?x[]=1&y={a,b}'], ''],
  [['api', 'GET', '/v1/a', '-H', 'X-Empty:'], ''],
  [['api', 'HEAD', '/v1/a'], ''],
  [['api', 'POST', '/v1/a', '--input', '-'], JSON.stringify('ü'.repeat(400_000))],
  [['api', 'PATCH', '/v1/a', '--input', '-'], '{ "a":\n\t"@b" }'],
] as const)('with %j the bytes of the body are unchanged too', async (argv, stdin) => {
  const { requests } = await bothWays(argv, stdin, await recordingServer());
  const [own, curl] = requests;
  expect(seen(curl!)).toStrictEqual(seen(own!));
  expect(curl!.body === own!.body).toBe(true);
});
