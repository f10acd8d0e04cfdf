// How long a request may take, measured where it arrives: from its last byte to the end of its connection. A limit
// three times as long is noticed.

import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { ID_LINE, withoutIds } from '../../support/request-ids.ts';
import { CANARY } from '../../support/token-leak-check.ts';
import { social } from '../../support/program.ts';
import { misbehavingServer, type SocketHandler } from '../../support/misbehaving-server.ts';

const LIMIT_MS = 600;

/** Sends the start and then a little for ever, so that no pause is long. */
function drip(socket: Socket, start: string, each: string): void {
  socket.write(start);
  const timer = setInterval(() => socket.write(each), 50);
  socket.on('close', () => clearInterval(timer));
}

const tricks: readonly (readonly [what: string, trick: SocketHandler, message: string])[] = [
  ['never comes', () => undefined, 'no response'],
  [
    'comes byte by byte',
    (socket) => drip(socket, 'HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n', ' '),
    'incomplete response',
  ],
];

describe('a response that', () => {
  it.each(tricks)('%s is aborted exactly after --timeout', async (_what, trick, message) => {
    const run = async (...argv: string[]) => {
      const lived: number[] = [];
      const service = await misbehavingServer((socket, ...rest) => {
        const from = performance.now();
        socket.once('close', () => lived.push(performance.now() - from));
        trick(socket, ...rest);
      });
      const env = { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: CANARY };
      const limits = [`--timeout=${LIMIT_MS}ms`, '--retries=0'];
      const start = performance.now();
      const { exitCode, stdout, stderr } = await social([...argv, ...limits], { env });
      await expect.poll(() => lived.length).toBe(service.requests());
      const took = performance.now() - start;
      return {
        exitCode,
        stdout,
        stderr,
        host: service.url.slice(7),
        took,
        lived,
        requests: service.requests(),
      };
    };
    const [read, change] = await Promise.all([
      run('posts', 'get', 'PostSpringLaunch'),
      run('posts', 'reply', 'PostSpringLaunch', '--target', 'TargetAutumnMast', '--text', 'hi'),
    ]);
    expect(read).toMatchObject({ exitCode: 9, stdout: '', requests: 1 });
    expect(withoutIds(read.stderr)).toBe(
      `error: ${message} from ${read.host} after 0.6s\n${ID_LINE}`,
    );
    expect(change).toMatchObject({ exitCode: 12, stdout: '', requests: 1 });
    expect(change.stderr).toContain(`error: ${message} from ${change.host} after 0.6s\n`);
    expect(change.stderr).toContain('The request may have been applied. It was not retried.');
    for (const ms of [...read.lived, ...change.lived]) expect(ms).toBeLessThan(LIMIT_MS * 2.5);
    for (const { took } of [read, change]) expect(took).toBeGreaterThan(LIMIT_MS);
  });
});
