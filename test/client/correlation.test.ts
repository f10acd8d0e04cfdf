// The ids of a command, and the trace that the environment names.

import { describe, expect, it } from 'vitest';
import { requestIds, traceHeaders } from '../../src/client/correlation.ts';

const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

describe('the trace of the environment', () => {
  it('is none where nothing is set', () => {
    const notes: string[] = [];
    for (const none of [{}, { TRACEPARENT: '', TRACESTATE: 'a=b' }])
      expect(traceHeaders(none, (line) => void notes.push(line))).toEqual({});
    expect(notes).toEqual([]);
  });

  const parent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  const tried = (TRACEPARENT: string, TRACESTATE?: string) => {
    const notes: string[] = [];
    const headers = traceHeaders({ TRACEPARENT, TRACESTATE }, (line) => void notes.push(line));
    return { headers, notes: notes.length, note: notes[0] };
  };

  it.each([
    [parent, undefined],
    [parent, 'congo=t61rcWkgMzE,rojo@x=00f0 67'],
    [parent, 'a=b \t, \tc_1*/@-d=e,f=gh'.replaceAll('\t', ' ')],
    [parent, 'a=b,c=d,e=f'],
    [parent, `a=${'b'.repeat(510)}`],
    [`cc${parent.slice(2)}-what-comes-later`, undefined],
  ])('passes on %s %s', (traceparent, tracestate) => {
    const state = tracestate === undefined ? {} : { tracestate };
    expect(tried(traceparent, tracestate)).toEqual({
      headers: { traceparent, ...state },
      notes: 0,
      note: undefined,
    });
  });

  it.each([
    'zz',
    parent.toUpperCase(),
    `ff${parent.slice(2)}`,
    `${parent}-more`,
    `${parent}\n`,
    `x${parent}`,
    parent.replace('-01', '-1'),
    parent.replace('-01', '-gg'),
    parent.replace('00-', '0-'),
    parent.replace('00-', 'gg-'),
    parent.replace('4bf9', '4bf'),
    parent.replace('4bf9', '4bgg'),
    parent.replace('00f0', '00f'),
    parent.replace('00f0', '00gg'),
    `cc${parent.slice(2)}-`.replace('-01-', '-01-é'),
    `cc${parent.slice(2)}-${'x'.repeat(201)}`,
    parent.replace(/-4bf.{29}-/, `-${'0'.repeat(32)}-`),
    parent.replace('00f067aa0ba902b7', '0'.repeat(16)),
  ])('leaves out %j', (traceparent) => {
    const note = 'TRACEPARENT is not a valid traceparent and is ignored';
    expect(tried(traceparent, 'a=b')).toEqual({ headers: {}, notes: 1, note });
  });

  it.each([
    'no pairs',
    'a=b\r\nx: y',
    `a=${'b'.repeat(511)}`,
    'a==b',
    'é=b',
    ' a=b',
    'a=b;c=d',
    'a=b,c',
    'a=b,,c=d',
    'a=b,é=d',
    'a=b,?c=d',
    'a=',
    'a=b,c=',
    '=b',
  ])('leaves out the state %j', (state) => {
    const note = 'TRACESTATE is not a valid tracestate and is ignored';
    expect(tried(parent, state)).toEqual({ headers: { traceparent: parent }, notes: 1, note });
  });
});

it('the ids of a command do not run out', () => {
  const newId = requestIds();
  const ids = Array.from({ length: 70_000 }, newId);
  expect(new Set(ids).size).toBe(70_000);
  expect(ids.every((id) => UUID.test(id))).toBe(true);
  const counts = ids.map((id) => Number.parseInt(id.slice(29), 16));
  expect(
    counts.every((count, i) => i === 0 || count === ((counts[i - 1]! + 1) & 0xf_ff_ff_ff)),
  ).toBe(true);
});

it('each command has ids of its own', () => {
  const ids = Array.from({ length: 10_000 }, () => requestIds()());
  expect(new Set(ids.map((id) => id.slice(0, 29))).size).toBe(10_000);
  expect(ids.filter((id) => !UUID.test(id))).toEqual([]);
});
