// Which part of a list a machine does: by a hash of the record alone, so that n machines need no word with each other.

import type { Hash } from './hashes.ts';

/** Part `index` (from 1) of `count`. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

const MOST = 10_000;

/** Reads `3/8`: 1 to n of n, n at most 10000. `undefined` for all else. */
export function parseShard(text: string): Shard | undefined {
  const match = /^(\d{1,5})\/(\d{1,5})$/.exec(text);
  if (match === null) return undefined;
  const [index, count] = [Number(match[1]), Number(match[2])];
  return index >= 1 && index <= count && count <= MOST ? { index, count } : undefined;
}

export const shardRule = `must be i/n with i from 1 to n, and n at most ${MOST}`;

/** Whether a record belongs to a shard. Each record belongs to exactly one of `count`. */
export function isInShard({ high }: Hash, { index, count }: Shard): boolean {
  return high % count === index - 1;
}
