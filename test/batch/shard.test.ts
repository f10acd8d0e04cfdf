// The share of a machine: every record is in exactly one, for ever and on every machine.

import { describe, expect, it } from 'vitest';
import { hashOf } from '../../src/base/hash.ts';
import { isInShard } from '../../src/batch/options.ts';

const text = (i: number) => `{"postId":"Post${i.toString(36).padStart(12, '0')}"}`;

describe('hashes of records', () => {
  it('of many like records are all different', () => {
    const count = 400_000;
    const seen = new Set<string>();
    for (let i = 0; i < count; i++) {
      const { high, low } = hashOf(text(i));
      seen.add(`${high} ${low}`);
    }
    expect(seen.size).toBe(count);
  });

  it('put a record into exactly one shard, and about as many into each', () => {
    const sizes = [0, 0, 0, 0, 0];
    for (let i = 0; i < 5000; i++) {
      const hash = hashOf(`record ${i}`);
      const mine = [1, 2, 3, 4, 5].filter((index) => isInShard(hash, { index, count: 5 }));
      expect(mine).toHaveLength(1);
      sizes[mine[0]! - 1]!++;
    }
    for (const size of sizes) expect(size).toBeGreaterThan(850);
  });

  // Reckoned by another program, in another language: two machines with two versions share a list by these numbers.
  it.each([
    ['', 3954623016, 863885215, 1, 3017],
    ['{"postId":"PostSpringLaunch"}', 1527434359, 1662855389, 2, 4360],
    ['{"postId":"PostAutumnRecaps"}', 1141404942, 720023055, 1, 4943],
    [
      '{"postId":"PostSpringLaunch","targetIds":["TargetSpringLink"]}',
      1749641975,
      3031725467,
      3,
      1976,
    ],
    ['{"conversationId":"convo 🎉"}', 1434839823, 1300872241, 1, 9824],
  ])('are for ever what they are: %j', (record, high, low, ofThree, ofMany) => {
    const hash = hashOf(record);
    expect(hash).toEqual({ high, low });
    const shard = (count: number) =>
      Array.from({ length: count }, (_, i) => i + 1).filter((index) =>
        isInShard(hash, { index, count }),
      );
    expect([shard(3), shard(10_000)]).toEqual([[ofThree], [ofMany]]);
  });
});
