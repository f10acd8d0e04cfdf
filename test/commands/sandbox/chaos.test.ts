// The value of --chaos is parsed, and each invalid part of it is reported.

import { describe, expect, it } from 'vitest';
import { readChaos } from '../../../src/commands/sandbox/sandbox.ts';

const latency = (ms: number, spreadMs = 0) => ({ latency: { ms, spreadMs }, faults: [] });

describe('the chaos option', () => {
  it.each([
    ['latency=200ms', latency(200)],
    ['latency=200ms±100ms', latency(200, 100)],
    ['latency=200ms+-100ms', latency(200, 100)],
    ['latency=1s±500ms', latency(1000, 500)],
    ['latency=2s±0ms', latency(2000)],
    ['429=5%', { faults: [[429, 5]] }],
    ['599=0.125%', { faults: [[599, 0.125]] }],
    ['lost=100%', { faults: [['lost', 100]] }],
    [
      ' 503=2% , reset=1% ',
      {
        faults: [
          [503, 2],
          ['reset', 1],
        ],
      },
    ],
  ])('%s', (text, plan) => {
    expect(readChaos(text)).toEqual(plan);
  });
});

it.each([
  '',
  '429=5%,',
  '429',
  '429=7',
  '429=0.05',
  '429=0%',
  '429=101%',
  '429=-1%',
  '399=5%',
  '600=5%',
  '0429=5%',
  'Lost=5%',
  'fire=5%',
  'latency',
  'latency=200',
  'latency=25h',
  'latency=10ms±20ms',
  'latency=10ms±20',
  'reset=1%,reset=2%',
  'latency=1s,latency=2s',
  '429=60%,503=40.5%',
])('rejects %j', (text) => {
  expect(readChaos(text)).toBeUndefined();
});
