// A text without its escapes, and where each part of it stood: for finding in it what somebody has escaped.

import { ifPossible } from '../base/errors.ts';

export interface UnescapedText {
  readonly text: string;
  /** Where in the original a place of `text` begins, or ends. */
  startOf(at: number): number;
  endOf(at: number): number;
}

/** One escape of JSON and JavaScript, of a URL (a character may be several bytes), or of HTML. */
const JSON_ESCAPE = /\\u\{[\da-f]{1,6}\}|\\u[\da-f]{4}|\\x[\da-f]{2}|\\[bfnrt]|\\[^\s\w]/gi;
const URL_ESCAPE =
  /%[0-7][\da-f]|%[c-d][\da-f]%[89ab][\da-f]|%e[\da-f](?:%[89ab][\da-f]){2}|%f[0-7](?:%[89ab][\da-f]){3}/gi;
const HTML_ESCAPE = /&#\d{1,8};?|&#x[\da-f]{1,8};?|&[a-z]{2,8};/gi;
const ANY_ESCAPE = new RegExp(
  [JSON_ESCAPE, URL_ESCAPE, HTML_ESCAPE].map(({ source }) => source).join('|'),
  'gi',
);

/** The kinds of escapes that may lie over a text: all of them mixed, or one alone. */
const escapeKinds = { any: ANY_ESCAPE, json: JSON_ESCAPE, url: URL_ESCAPE, html: HTML_ESCAPE };
export type EscapeKind = keyof typeof escapeKinds;

/** The names that HTML has for what is typed in ASCII. */
const NAMED: ReadonlyMap<string, string> = new Map(
  (
    'excl ! quot " num # dollar $ percnt % amp & apos \' lpar ( rpar ) ast * plus + comma , period . ' +
    'sol / colon : semi ; lt < equals = gt > quest ? commat @ lsqb [ lbrack [ bsol \\ rsqb ] rbrack ] ' +
    'hat ^ lowbar _ grave ` lcub { lbrace { verbar | vert | rcub } rbrace } hyphen - dash - tilde ~'
  )
    .split(' ')
    .flatMap((name, i, all) => (i % 2 === 0 ? [[name, all[i + 1]!] as const] : [])),
);

/** What JSON has a letter for. */
const CONTROLS = new Map(Object.entries({ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }));

/**
 * The text with one layer of escapes of a kind taken off; `undefined` where it has none. `outer` is the layer before.
 */
export function unescapeWithSpans(
  text: string,
  outer?: UnescapedText,
  kind: EscapeKind = 'any',
): UnescapedText | undefined {
  if (!/[\\%&]/.test(text)) return undefined;
  /** From which place on the text is how much shorter. */
  const [places, shorter]: [number[], number[]] = [[0], [0]];
  const plain = text.replace(escapeKinds[kind], (escape, offset: number) => {
    const meant = meaning(escape);
    const before = shorter.at(-1)!;
    places.push(offset - before + meant.length);
    shorter.push(before + escape.length - meant.length);
    return meant;
  });
  if (plain.length === text.length) return undefined;
  const original = (at: number) => at + shorter[lastUpTo(places, at)]!;
  return {
    text: plain,
    startOf: (at) => (outer === undefined ? original(at) : outer.startOf(original(at))),
    endOf: (at) => (outer === undefined ? original(at) : outer.endOf(original(at))),
  };
}

function meaning(escape: string): string {
  if (escape.startsWith('%')) return ifPossible(() => decodeURIComponent(escape)) ?? escape;
  if (escape.startsWith('&#')) {
    const digits = escape.slice(2).replace(';', '');
    const isHex = /^x/i.test(digits);
    return character(Number.parseInt(isHex ? digits.slice(1) : digits, isHex ? 16 : 10), escape);
  }
  if (escape.startsWith('&')) return NAMED.get(escape.slice(1, -1).toLowerCase()) ?? escape;
  const code = /^\\[ux]\{?([\da-f]+)/i.exec(escape)?.[1];
  if (code === undefined) return CONTROLS.get(escape[1]!) ?? escape.slice(1);
  return character(Number.parseInt(code, 16), escape);
}

const character = (code: number, escape: string): string =>
  code <= 0x10ffff ? String.fromCodePoint(code) : escape;

/** The index of the last number that is not greater; they are in order, and the first is 0. */
function lastUpTo(numbers: readonly number[], most: number): number {
  let [low, high] = [0, numbers.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (numbers[middle]! <= most) low = middle;
    else high = middle - 1;
  }
  return low;
}
