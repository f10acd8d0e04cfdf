// Any bytes as an answer: the command ends in time, with a promised exit code, without a stack, and a change that
// was sent is never sent again.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { failureKinds } from '../../src/base/errors.ts';
import { CANARY } from '../support/token-leak-check.ts';
import { rawResponse, misbehavingServer } from '../support/misbehaving-server.ts';
import { testCli } from '../support/test-cli.ts';
import { retryPolicy, tell, times } from './times.ts';

const data = JSON.stringify({
  id: 'PostSpringLaunch',
  title: 'Spring é🎉',
  status: 'failed',
  targets: [
    {
      id: 'TargetSpringLink',
      platform: 'linkedin',
      status: 'failed',
      updatedAt: '2026-03-02T12:00:00Z',
    },
  ],
});
const wholes = [
  rawResponse('200 OK', {}, `{"ok":true,"data":${data}}`),
  rawResponse(
    '429 Too Many',
    { 'retry-after': '7' },
    '{"ok":true,"error":{"code":"slow","message":"Slow."}}',
  ),
  rawResponse('502 Bad Gateway', { 'content-type': 'text/html' }, '<html>gateway</html>'),
  rawResponse(
    '404 Not Found',
    {},
    '{"ok":false,"error":{"code":"none","message":"None.","details":[1,{"a":"b"}]}}',
  ),
  Buffer.from(
    `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1a\r\n{"ok":true,"data":{"id":""\r\n2\r\n}}\r\n0\r\n\r\n`,
  ),
];

type Mutation = (bytes: Buffer) => Buffer;

const place = fc.double({ min: 0, max: 1, noNaN: true });
const at = (bytes: Buffer, where: number) => Math.floor(where * bytes.length);
const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.tuple(place, fc.nat(255)).map(([where, byte]): Mutation => (bytes) => {
    const copy = Buffer.from(bytes);
    if (copy.length > 0) copy[at(copy, where)] = byte;
    return copy;
  }),
  place.map(
    (where): Mutation =>
      (bytes) =>
        bytes.subarray(0, at(bytes, where)),
  ),
  fc.tuple(place, place).map(
    ([from, to]): Mutation =>
      (bytes) =>
        Buffer.concat([bytes.subarray(0, at(bytes, from)), bytes.subarray(at(bytes, to))]),
  ),
  fc
    .tuple(
      place,
      fc.constantFrom(
        '\r\n',
        '\0',
        '{',
        '[[[[',
        '"',
        'null',
        '1e999',
        '\u00ff',
        '__proto__',
        '-1',
        ' ',
      ),
    )
    .map(
      ([where, text]): Mutation =>
        (bytes) =>
          Buffer.concat([
            bytes.subarray(0, at(bytes, where)),
            Buffer.from(text, 'latin1'),
            bytes.subarray(at(bytes, where)),
          ]),
    ),
);
const answers = fc.oneof(
  {
    weight: 9,
    arbitrary: fc
      .tuple(fc.constantFrom(...wholes), fc.array(mutation, { minLength: 1, maxLength: 4 }))
      .map(([whole, all]) => all.reduce((bytes, mutate) => mutate(bytes), whole)),
  },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
);

const promised = new Set<number>([
  0,
  ...Object.values(failureKinds).map(({ exitCode }) => exitCode),
]);
const lines = [
  ['posts', 'get', 'PostSpringLaunch'],
  ['accounts', 'bluesky', 'send', 'convo-1', '-a', 'AccountBlueskyAA', '--text', 'hi', '--json'],
];

it('any response ends a command with a known exit code', retryPolicy, async () => {
  let answer: Buffer = Buffer.alloc(0);
  const service = await misbehavingServer((socket) => void socket.end(answer));
  const { social } = testCli();
  const env = { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: CANARY };
  let [tried, changes, slowest] = [0, 0, 0];
  await fc.assert(
    fc.asyncProperty(answers, fc.nat(1), async (bytes, which) => {
      answer = bytes;
      const start = performance.now();
      const argv = [...lines[which]!, '--retries', '0', '--timeout', '2s'];
      const { exitCode, stdout, stderr } = await social(argv, { env });
      slowest = Math.max(slowest, performance.now() - start);
      tried++;
      changes += which;
      const isCrash = exitCode === 1 || !promised.has(exitCode) || /\n\s+at .*:\d+/.test(stderr);
      if (isCrash) throw new Error(`ended with ${exitCode}: ${stderr}`);
      if (exitCode !== 0 && stdout !== '') throw new Error(`printed ${stdout} and failed`);
    }),
    times(300, 200_000),
  );
  expect(service.requests('POST')).toBe(changes);
  expect(slowest).toBeLessThan(5000);
  tell(
    `${tried} mutated answers, 0 crashes, 0 hangs (slowest ${Math.round(slowest)} ms), 0 stacks, ${changes} changes of which 0 repeated`,
  );
});
