// Any string at all: shown without a byte that acts on a terminal, kept by JSON, carried by a path as one segment.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { toRequest } from '../../src/client/build-request.ts';
import { parseJson, toJson } from '../../src/base/json.ts';
import { audiencesDelete } from '../../src/api/operations/ads.ts';
import { cellFor, rawCell } from '../../src/output/cell.ts';
import { quote, sanitize, sanitizeCell, sanitizeLine } from '../../src/base/sanitize.ts';
import { ForeignId } from '../../src/api/schema/ids.ts';
import { makeColors } from '../../src/output/color.ts';
import { retryPolicy, tell, times } from './times.ts';

/** Strings that are built to do harm, and any others. */
const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc
    .array(
      fc.constantFrom(
        '\u001b]0;t\u0007',
        '\u001b[2J',
        '\u009b31m',
        '\u0090q',
        '\r',
        '\b',
        '\v',
        '\f',
        '\0',
        '\u007f',
        '\u202e',
        '\u2066',
        '\u200f',
        '\u061c',
        '\u2028',
        '\ufeff',
        '\u{e0041}',
        '\ud800',
        '\udc00',
        '\n',
        '\t',
        '\\',
        '"',
        '/',
        '..',
        '%2f',
        '?',
        '#',
        'é',
        '🎉',
        '👩‍👩‍👧',
        '日本',
      ),
      { maxLength: 6 },
    )
    .map((parts) => parts.join('')),
);

// C0 but newline and tab, DEL, C1, bidi and invisible controls, separators, tags, halves of characters.
const ACTS =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|[\u{e0000}-\u{e007f}]|\p{Surrogate}/u;

it('any text is shown without control bytes, and JSON restores it', retryPolicy, () => {
  let tried = 0;
  const column = { path: 'title', name: 'title', label: 'title' };
  const reading = { colors: makeColors(false), now: 0, utc: true };
  fc.assert(
    fc.property(hostile, (text) => {
      tried++;
      const lines = [
        sanitizeLine(text),
        sanitizeCell(text),
        quote(text),
        rawCell(text),
        cellFor(column, text, reading),
      ];
      const shown = lines.join('');
      if (ACTS.test(shown) || /[\n\t]/.test(shown) || ACTS.test(sanitize(text)))
        throw new Error(`shown: ${JSON.stringify(text)}`);
      const json = toJson({ [text]: text });
      if (ACTS.test(json)) throw new Error(`in JSON: ${JSON.stringify(text)}`);
      const back = parseJson(json) as Record<string, unknown>;
      if (!Object.hasOwn(back, text) || back[text] !== text)
        throw new Error(`changed: ${JSON.stringify(text)}`);
    }),
    times(5000, 1_000_000),
  );
  expect(tried).toBeGreaterThan(0);
  tell(`${tried} hostile strings, 0 control bytes shown, 0 changed by JSON`);
});

it('any ID is one segment of a path, or rejected', retryPolicy, () => {
  let [carried, refused] = [0, 0];
  fc.assert(
    fc.property(hostile, (text) => {
      if (!ForeignId.safeParse(text).success) {
        refused++;
        return ['', '.', '..'].includes(text) || !text.isWellFormed();
      }
      carried++;
      const { url } = toRequest(
        audiencesDelete,
        { audienceId: text },
        { baseUrl: 'https://a.test' },
      );
      const { pathname, search, hash } = new URL(url);
      const segments = pathname.split('/');
      expect([segments.length, search, hash]).toEqual([5, '', '']);
      return decodeURIComponent(segments[4]!) === text;
    }),
    times(5000, 200_000),
  );
  tell(`${carried} ids carried as one segment, ${refused} refused`);
});
