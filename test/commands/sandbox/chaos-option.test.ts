// How faults are asked for: what is understood, and what is said about each part that is not.

import { describe, expect, it } from 'vitest';
import type { Fault } from '../../../src/base/errors.ts';
import { readChaos } from '../../../src/commands/sandbox/chaos-option.ts';
import { describeChaosPlan } from '../../../src/sandbox/chaos.ts';

function read(text: string) {
  const faults: Fault[] = [];
  return { plan: readChaos(text, faults), faults };
}

const latency = (ms: number, spreadMs = 0) => ({ latency: { ms, spreadMs }, faults: [] });

describe('is understood', () => {
  it.each([
    ['latency=200ms', latency(200)],
    ['latency=200ms±100', latency(200, 100)],
    ['latency=200ms+-100', latency(200, 100)],
    ['latency=1s±500ms', latency(1000, 500)],
    ['latency=2s±1', latency(2000, 1000)],
    ['latency=2s±0', latency(2000)],
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
    expect(read(text)).toEqual({ plan, faults: [] });
  });

  it('also as it is said at the start', () => {
    const { plan } = read('latency=200ms±100,429=5%,503=2%,reset=1%,lost=0.5%');
    expect(read(describeChaosPlan(plan))).toEqual({ plan, faults: [] });
  });
});

describe('is refused with the rule and a way to write it', () => {
  it.each([
    ['', '--chaos', /empty part/, /latency=/],
    ['429=5%,', '--chaos', /empty part/, /latency=/],
    ['429', '--chaos "429"', /needs a percentage/, '429=5%'],
    ['429=7', '--chaos "429=7"', /needs a percentage/, '429=7%'],
    ['429=0.05', '--chaos "429=0.05"', /needs a percentage/, '429=5%'],
    ['429=0%', '--chaos "429=0%"', /above 0%/, '429=5%'],
    ['429=101%', '--chaos "429=101%"', /up to 100%/, '429=5%'],
    ['429=-1%', '--chaos "429=-1%"', /above 0%/, '429=5%'],
    ['399=5%', '--chaos "399=5%"', /from 400 to 599/, /429=5%/],
    ['600=5%', '--chaos "600=5%"', /from 400 to 599/, /429=5%/],
    ['0429=5%', '--chaos "0429=5%"', /from 400 to 599/, /429=5%/],
    [
      'resett=5%',
      '--chaos "resett=5%"',
      /unknown fault \(expected: latency, /,
      'did you mean reset?',
    ],
    ['Lost=5%', '--chaos "Lost=5%"', /unknown fault/, 'did you mean lost?'],
    ['fire=5%', '--chaos "fire=5%"', /unknown fault/, /latency=/],
    ['latency', '--chaos "latency"', /needs a duration/, /latency=200ms/],
    ['latency=200', '--chaos "latency=200"', /needs a duration/, /latency=200ms/],
    ['latency=25h', '--chaos "latency=25h"', /up to 24h/, /latency=200ms/],
    ['latency=10ms±20', '--chaos "latency=10ms±20"', /wider/, 'at most latency=10ms±10ms'],
    ['reset=1%,reset=2%', '--chaos "reset=2%"', /twice/, 'specify it once'],
    ['429=60%,503=40.5%', '--chaos', /100\.5% of the requests/, /at most 100% in total/],
  ])('%j', (text, field, problem, fix) => {
    const { faults } = read(text);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatchObject({ field, problem: expect.stringMatching(problem) as string });
    expect(faults[0]!.fix).toMatch(fix);
  });

  it('all at once', () => {
    const { faults } = read('latency=x,429=5%,503,nothing=1%');
    expect(faults.map(({ field }) => field)).toEqual([
      '--chaos "latency=x"',
      '--chaos "503"',
      '--chaos "nothing=1%"',
    ]);
  });

  it('and shows no control characters of what was typed', () => {
    const [fault] = read('429=\u001b[2J').faults;
    expect(JSON.stringify(fault)).not.toMatch(/\\u001b\[/);
    expect(fault!.field).not.toContain('\u001b');
  });
});
