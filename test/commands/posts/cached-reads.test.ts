// Reads that decide what is retried, or whether a wait has ended, do not trust a cache.

import { expect, it } from 'vitest';
import { post as postOf, idOf } from '../../support/counting-server.ts';
import { recordingServer } from '../../support/recording-server.ts';
import { serviceAt } from '../../support/terminal.ts';
import { testCli } from '../../support/test-cli.ts';

const setup = (url: string) => {
  const { social } = testCli();
  return (...argv: string[]) => social(argv, { env: serviceAt(url) });
};

it.each([[['--failed']], [['--wait']]])(
  'posts retry %j sends nothing after a cached read of the post',
  async (flags) => {
    const service = await recordingServer((_number, { method }) => ({
      body: postOf(idOf(1), method === 'GET' ? 'failed' : 'publishing'),
      headers: method === 'GET' ? { age: '40' } : {},
    }));
    const run = setup(service.url);
    const { exitCode, stderr } = await run('posts', 'retry', idOf(1), ...flags, '--retries', '0');
    expect(exitCode).toBe(9);
    expect(stderr).toContain('came from a cache and is 40s old');
    expect(service.requests.map(({ method }) => method)).toEqual(['GET']);
    expect(service.requests[0]!.headers['cache-control']).toBe('no-cache');
  },
);

it('posts wait does not fail because of a cached read', async () => {
  const service = await recordingServer((number) => ({
    body: postOf(idOf(1), number < 3 ? 'failed' : 'published'),
    headers: number < 3 ? { age: '40' } : {},
  }));
  const { exitCode } = await setup(service.url)('posts', 'wait', idOf(1), '--interval', '50ms');
  expect([exitCode, service.requests.length]).toEqual([0, 3]);
});
