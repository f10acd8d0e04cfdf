// Text made safe to show, and secrets taken out of it.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chalkColors } from '../../src/output/color.ts';
import { createRedactor } from '../../src/output/redact.ts';
import { toJson } from '../../src/base/json.ts';
import {
  ERASE_LINE,
  excerpt,
  stripControls,
  quote,
  sanitize,
  sanitizeCell,
  sanitizeLine,
} from '../../src/base/sanitize.ts';
import { encodingsOf } from '../support/token-leak-check.ts';
import { cpuTimer } from '../support/cpu-time.ts';

const run = { seed: 20260302, numRuns: 800 };

/**
 * What no line for a person may hold, written out as ranges: C0, DEL, C1, line separators, lone halves, bidi, tags, and
 * all that is not seen but the joiners and variation selectors of emoji and of scripts.
 */
function isUnsafe(point: number): boolean {
  const within = (from: number, to: number) => point >= from && point <= to;
  return (
    within(0, 0x1f) ||
    within(0x7f, 0x9f) ||
    [0xad, 0x34f, 0x61c, 0x180e, 0x200b, 0x200e, 0x200f, 0x3164, 0xfeff, 0xffa0].includes(point) ||
    within(0x115f, 0x1160) ||
    within(0x17b4, 0x17b5) ||
    within(0x2028, 0x202e) ||
    within(0x2060, 0x206f) ||
    within(0xfff0, 0xfffb) ||
    within(0xd800, 0xdfff) ||
    within(0x1bca0, 0x1bca3) ||
    within(0x1d173, 0x1d17a) ||
    within(0xe0000, 0xe0fff)
  );
}

/** What Unicode says is not seen, and people need: joiners of emoji and words, selectors of an emoji's look. */
const NEEDED = [0x180b, 0x180c, 0x180d, 0x180f, 0x200c, 0x200d];
const isNeeded = (point: number) => NEEDED.includes(point) || (point >= 0xfe00 && point <= 0xfe0f);

/** What Unicode itself calls a control, a separator, or not to be seen. */
const isHidden = (text: string) =>
  /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/u.test(
    text,
  );

const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '\u001b]0;t\u0007',
        '\u009b31m',
        '\r',
        '\b',
        '\u202e',
        '\ud800',
        '\u{e0041}',
        '\n',
        '\t',
        'é🎉',
      ),
    ),
  )
  .map((parts) => parts.join(''));

describe('sanitizing', () => {
  it('leaves nothing that acts on a terminal', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        for (const character of sanitizeLine(text))
          expect(isUnsafe(character.codePointAt(0)!)).toBe(false);
        for (const character of sanitizeCell(text))
          expect(isUnsafe(character.codePointAt(0)!)).toBe(false);
        for (const character of sanitize(text))
          expect(isUnsafe(character.codePointAt(0)!) && !'\n\t'.includes(character)).toBe(false);
      }),
      run,
    );
  });

  it('shows every single character that is not seen, and no other, as its number', () => {
    const wrong: string[] = [];
    for (let point = 0; point <= 0x10ffff; point++) {
      const text = String.fromCodePoint(point);
      const isOut = isHidden(text) && !isNeeded(point);
      if (isOut !== isUnsafe(point)) wrong.push(`two rules for ${point.toString(16)}`);
      const shown = isOut && point !== 0x0a && point !== 0x09 ? `\\u{${point.toString(16)}}` : text;
      if (sanitize(text) !== shown) wrong.push(`shown as it is: ${point.toString(16)}`);
      if (stripControls(`a${text}`) !== `a${shown}`) wrong.push(`no fence: ${point.toString(16)}`);
      // The same rule for JSON, in its own escapes: the fence finds nothing there.
      const json = toJson(text);
      if (stripControls(json) !== json) wrong.push(`in JSON as it is: ${point.toString(16)}`);
    }
    expect(wrong).toEqual([]);
  });

  it('lets our own colours pass the fence, and nothing that looks like them', async () => {
    const { bad, swatch } = await chalkColors(true);
    const own = `${bad('x')} ${swatch('#ff0000')} ${ERASE_LINE}2 of 3`;
    expect(stripControls(own)).toBe(own);
    expect(stripControls('\u001b[8mhidden\u001b[0;31mx\u001b[2J\u001b[1A')).toBe(
      '\\u{1b}[8mhidden\\u{1b}[0;31mx\\u{1b}[2J\\u{1b}[1A',
    );
    expect(stripControls('a\rb\u001b[2K')).toBe('a\\u{d}b\\u{1b}[2K');
  });

  it('cuts a long text to a length that holds the note, and no character in two', () => {
    expect(excerpt('x'.repeat(200), 200)).toBe('x'.repeat(200));
    const cut = excerpt('🎉'.repeat(3_000_000), 200);
    expect(cut.length).toBeLessThanOrEqual(200);
    expect(cut).toMatch(/^(?:🎉){80,}… \(6000000 characters\)$/u);
  });

  it('leaves alone what is harmless', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const points = Array.from(text, (character) => character.codePointAt(0)!);
        fc.pre(!points.some(isUnsafe));
        expect(sanitizeLine(text)).toBe(text);
      }),
      run,
    );
    const family = '👩‍👩‍👧 नमस्ते مرحبا 日本語 é';
    expect(sanitizeLine(family)).toBe(family);
  });

  it.each([
    ['\u001b[31mred', '\\u{1b}[31mred'],
    ['a\rb', 'a\\u{d}b'],
    ['\ud800x', '\\u{d800}x'],
    ['\u{e0041}', '\\u{e0041}'],
    ['a\nb\tc', 'a⏎b c'],
  ])('shows what it takes out: %j', (text, shown) => {
    expect(sanitizeLine(text)).toBe(shown);
  });

  it('makes one cell of a text, from which the text can be read again', () => {
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
      run,
    );
  });

  it('quotes one line of at most 200 characters', () => {
    expect(quote('a\nb')).toBe('"a⏎b"');
    expect(quote('🎉'.repeat(200))).toBe(`"${'🎉'.repeat(200)}"`);
    expect(Array.from(quote('🎉'.repeat(201)))).toHaveLength(202);
  });
});

describe('redacting', () => {
  const secret = 'pa/ss+wörd"\\=?';

  it.each([
    ['as it is', secret],
    ['percent-encoded', encodeURIComponent(secret)],
    ['inside of JSON', JSON.stringify({ a: secret })],
    ['as base64', Buffer.from(secret).toString('base64')],
    ['as base64 without padding', Buffer.from(secret).toString('base64').replace(/=+$/, '')],
    ['as base64url', Buffer.from(secret).toString('base64url')],
  ])('takes a secret out %s', (_what, text) => {
    const shown = createRedactor([secret])(`before ${text} after ${text}`);
    expect(shown).toMatch(/^before .*\[redacted\].* after .*\[redacted\]/);
    expect(shown).not.toContain('wörd');
    expect(shown).not.toContain(Buffer.from(secret).toString('base64url').slice(0, 8));
  });

  it.each(['s3cret', 's3crets', 's3cretss', 'ü"\\b/+', '~~~~', '???~'])(
    'takes %j out of everything around it, with padding and without',
    (short) => {
      const mask = createRedactor([short]);
      const base64 = Buffer.from(short).toString('base64');
      expect(mask(`<${base64}>`)).toBe('<[redacted]>');
      expect(mask(`<${base64.replaceAll('=', '')}>`)).toBe('<[redacted]>');
      expect(mask(JSON.stringify({ a: `x ${short} y` }))).toBe('{"a":"x [redacted] y"}');
      expect(mask(`?q=x${encodeURIComponent(short)}y`)).toBe('?q=x[redacted]y');
      expect(mask('nothing of it')).toBe('nothing of it');
    },
  );

  it.each(
    encodingsOf('pa/ss+w"ord\\&<=?>')
      .concat(encodingsOf('wörd/𝒳+s3cret'))
      .map((form) => ({ form })),
  )('takes a secret out as $form', ({ form }) => {
    const mask = createRedactor(['pa/ss+w"ord\\&<=?>', 'wörd/𝒳+s3cret']);
    expect(mask(`<${form}>${form}.`)).toBe('<[redacted]>[redacted].');
    expect(mask(`%25\\u0020 ${form}%2F`)).toBe('%25\\u0020 [redacted]%2F');
  });

  it('takes out the base64 of the header that has the token', () => {
    const header = Buffer.from('Bearer canary+T0ken/with=odd~chars').toString('base64');
    expect(createRedactor(['canary+T0ken/with=odd~chars'])(`<${header}>`)).toBe('<[redacted]>');
  });

  it('takes time in proportion to the text', () => {
    const mask = createRedactor(['canary-token-of-mine', 'x'.repeat(8000)]);
    const usedMs = cpuTimer();
    for (const text of ['%63an\\u0061', '…', '&#99;', 'x...', 'canary-token-'])
      mask(text.repeat(40_000));
    expect(usedMs()).toBeLessThan(5000);
  });

  it('takes the longer of two secrets out whole', () => {
    expect(createRedactor(['abcd', 'abcdef'])('abcdef abcd')).toBe('[redacted] [redacted]');
  });

  it.each(['', 'a', 'was'])('takes out nothing for a secret that is none: %j', (none) => {
    expect(createRedactor([none])('as it was')).toBe('as it was');
  });

  it('takes out what has four characters', () => {
    expect(createRedactor(['four'])('two or four')).toBe('two or [redacted]');
  });
});
