// JSON that is not one value per line, an array or objects of several lines, as the texts of its values.

import type { Line } from './csv.ts';

/** An array of IDs or objects, an object that goes on in the next line, or what `posts triage --json` prints. */
const STARTS = /^\s*(?:\[\s*(?:$|["{[\]\d-])|\{\s*\n|\{"posts":\d+,"failedTargets":)/;

export const startsJsonValues = (text: string): boolean => STARTS.test(text);

const [QUOTE, COMMA, BACKSLASH] = [34, 44, 92] as const;
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125] as const;

/** A value under the line in which it begins, or what is wrong with the JSON there. */
export type JsonValue = Line & { readonly fault?: string };

/** The values of the outermost arrays, or one after the other. The JSON of each value is not checked. */
export function jsonValues(text: string): readonly JsonValue[] {
  const values: JsonValue[] = [];
  let [line, arrays] = [1, 0];
  // The next line break, which is looked for once: a list may be one line of megabytes.
  let newline = endOfLine(text, 0);
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at);
    for (; newline < at; line++) newline = endOfLine(text, newline + 1);
    if (code <= 32 || code === COMMA) at++;
    else if (code === OPEN_ARRAY) {
      arrays++;
      at++;
    } else if (code === CLOSE_ARRAY) {
      if (--arrays < 0)
        return [...values, { number: line, text: '', fault: 'closes an array that was not open' }];
      at++;
    } else {
      const end = endOfValue(text, at, code);
      if (end < 0) return [...values, endsTooEarly(line)];
      values.push({ number: line, text: text.slice(at, end) });
      at = end;
    }
  }
  return arrays > 0 ? [...values, endsTooEarly(line)] : values;
}

const endOfLine = (text: string, from: number): number => {
  const at = text.indexOf('\n', from);
  return at < 0 ? Infinity : at;
};

const endsTooEarly = (number: number): JsonValue => ({
  number,
  text: '',
  fault: 'is JSON that ends too early',
});

/** Where the value ends that begins with this code at `from`; -1 where it does not. */
function endOfValue(text: string, from: number, first: number): number {
  if (first === QUOTE) return endOfString(text, from);
  if (first !== OPEN_OBJECT) {
    const after = /[\s,\]]/g;
    after.lastIndex = from;
    return after.exec(text)?.index ?? text.length;
  }
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfString(text, at);
      if (end < 0) return -1;
      at = end - 1;
    } else if (code === OPEN_OBJECT || code === OPEN_ARRAY) depth++;
    else if ((code === CLOSE_OBJECT || code === CLOSE_ARRAY) && --depth === 0) return at + 1;
  }
  return -1;
}

/** Where the string ends whose quote is at `from`; -1 where it does not. A quote behind a backslash is part of it. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return at + 1;
  }
  return -1;
}
