// The share of a machine: every record is in exactly one, for ever and on every machine.

import { describe, expect, it } from 'vitest';
import { hashOf } from '../../src/base/hash.ts';
import { isInShard } from '../../src/batch/options.ts';

describe('the shard of a record', () => {
  it('is exactly one, and all shards have about as many', () => {
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
    ['', 'e3b0c44298fc1c14', 3, 2611],
    ['{"postId":"PostSpringLaunch"}', '66a5750aec09e28e', 2, 9435],
    ['{"postId":"PostAutumnRecaps"}', 'b1b6a390b8282c95', 1, 6657],
    ['{"postId":"PostSpringLaunch","targetIds":["TargetSpringLink"]}', 'aed153278b0692fa', 2, 3896],
    ['{"conversationId":"convo 🎉"}', 'c4bf75c8e4e7f33a', 3, 1865],
  ])('never changes: %j', (record, hex, ofThree, ofMany) => {
    const hash = hashOf(record);
    expect(hash).toBe(hex);
    const shard = (count: number) =>
      Array.from({ length: count }, (_, i) => i + 1).filter((index) =>
        isInShard(hash, { index, count }),
      );
    expect([shard(3), shard(10_000)]).toEqual([[ofThree], [ofMany]]);
  });
});
