// Limits by a clock that jumps, as it does for a process that was stopped.

import { once } from 'node:events';
import * as net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  setRunningTimeout,
  runningClock,
  createRunningClock,
  nextCheckMs,
} from '../../src/base/running-clock.ts';

const clockOfNode = () => performance.now();

/** A clock that can be put forward. */
function jumping() {
  let ahead = 0;
  return { clock: () => clockOfNode() + ahead, jump: (ms: number) => void (ahead += ms) };
}

describe('running time', () => {
  it('counts what passes, and of a time without a look no more than half a second', () => {
    let now = 1000;
    const ran = createRunningClock(() => now);
    const readings = [0, 200, 500, 60_000, 86_400_000, 1].map((ms) => {
      now += ms;
      return ran();
    });
    expect(readings).toEqual([0, 200, 700, 1200, 1700, 1701]);
  });

  it('is counted on by a clock that nobody asks', async () => {
    const clock = runningClock(clockOfNode);
    const start = clock();
    await sleep(1200);
    expect(clock() - start).toBeGreaterThan(1100);
  });
});

it('the next reading is in a quarter of a second, or when the time is over', () => {
  expect([0, 100, 250, 251, 60_000].map(nextCheckMs)).toEqual([0, 100, 250, 250, 250]);
});

describe('a limit', () => {
  it('is reached once the process has run for so long', async () => {
    const { clock, jump } = jumping();
    const start = performance.now();
    setTimeout(jump, 100, 60_000);
    await new Promise<void>((resolve) => void setRunningTimeout(900, resolve, clock));
    // The jump counts half a second.
    expect(performance.now() - start).toBeGreaterThan(350);
  });

  it('is not reached before what has arrived is read', async () => {
    const server = net.createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = net.connect((server.address() as net.AddressInfo).port, '127.0.0.1');
    const [there] = (await once(server, 'connection')) as [net.Socket];
    onTestFinished(() => {
      client.destroy();
      server.close();
    });
    const seen: string[] = [];
    client.on('data', () => seen.push('arrived'));
    await sleep(20);
    const limit = new Promise<void>((resolve) => void setRunningTimeout(5, resolve, clockOfNode));
    const over = limit.then(() => seen.push('limit'));
    there.write('x');
    const until = performance.now() + 30;
    while (performance.now() < until);
    await over;
    expect(seen).toEqual(['arrived', 'limit']);
  });

  it('that is cancelled is never reached', async () => {
    let reached = 0;
    const cancels = [1, 300].map((ms) => setRunningTimeout(ms, () => reached++, clockOfNode));
    for (const cancel of cancels) cancel();
    await sleep(400);
    expect(reached).toBe(0);
  });
});
