// `webhooks replay`: what was stored goes out again with the same bytes, and each answer is shown.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recordOf, deliveryLine } from '../../../src/commands/webhooks/delivery.ts';
import { socialInProcess } from '../../support/in-process.ts';
import { freshHome } from '../../support/program.ts';
import { recordingServer } from '../../support/recording-server.ts';

const bodies = [
  '{"event":"post.failed","postId":"PostFlashSaleNow"}',
  '{"a":"é\\u0000"}\n',
  'ÿ\0\u0001',
];
const stored = bodies
  .map((text) =>
    deliveryLine(
      recordOf({
        time: 0,
        target: '/hook',
        headers: {
          'x-signature': ['sha256=abc'],
          authorization: ['Bearer canary-token'],
          connection: ['close'],
          'content-type': ['application/json'],
        },
        body: Buffer.from(text, text.startsWith('ÿ') ? 'latin1' : 'utf8'),
      }),
    ),
  )
  .join('');

async function replay(flags: readonly string[], file = stored, status = 200) {
  const server = await recordingServer((number) => ({ status: number === 1 ? status : 204 }));
  const home = freshHome();
  const path = join(home, 'deliveries.ndjson');
  writeFileSync(path, file);
  const line = ['webhooks', 'replay', '--from', path, '--forward-to', server.url, ...flags];
  const env = { SOCIAL_TOKEN: 'canary-of-the-service' };
  return { ...(await socialInProcess(line, { home, env })), requests: server.requests };
}

describe('webhooks replay', () => {
  it('sends the stored bytes and headers, but none that was masked, and no token', async () => {
    const { exitCode, stderr, requests } = await replay([]);
    expect(exitCode).toBe(0);
    expect(stderr).toContain('not sent, because they were stored masked: authorization\n');
    expect(stderr).toContain('3 deliveries answered with 2xx\n');
    expect(requests.map(({ bytes }) => bytes)).toEqual([
      Buffer.from(bodies[0]!),
      Buffer.from(bodies[1]!),
      Buffer.from(bodies[2]!, 'latin1'),
    ]);
    for (const { headers } of requests) {
      expect(headers).toMatchObject({
        'x-signature': 'sha256=abc',
        'content-type': 'application/json',
      });
      expect(headers['authorization']).toBeUndefined();
    }
  });

  it('shows each answer, repeats nothing, and ends with 11 if one was refused', async () => {
    const { exitCode, stdout, stderr, requests } = await replay([], stored, 500);
    expect([exitCode, requests.length]).toEqual([11, 3]);
    expect(stdout.replaceAll(/\d+ms/g, 'MS')).toBe(
      '1\tpost.failed\tPostFlashSaleNow\tHTTP 500\tMS\n2\t-\t-\tHTTP 204\tMS\n3\t-\t-\tHTTP 204\tMS\n',
    );
    expect(stderr).toContain('1 of 3 deliveries not answered with 2xx');
  });

  it('sends one by its line, as an object for a script', async () => {
    const { stdout, requests } = await replay(['--id', '1', '--json']);
    expect(requests).toHaveLength(1);
    expect(JSON.parse(stdout)).toMatchObject({
      id: 1,
      event: 'post.failed',
      status: 200,
      error: null,
    });
  });

  it.each([
    [stored, ['--id', '7'], '--id names line 7, which has no delivery'],
    ['{"a":1}\n', [], ' has no delivery\n  it takes a file of webhooks listen --append'],
    [`${stored}{"a":1}\n`, [], ' has no delivery on line 4\n'],
    ['', [], ' has no delivery\n'],
  ])('sends nothing of what it cannot read: %#', async (file, flags, words) => {
    const { exitCode, stderr, requests } = await replay(flags, file);
    expect({ exitCode, sent: requests.length }).toEqual({ exitCode: 2, sent: 0 });
    expect(stderr).toContain(words);
  });
});
