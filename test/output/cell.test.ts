// One value as text: what a person sees, and what a pipe gets.

import { describe, expect, it } from 'vitest';
import { cellFor, rawCell } from '../../src/output/cell.ts';
import { makeColors, wantsColor } from '../../src/output/color.ts';
import { columnOf } from '../../src/output/table-view.ts';
import { GLUE } from '../../src/output/wrap.ts';
import type { ColorChoice } from '../../src/config/flags.ts';

const NOON = Date.UTC(2026, 2, 2, 12);
const reading = { colors: makeColors(false), now: NOON, utc: false };
const shown = (path: string, value: unknown, more = {}) =>
  cellFor(columnOf(path), value, { ...reading, ...more }).replaceAll(GLUE, ' ');

describe('a cell for a person', () => {
  it.each([
    ['a text', 'name', 'Spring', 'Spring'],
    ['nothing', 'name', undefined, '-'],
    ['null', 'name', null, '-'],
    ['yes', 'selected', true, 'yes'],
    ['no', 'selected', false, 'no'],
    ['a number', 'position', 0, '0'],
    ['a list', 'tasks', ['a', 'b'], 'a, b'],
    ['an empty list', 'tasks', [], '-'],
    ['a list with a gap', 'tasks', ['a', null, 2], 'a, -, 2'],
    ['an object', 'metadata', { a: 1 }, 'a: 1'],
    ['a list of objects', 'issues', [{ code: 'c' }], '[{"code":"c"}]'],
    ['a status that went well', 'status', 'published', '✓ published'],
    ['a status that did not', 'status', 'failed', '✗ failed'],
    ['a status that moves', 'status', 'publishing', '◌ publishing'],
    ['a pairing that moves', 'status', 'pending_start', '◌ pending_start'],
    ['an unlisted status', 'status', 'simmering', '· simmering'],
    ['a time', 'updatedAt', '2026-03-02T11:57Z', '3 minutes ago'],
    ['a time to come', 'scheduledFor', '2026-03-05T12:00:00Z', 'in 3 days'],
    ['an invalid time', 'updatedAt', '2026-02-30T00:00Z', '2026-02-30T00:00Z (invalid date)'],
    [
      'a time with nine digits of a second',
      'updatedAt',
      '2026-03-02T11:57:00.123456789Z',
      '3 minutes ago',
    ],
    ['a time of the year 0', 'updatedAt', '0000-01-01T00:00:00Z', '740043 days ago'],
    ['a number for a time', 'updatedAt', 1772452620, '1772452620'],
    ['a word for a time', 'expiresAt', 'soon', 'soon (invalid date)'],
    ['an escape sequence', 'name', '\u001b]0;x\u0007', '\\u{1b}]0;x\\u{7}'],
    ['two lines', 'name', 'a\nb', 'a⏎b'],
  ])('shows %s', (_what, path, value, text) => {
    expect(shown(path, value)).toBe(text);
  });

  it('shows a status without a sign in accessible mode', () => {
    expect(shown('status', 'failed', { accessible: true })).toBe('failed');
  });

  it.each([
    ['an action, which is done', 'action', { tones: 'good' }, 'unfavourite', '✓ unfavourite'],
    ['a status', 'state', { tones: 'status' }, 'expired', '✗ expired'],
    ['a word that is no status', 'state', { tones: 'status' }, 'open', '· open'],
    ['a colour', 'color', { look: 'color' }, 255, '#0000ff'],
    ['no colour', 'color', { look: 'color' }, 0, 'none'],
  ] as const)('shows %s as its field declares it', (_what, path, declared, value, text) => {
    const cell = cellFor(columnOf(path, declared), value, reading);
    expect(cell.replaceAll(GLUE, ' ')).toBe(text);
  });

  it('shows a count above zero in red where action is needed', async () => {
    const failures = columnOf('failureCount', { look: 'alarm' });
    const coloured = { ...reading, colors: makeColors(true) };
    expect(cellFor(failures, 2, coloured)).toBe('\u001b[31m2\u001b[39m');
    expect(cellFor(failures, 0, coloured)).toBe('\u001b[1m0\u001b[22m');
  });

  it.each([
    ['published', '+ published'],
    ['failed', 'x failed'],
    ['publishing', 'o publishing'],
    ['draft', '. draft'],
  ])('has a sign of ASCII for %s where the terminal may show no other', (status, text) => {
    const plain = { ...reading, colors: makeColors(false, true) };
    const cell = cellFor(columnOf('status'), status, plain);
    expect(cell.replaceAll(GLUE, ' ')).toBe(text);
  });

  it('shows exact times on request', () => {
    expect(shown('updatedAt', '2026-03-02T11:57Z', { utc: true })).toBe('2026-03-02T11:57Z');
  });

  it.each([[undefined], [null], [{}], [[]], [[null]], [[[1]]], [[null, 'a']]])(
    'never shows a JavaScript value name for %j',
    (value) => {
      for (const text of [shown('name', value), rawCell(value)])
        expect(text).not.toMatch(/undefined|null|\[object/);
    },
  );

  it('has the same text with and without colour', async () => {
    const colours = { colors: makeColors(true) };
    for (const [path, value] of [
      ['status', 'failed'],
      ['error', 'Broken'],
      ['name', undefined],
    ] as const) {
      const coloured = shown(path, value, colours);
      expect(coloured).toContain('\u001b[');
      expect(coloured.replaceAll(/\u001b\[\d+m/g, '')).toBe(shown(path, value));
    }
  });
});

describe('a cell for a pipe', () => {
  it.each([
    ['published', 'published'],
    ['2026-03-02T11:57Z', '2026-03-02T11:57Z'],
    [true, 'true'],
    [undefined, '-'],
    ['2026-02-30T00:00Z', '2026-02-30T00:00Z'],
    ['', ''],
    ['a\tb\nc\\d', 'a\\tb\\nc\\\\d'],
    [['a', 'b'], 'a, b'],
    [{ a: [1] }, '{"a":[1]}'],
  ])('has %j as it was sent', (value, text) => {
    expect(rawCell(value)).toBe(text);
  });
});

describe('colour', () => {
  it.each([
    ['a terminal', 'auto', true, {}, true],
    ['a pipe', 'auto', false, {}, false],
    ['a dumb terminal', 'auto', true, { TERM: 'dumb' }, false],
    ['NO_COLOR', 'auto', true, { NO_COLOR: '1' }, false],
    ['a flag against NO_COLOR', '--color always', true, { NO_COLOR: '1' }, true],
    ['NO_COLOR against the settings', 'always', true, { NO_COLOR: '1' }, false],
    ['a flag that leaves it open beside NO_COLOR', '--color auto', true, { NO_COLOR: '1' }, false],
    ['FORCE_COLOR against the settings', 'never', false, { FORCE_COLOR: '1' }, true],
    ['an empty FORCE_COLOR in a pipe', 'auto', false, { FORCE_COLOR: '' }, false],
    ['FORCE_COLOR=false', 'auto', true, { FORCE_COLOR: 'false' }, false],
    ['CLICOLOR_FORCE in a pipe', 'auto', false, { CLICOLOR_FORCE: '1' }, true],
    ['CLICOLOR_FORCE=0', 'auto', false, { CLICOLOR_FORCE: '0' }, false],
    [
      'NO_COLOR against CLICOLOR_FORCE',
      'auto',
      true,
      { NO_COLOR: '1', CLICOLOR_FORCE: '1' },
      false,
    ],
    ['CLICOLOR=0', 'auto', true, { CLICOLOR: '0' }, false],
    ['CLICOLOR=1 in a pipe', 'auto', false, { CLICOLOR: '1' }, false],
    ['an empty CLICOLOR', 'auto', true, { CLICOLOR: '' }, true],
    ['NO_COLOR against FORCE_COLOR', 'auto', true, { NO_COLOR: '1', FORCE_COLOR: '1' }, false],
    ['an empty NO_COLOR', 'auto', true, { NO_COLOR: '' }, true],
    ['FORCE_COLOR in a pipe', 'auto', false, { FORCE_COLOR: '1' }, true],
    ['FORCE_COLOR=0', 'auto', true, { FORCE_COLOR: '0' }, false],
    ['always in a pipe', 'always', false, {}, true],
    ['never', '--color never', true, { FORCE_COLOR: '1' }, false],
  ] as const)('with %s: %s', (_what, wish, isTTY, env, wanted) => {
    const choice = wish.replace('--color ', '') as ColorChoice;
    expect(wantsColor({ choice, typed: wish !== choice }, isTTY, env)).toBe(wanted);
  });
});
