// JSON that is not one value per line: an array, or objects of several lines. Cut into its values as it is read, so
// that only one is in memory.

import { decodeUtf8, withoutBom } from '../../base/utf8.ts';
import type { Line, LineSplitter } from './lines.ts';

/** One value: a post with everything on it, or the whole output of a triage. */
const MAX_VALUE_BYTES = 8 * 1024 * 1024;
/** Bytes that are looked at to tell such JSON from lines. */
export const HEAD_BYTES = 256;

/** An array of IDs or objects, an object that goes on in the next line, or what `posts triage --json` prints. */
const STARTS = /^\s*(?:\[\s*(?:$|["{[\]\d-])|\{\s*\n|\{"posts":\d+,"failedTargets":)/;

export const startsJsonValues = (head: Uint8Array): boolean =>
  STARTS.test(withoutBom(Buffer.from(head).toString('latin1').replace(/^ï»¿/, '')));

const [LF, QUOTE, BACKSLASH, OPEN, CLOSE] = [10, 34, 92, 91, 93] as const;
const isOpening = (byte: number) => byte === OPEN || byte === 123;
const isClosing = (byte: number) => byte === CLOSE || byte === 125;
/** Space, tab, line breaks, commas, and the mark at the start of a file. */
const SEPARATORS = new Set([32, 9, 10, 13, 44, 0xef, 0xbb, 0xbf]);

/** Splits JSON into the values of its outermost array, or one after the other, each under the line it begins in. */
export function jsonValueSplitter(): LineSplitter {
  let pieces: Buffer[] = [];
  let [size, line, start, arrays, depth] = [0, 1, 1, 0, 0];
  let [inValue, inString, isScalar, escaped, broken] = [false, false, false, false, false];

  const fail = (fault: string): Line => {
    broken = true;
    pieces = [];
    return { number: start, text: '', fault };
  };
  const take = (): Line => {
    const text = decodeUtf8(Buffer.concat(pieces));
    pieces = [];
    [size, inValue, isScalar] = [0, false, false];
    return text === undefined ? fail('is not valid UTF-8') : { number: start, text };
  };
  /** Reads one byte of a value; whether the value ends with it. */
  const endsValue = (byte: number): boolean => {
    if (inString) {
      if (escaped) escaped = false;
      else if (byte === BACKSLASH) escaped = true;
      else if (byte === QUOTE) inString = false;
      return byte === QUOTE && !inString && depth === 0;
    }
    if (byte === QUOTE) inString = true;
    else if (isOpening(byte)) depth++;
    else if (isClosing(byte)) return --depth === 0;
    return false;
  };

  return {
    push(chunk) {
      const bytes = Buffer.from(chunk);
      const values: Line[] = [];
      let from = 0;
      for (const [at, byte] of bytes.entries()) {
        if (broken) break;
        if (inValue && isScalar && (SEPARATORS.has(byte) || byte === CLOSE)) {
          pieces.push(bytes.subarray(from, at));
          values.push(take());
        }
        if (!inValue && (SEPARATORS.has(byte) || byte === OPEN || byte === CLOSE)) {
          if (byte === OPEN) arrays++;
          if (byte === CLOSE && --arrays < 0)
            values.push(fail('closes an array that was not open'));
        } else {
          if (!inValue) {
            [inValue, from, start, depth] = [true, at, line, 0];
            isScalar = byte !== QUOTE && !isOpening(byte);
          }
          if (!isScalar && endsValue(byte)) {
            pieces.push(bytes.subarray(from, at + 1));
            values.push(take());
          }
        }
        if (byte === LF) line++;
      }
      if (inValue && !broken) {
        pieces.push(bytes.subarray(from));
        size += bytes.length - from;
        if (size > MAX_VALUE_BYTES) values.push(fail('is a JSON value of more than 8 MiB'));
      }
      return values;
    },
    end() {
      if (broken) return [];
      const last = inValue && isScalar ? [take()] : [];
      if (inValue || arrays > 0) return [...last, fail('is JSON that ends too early')];
      return last;
    },
  };
}
