// The process is stopped (Ctrl-Z, a lid that closes) past its limits. What has arrived meanwhile is not late.

import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { targetPost, targets } from '../support/posts.ts';
import { begin } from '../support/program.ts';
import {
  rawResponse,
  misbehavingServer,
  type SocketHandler,
} from '../support/misbehaving-server.ts';
import { needsUnix } from '../support/unix.ts';

const ID = 'PostForTheTestsA';
const STOPPED_MS = 1500;

/** The answer about the post in the path. */
const answerTo = (target: string) => {
  const id = target.split('/')[3]!;
  const data = { ...targetPost([targets.twitter('published')]), id };
  return rawResponse('200 OK', {}, JSON.stringify({ ok: true, data }));
};

/**
 * Runs a command, and stops it past its limit once `requests` have come. `meanwhile` is done for each of these then.
 */
async function stopped(
  argv: readonly string[],
  { requests = 1, stoppedMs = STOPPED_MS, before = () => undefined, meanwhile, after }: Course,
) {
  needsUnix('signals');
  const held: (() => void)[] = [];
  let allThere: () => void;
  const there = new Promise<void>((resolve) => (allThere = resolve));
  const service = await misbehavingServer((socket, number, target) => {
    if (number > requests) return after?.(socket, number, target);
    before(socket, number, target);
    held.push(() => meanwhile(socket, number, target));
    if (number === requests) allThere();
  });
  const env = { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: 'canary' };
  const running = begin(argv, { env });
  await there;
  process.kill(running.pid!, 'SIGSTOP');
  await sleep(50);
  for (const send of held) send();
  await sleep(stoppedMs);
  process.kill(running.pid!, 'SIGCONT');
  const { exitCode, stderr } = await running;
  return { exitCode, stderr, requests: service.requests() };
}

/** The fate of requests before the process is stopped, while it is stopped, and later. */
interface Course {
  readonly stoppedMs?: number;
  readonly requests?: number;
  readonly before?: SocketHandler;
  readonly meanwhile: SocketHandler;
  readonly after?: SocketHandler;
}

const whole: Course = {
  meanwhile: (socket, _number, target) => void socket.write(answerTo(target)),
};
const inParts: Course = {
  before: (socket, _number, target) => void socket.write(answerTo(target).subarray(0, 40)),
  meanwhile: (socket, _number, target) => void socket.write(answerTo(target).subarray(40)),
};

describe('a process that is suspended past its timeout', () => {
  it('still reads the response that waits in the socket: of a read, a change, a batch', async () => {
    const lines = [
      [['posts', 'get', ID], inParts, 1],
      [['posts', 'retry', ID], whole, 1],
      [['posts', 'retry', ID, 'PostForTheTestsB', '--concurrency', '2'], inParts, 2],
    ] as const;
    const runs = lines.map(async ([words, course, requests]) => {
      const line = [...words, '--timeout', '1s', '--retries', '0'];
      const { exitCode, requests: came } = await stopped(line, { ...course, requests });
      return { exitCode, more: came - requests };
    });
    expect(await Promise.all(runs)).toEqual(lines.map(() => ({ exitCode: 0, more: 0 })));
  });

  it('reports a change without response as unknown, and never sends it again', async () => {
    const asked: string[] = [];
    const late: Course = {
      before: (_socket, _number, target) => void asked.push(target),
      meanwhile: () => undefined,
      after: (socket, _number, target) => {
        asked.push(target);
        socket.destroy();
      },
    };
    const { exitCode } = await stopped(['posts', 'retry', ID, '--timeout', '1s'], late);
    expect(exitCode).toBe(12);
    expect(asked.filter((target) => target.endsWith('/retry'))).toHaveLength(1);
  });
});
