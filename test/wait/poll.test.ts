// The failures that a wait tolerates and those that end it, on a clock that the test moves: an hour of it takes a
// moment. The service answers over a real socket.

import { describe, expect, it } from 'vitest';
import { countingServer, post, refused, type Reply } from '../support/counting-server.ts';
import { testCli } from '../support/test-cli.ts';

const ID = 'PostSpringLaunch';
const down: Reply = { status: 503, body: refused('down', 'Down.') };
const state = (status: string, more: object = {}): Reply => ({ body: post(ID, status, more) });

async function run(
  line: string,
  reply: (method: string, time: number, clock: { now: number }) => Reply,
  random = 0.5,
) {
  const { social, clock } = testCli();
  const times: number[] = [];
  const service = await countingServer((_id, method, time) => {
    times.push(clock.now);
    return reply(method, time, clock);
  });
  const start = clock.now;
  const outcome = await social([...line.split(' '), '-q'], {
    env: { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: 'token' },
    random,
  });
  const seconds = times.slice(1).map((at, i) => (at - times[i]!) / 1000);
  return {
    ...outcome,
    counts: Object.fromEntries(service.counts),
    seconds,
    tookMs: clock.now - start,
  };
}

const wait = `posts wait ${ID}`;

it.each([
  ['3s', [3, 3.75], 15],
  ['40s', [40, 40], 40],
])('polls %s apart grow to a limit, the last at the timeout', async (interval, first, most) => {
  const { exitCode, seconds } = await run(`${wait} --interval ${interval}`, () =>
    state('publishing'),
  );
  expect([exitCode, seconds.slice(0, 2), seconds.at(-3)]).toEqual([8, first, most]);
  expect(seconds.reduce((sum, each) => sum + each)).toBe(600);
});

it.each([
  [1, [2, 4, 8, 16, 32, 60, 60, 60, 60]],
  [0, [1, 2, 4, 8, 16, 32, 60, 60, 60]],
])('polls fail further apart each time, with jitter %d', async (random, gaps) => {
  const line = `${wait} --wait-timeout 1h`;
  const failing = (_method: string, time: number) => (time === 1 ? state('publishing') : down);
  expect((await run(line, failing, random)).seconds).toEqual([3, ...gaps]);
});

it('a response resets the count of failures', async () => {
  const states = [state('publishing'), down, down, state('publishing'), down];
  const { seconds } = await run(wait, (_method, time) => states[time - 1] ?? state('published'), 1);
  expect(seconds).toEqual([3, 2, 4, 5.859375, 2]);
});

it('the wait of a change that is not needed begins after the read that found this', async () => {
  const { exitCode, tookMs } = await run(
    `posts retry ${ID} --failed --wait`,
    (_method, time, clock) => {
      if (time === 1) clock.now += 540_000;
      return state('publishing');
    },
  );
  expect({ exitCode, tookMs }).toEqual({ exitCode: 8, tookMs: 1_140_000 });
});

it('a wait whose last poll fails ends at its timeout, with the last state', async () => {
  const { exitCode, stdout, tookMs } = await run(`${wait} --wait-timeout 1m`, (_method, time) =>
    time === 1 ? state('publishing') : down,
  );
  expect({ exitCode, tookMs }).toEqual({ exitCode: 8, tookMs: 60_000 });
  expect(stdout).toContain('publishing');
});

describe('consecutive failed polls', () => {
  it('may fail in different ways: a 5xx, a cut connection, a 429 with Retry-After', async () => {
    const bad: readonly Reply[] = [
      down,
      { cut: true },
      { status: 429, headers: { 'retry-after': '9' }, body: refused('slow', 'Wait.') },
    ];
    const { exitCode, seconds } = await run(
      wait,
      (_method, time) => bad[time - 2] ?? state(time === 1 ? 'publishing' : 'published'),
    );
    expect(exitCode).toBe(0);
    // On a connection that was used before, a read whose answer is lost is made again at once.
    expect(seconds).toEqual([3, 1.5, 0, 9]);
  });

  it.each([
    ['a 503', down, 9, 11],
    // The first of them on a connection that was used before is made again at once.
    ['a cut connection', { cut: true }, 9, 12],
    ['a 429', { status: 429, body: refused('slow', 'Wait.') }, 7, 11],
  ])('end the wait after ten of %s, with that failure', async (_what, bad, exit, count) => {
    const { exitCode, counts, stdout, stderr } = await run(
      `${wait} --wait-timeout 1h`,
      (_m, time) => (time === 1 ? state('publishing') : bad),
    );
    expect({ exitCode, counts, stdout }).toEqual({
      exitCode: exit,
      counts: { [`GET ${ID}`]: count },
      stdout: '',
    });
    expect(stderr).toContain('10 polls failed in a row');
    expect(stderr).toContain(`try: social posts wait ${ID} --wait-timeout 1h --quiet\n`);
  });

  it('after an accepted retry end with 8 and the last state: it is not sent again', async () => {
    const { exitCode, counts, stdout, stderr } = await run(
      `posts retry ${ID} --wait --wait-timeout 1h`,
      (method, time) =>
        method === 'POST' ? state('publishing') : time === 1 ? state('failed') : down,
    );
    expect({ exitCode, counts }).toEqual({
      exitCode: 8,
      counts: { [`GET ${ID}`]: 11, [`POST ${ID}`]: 1 },
    });
    expect(stdout).toContain('publishing');
    expect(stderr).toContain('10 polls failed in a row');
    expect(stderr).toContain(
      `try: social posts wait ${ID} --target TargetSpringLink --wait-timeout 1h --quiet\n`,
    );
  });

  it('with a longer pause than the timeout allows end the wait at once', async () => {
    const { exitCode, counts, stderr } = await run(wait, (_method, time) =>
      time === 1 ? state('publishing') : { ...down, headers: { 'retry-after': '4000' } },
    );
    expect({ exitCode, counts }).toEqual({ exitCode: 7, counts: { [`GET ${ID}`]: 2 } });
    expect(stderr).toContain('the service asks to wait longer than the wait timeout');
  });
});

describe('a target that still reads as failed, as before the retry', () => {
  const retry = `posts retry ${ID} --wait`;

  it('is not started for 30 s, and failed after that', async () => {
    const { exitCode, tookMs } = await run(retry, () => state('failed', { error: 'Timed out.' }));
    expect(exitCode).toBe(10);
    expect(tookMs).toBeGreaterThanOrEqual(30_000);
    expect(tookMs).toBeLessThan(45_000);
  });

  it('has failed at once when its update time differs', async () => {
    const { exitCode, tookMs } = await run(retry, (_method, time) =>
      state('failed', time === 1 ? {} : { updatedAt: '2026-03-02T12:01:00.000Z' }),
    );
    expect(exitCode).toBe(10);
    expect(tookMs).toBeLessThan(10_000);
  });
});

const due = (inMs: number, more: object = {}) => {
  const { data } = JSON.parse(post(ID, 'scheduled')) as { data: object };
  const scheduledFor = new Date(Date.UTC(2026, 2, 2, 12) + inMs).toISOString();
  return { body: JSON.stringify({ ok: true, data: { ...data, scheduledFor, ...more } }) };
};

const said = async (line: string, reply: Reply) => {
  const { social } = testCli();
  const service = await countingServer(() => ({
    ...reply,
    // The clock of the service is an hour behind.
    headers: { date: 'Mon, 02 Mar 2026 11:00:00 GMT' },
  }));
  const env = { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: 'token' };
  return social(line.split(' '), { env });
};

describe('a post scheduled later than the timeout of the wait', () => {
  it('is reported at once, and the wait ends with 8 as usual', async () => {
    const { exitCode, stderr } = await said(wait, due(3 * 86_400_000));
    expect(exitCode).toBe(8);
    const [first] = stderr.split('\n').filter((line) => !line.startsWith('warning'));
    expect(first).toBe(
      `post ${ID} is scheduled for 2026-03-05T12:00:00.000Z (in 3d 1h), but this wait ends after 10m`,
    );
  });

  it('is reported too when only its target has a time', async () => {
    const scheduledFor = '2026-03-05T12:00:00Z';
    const targets = [{ id: 'T', status: 'scheduled', scheduledFor }];
    const { exitCode, stderr } = await said(wait, due(0, { scheduledFor: undefined, targets }));
    expect(exitCode).toBe(8);
    expect(stderr).toContain(`post ${ID} is scheduled for ${scheduledFor} (in 3d 1h), but this`);
  });

  it('is not reported when it has targets that move already', async () => {
    const targets = [{ id: 'T', status: 'publishing' }];
    const { exitCode, stderr } = await said(wait, due(86_400_000, { targets }));
    expect(exitCode).toBe(8);
    expect(stderr).not.toContain('is scheduled for');
  });
});
