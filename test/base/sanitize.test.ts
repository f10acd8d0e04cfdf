// Texts that are cut or quoted, and lines of a log in which some marks are commands.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toJson } from '../../src/base/json.ts';
import {
  excerpt,
  forActionsLog,
  quote,
  sanitize,
  sanitizeCell,
  sanitizeLine,
  stripControls,
} from '../../src/base/sanitize.ts';

describe('an excerpt', () => {
  it('is the text itself up to its length, then its start and the full length', () => {
    expect(excerpt('x'.repeat(40), 40)).toBe('x'.repeat(40));
    expect(excerpt('x'.repeat(41), 40)).toBe(`${'x'.repeat(23)}… (41 characters)`);
    expect(excerpt('', 40)).toBe('');
  });

  it('never splits a surrogate pair', () => {
    // The pair stands where the cut would be.
    expect(excerpt(`${'x'.repeat(22)}🎉${'x'.repeat(20)}`, 40)).toBe(
      `${'x'.repeat(22)}… (44 characters)`,
    );
    expect(excerpt(`${'x'.repeat(21)}🎉${'x'.repeat(20)}`, 40)).toBe(
      `${'x'.repeat(21)}🎉… (43 characters)`,
    );
  });
});

describe('a text', () => {
  it('loses all characters that Unicode calls ignorable, except joiners and variation selectors', () => {
    const ignorable =
      /(?!\u200c|\u200d|[\u180b-\u180d]|\u180f|[\ufe00-\ufe0f])[\p{Default_Ignorable_Code_Point}\p{Surrogate}\p{Cc}\u2028-\u202e\ufff9-\ufffb]/u;
    const all = Array.from({ length: 0x110000 }, (_, point) => String.fromCodePoint(point)).filter(
      (text) => !['\t', '\n'].includes(text),
    );
    // Cleaned at once, a line each: cleaning a million texts takes seconds.
    const shown = sanitize(all.join('\n')).split('\n');
    expect(shown).toHaveLength(all.length);
    const others = all.filter((text, i) => (shown[i] !== text) !== ignorable.test(text));
    expect(others).toEqual([]);
  });

  it('in JSON needs no change by the last check before a write', () => {
    const points = Array.from({ length: 0x110000 }, (_, point) => String.fromCodePoint(point));
    // Written as one text: writing a million of them takes seconds.
    const json = toJson(points.join('\n'));
    expect(stripControls(json) === json).toBe(true);
  });

  it.each([
    ['a\nb\tc', 'a⏎b c'],
    ['a\rb', 'a\\u{d}b'],
    ['\ud800x', '\\u{d800}x'],
    ['👩‍👩‍👧 नमस्ते مرحبا 日本語 é', '👩‍👩‍👧 नमस्ते مرحبا 日本語 é'],
  ])('on one line is %j', (text, shown) => {
    expect(sanitizeLine(text)).toBe(shown);
  });

  it('becomes one TSV cell, from which the text can be read again', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('\\', 'n', 't', '\n', '\t', 'x')), (parts) => {
        const text = parts.join('');
        const cell = sanitizeCell(text);
        expect(cell).not.toMatch(/[\n\t]/);
        const back = cell.replace(/\\([\\nt])/g, (_all, c: string) =>
          c === 'n' ? '\n' : c === 't' ? '\t' : '\\',
        );
        expect(back).toBe(text);
      }),
      { seed: 20260302, numRuns: 800 },
    );
  });

  it('keeps the parts of emoji and words', () => {
    const kept = ['\t', '\n', ' ', '~', '\u200c', '\u200d', '\u180b', '\u180d', '\u180f'];
    for (const each of [...kept, '\ufe00', '\ufe0f', '\ufffd', '👩‍👩‍👧'])
      expect(sanitize(`a${each}b`)).toBe(`a${each}b`);
  });

  it('keeps the tool’s own colours, and no other sequence', () => {
    const own = ['0', '1', '2', '22', '39', '30', '37'];
    for (const each of own.map((code) => `\u001b[${code}m`))
      expect(stripControls(`a${each}b\u0007`)).toBe(`a${each}b\\u{7}`);
    for (const code of [
      '3',
      '4',
      '21',
      '38',
      '40',
      '38;5;7',
      '38;5;255',
      '38;5;',
      '38;5;1234',
      '38;5;x',
      '',
    ])
      expect(stripControls(`a\u001b[${code}m`)).toBe(`a\\u{1b}[${code}m`);
  });
});

describe('a quoted value', () => {
  it('has two hundred characters at most', () => {
    expect(quote('x'.repeat(200))).toBe(`"${'x'.repeat(200)}"`);
    expect(quote('x'.repeat(201))).toBe(`"${'x'.repeat(199)}…"`);
    expect(quote('🎉'.repeat(200))).toBe(`"${'🎉'.repeat(200)}"`);
    expect(quote('a\nb\tc\u0007')).toBe('"a⏎b c\\u{7}"');
  });
});

describe('a log of GitHub Actions', () => {
  it.each([
    ['a ##[error]x', 'a #\\u0023[error]x'],
    ['##[a]##[b]', '#\\u0023[a]#\\u0023[b]'],
    ['  ::error::x', '  \\u003a:error::x'],
    ['\t ::set-output::x', '\t \\u003a:set-output::x'],
    ['a\n ::error::x\n  ::warning::y', 'a\n \\u003a:error::x\n  \\u003a:warning::y'],
  ])('%j runs no workflow command: %j', (text, shown) => {
    expect(forActionsLog(text)).toBe(shown);
  });

  it.each(['## heading', '#[x]', '##', 'a ::b', 'a:: b', ' :b', '  a: b', 'see a  ::b', ''])(
    'shows %j unchanged',
    (text) => {
      expect(forActionsLog(text)).toBe(text);
    },
  );

  it('has JSON with the same value', () => {
    const json = JSON.stringify({ a: '##[group]', '::b': '::c' }, null, 2);
    expect(JSON.parse(forActionsLog(json))).toEqual({ a: '##[group]', '::b': '::c' });
  });
});
