// A part of a list: small, and right at every edge.

import { describe, expect, it } from 'vitest';
import { parseShard, isInShard } from '../../../src/batch/options.ts';

describe('a part of a list', () => {
  it.each([
    ['1/1', { index: 1, count: 1 }],
    ['3/8', { index: 3, count: 8 }],
    ['8/8', { index: 8, count: 8 }],
    ['10000/10000', { index: 10_000, count: 10_000 }],
  ])('%s', (text, shard) => {
    expect(parseShard(text)).toEqual(shard);
  });

  it.each([
    '',
    '1',
    '0/1',
    '2/1',
    '9/8',
    '1/10001',
    '10001/10001',
    '1/0',
    '0/0',
    '1/2/3',
    ' 1/2',
    '1/2 ',
    'a/b',
    '-1/2',
    '1.0/2',
    '000001/2',
  ])('is none: "%s"', (text) => {
    expect(parseShard(text)).toBeUndefined();
  });

  it('has the records whose hash says so', () => {
    expect(isInShard('00000000ffffffff', { index: 1, count: 3 })).toBe(true);
    expect(isInShard('00000002ffffffff', { index: 3, count: 3 })).toBe(true);
    expect(isInShard('00000002ffffffff', { index: 2, count: 3 })).toBe(false);
  });
});
