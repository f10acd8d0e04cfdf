// Requests meet faults as often as requested, and the same ones under the same seed.

import { expect, it } from 'vitest';
import { type ChaosPlan, createChaos } from '../../src/sandbox/chaos.ts';

const plan: ChaosPlan = {
  latency: { ms: 200, spreadMs: 100 },
  faults: [
    [429, 5],
    [503, 2],
    ['reset', 1],
    ['lost', 1],
  ],
};
const get = (n: number) => ({ method: 'GET', url: `/v1/posts/${n}`, headers: {} });
const requests = Array.from({ length: 4000 }, (_, i) => get(i % 1000));

it('chaos injects each fault at about its rate, and every delay within its limits', () => {
  const fates = requests.map(createChaos(plan, 7));
  const share = (fault: unknown) =>
    (100 * fates.filter((fate) => fate.fault === fault).length) / fates.length;
  for (const [fault, percent] of plan.faults) {
    expect(share(fault)).toBeGreaterThan(percent * 0.6);
    expect(share(fault)).toBeLessThan(percent * 1.5);
  }
  const delays = fates.map(({ delayMs }) => delayMs);
  expect(Math.min(...delays)).toBeGreaterThanOrEqual(100);
  expect(Math.min(...delays)).toBeLessThan(110);
  expect(Math.max(...delays)).toBeLessThanOrEqual(300);
  expect(Math.max(...delays)).toBeGreaterThan(290);
});

it('chaos repeats its faults for the same seed and requests, and differs for another seed', () => {
  const first = requests.map(createChaos(plan, 7));
  expect(requests.map(createChaos(plan, 7))).toEqual(first);
  expect(requests.map(createChaos(plan, 8))).not.toEqual(first);
});

it('chaos does not depend on the order of requests, only on how often one was repeated', () => {
  const [one, other] = [createChaos(plan, 7), createChaos(plan, 7)];
  const inOrder = Array.from({ length: 1000 }, (_, i) => one(get(i)));
  const reversed = Array.from({ length: 1000 }, (_, i) => other(get(999 - i)));
  expect(reversed.toReversed()).toEqual(inOrder);
  expect(Array.from({ length: 1000 }, (_, i) => one(get(i)))).not.toEqual(inOrder);
});

it('chaos distinguishes requests by method, address and body', () => {
  const base = { method: 'POST', url: '/v1/webhooks', headers: {}, body: '{}' };
  const others = [
    { ...base, method: 'PATCH' },
    { ...base, url: '/v1/webhook' },
    { ...base, body: '{ }' },
  ];
  const delay = (request: typeof base) => {
    const fateOf = createChaos({ latency: { ms: 1e6, spreadMs: 1e6 }, faults: [] }, 1);
    return fateOf(request).delayMs;
  };
  expect(new Set([base, ...others].map(delay)).size).toBe(4);
  expect(delay({ ...base, headers: { authorization: 'Bearer x' } })).toBe(delay(base));
});
