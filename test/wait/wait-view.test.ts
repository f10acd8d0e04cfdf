// What a look at a wait shows, for a terminal of a known size: without a service.

import { describe, expect, it } from 'vitest';
import { telegramSession } from '../../src/api/operations/connect.ts';
import { waitForPost } from '../../src/api/operations/wait-for-post.ts';
import type { CallContext } from '../../src/client/call-context.ts';
import { createWaitView } from '../../src/wait/live-view.ts';

const NOON = Date.UTC(2026, 2, 2, 12);
const T = '2026-03-02T12:00:00.000Z';
const part = (n: number, status: string) => ({
  id: `Target${n}`,
  platform: 'linkedin',
  status,
  updatedAt: T,
});
const post = (...statuses: readonly string[]) => ({
  id: 'PostOfATest',
  status: 'publishing',
  targets: statuses.map((status, i) => part(i, status)),
});

/** Looks of a wait on a terminal of this size. */
function looks(
  size: { columns?: number; rows?: number },
  { operation = waitForPost, live = true, accessible = false } = {},
) {
  const clock = { now: 5000 };
  const runtime = {
    env: { LANG: 'C.UTF-8' },
    stderr: { isTTY: true, columns: undefined, write: async () => undefined, ...size },
    now: () => NOON,
    monotonic: () => clock.now,
  };
  const settings = { utc: true, wide: false, accessible, color: 'never' };
  const callContext = { runtime, settings, operation } as unknown as CallContext;
  const view = createWaitView(callContext, { timeoutMs: 60_000 }, operation, live);
  const look = (data: unknown, elapsedMs = 0) => view({ data, warnings: [] }, 'so', elapsedMs);
  return { look, clock };
}

describe('the table of a look', () => {
  const many = post(...Array<string>(40).fill('published'));
  const linesAt = async (rows: number | undefined) => {
    const { look } = looks(rows === undefined ? { columns: 100 } : { columns: 100, rows });
    return (await look(many)).body.split('\n').length;
  };

  it('has the lines of the screen but five, and those of 24 where it is not known', async () => {
    expect(await linesAt(30)).toBe(25);
    expect(await linesAt(20)).toBe(15);
    expect(await linesAt(undefined)).toBe(19);
    expect(await linesAt(200)).toBeGreaterThan(40);
  });

  it('fits a terminal, also one whose width is not known', async () => {
    const wide = post('published');
    for (const [columns, most] of [
      [undefined, 79],
      [100, 99],
      [61, 60],
      [60, 59],
    ] as const) {
      const { look } = looks(columns === undefined ? {} : { columns });
      const lines = (await look(wide)).body.split('\n');
      expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(most);
    }
  });

  it('is none where nothing is drawn', async () => {
    const { look } = looks({ columns: 100 }, { live: false });
    expect((await look(many)).body).toBe('');
  });
});

describe('what is new at a look', () => {
  it('is each status at first, and then those that changed', async () => {
    const { look } = looks({ columns: 100 });
    expect((await look(post('publishing', 'failed'))).changes).toEqual([
      '+0s linkedin Target0 publishing',
      '+0s linkedin Target1 failed',
    ]);
    expect((await look(post('publishing', 'failed'), 1499)).changes).toEqual([]);
    expect((await look(post('published', 'failed'), 1500)).changes).toEqual([
      '+2s linkedin Target0 publishing → published',
    ]);
  });

  it('is said in words where it is read aloud', async () => {
    const { look } = looks({}, { live: false, accessible: true });
    await look(post('publishing'));
    expect((await look(post('published'), 3000)).changes).toEqual([
      '+3s linkedin Target0 publishing, now published',
    ]);
  });
});

describe('the headline of a look', () => {
  it('runs on, and leaves out what would wrap', async () => {
    const { look, clock } = looks({ columns: 100 });
    const { headline } = await look(post('publishing'), 1000);
    expect(headline()).toBe('so; timeout in 0:59; 1s elapsed');
    clock.now += 2900;
    expect(headline()).toBe('so; timeout in 0:57; 3s elapsed');
    const whole = 'so; timeout in 1:00; 0s elapsed';
    const at = async (columns: number) =>
      (await looks({ columns }).look(post('publishing'))).headline();
    expect(await at(whole.length + 3)).toBe(whole);
    expect(await at(whole.length + 2)).toBe('so; timeout in 1:00');
    expect((await looks({}).look(post('publishing'))).headline()).toBe(whole);
  });

  it.each([
    ['2026-03-02T12:01:30.000Z', 'so; expires in 1:30; timeout in 1:00; 0s elapsed'],
    ['soon', 'so; timeout in 1:00; 0s elapsed'],
    [5, 'so; timeout in 1:00; 0s elapsed'],
  ])('of a pairing that expires %s: %s', async (expiresAt, shown) => {
    const { look } = looks({ columns: 100 }, { operation: telegramSession });
    expect((await look({ status: 'new', expiresAt })).headline()).toBe(shown);
  });
});
