// Lines for a person on stderr, beside the result.

import { excerpt, sanitizeLine } from '../base/sanitize.ts';
import { wrapProse } from './wrap.ts';
import type { OutputStream } from '../base/runtime.ts';

const MOST_NOTES = 20;
/** A note may quote what the service sent. */
const LONGEST_NOTE = 1000;

/** Lines that are all command stay whole, to be copied. */
const COMMAND = /^(?:try|resume|install|same as): /;
const HANGING = '  ';

/** Writes notes for a person: one line each, broken between words on a terminal that is narrower. */
export const noteTo =
  (stderr: OutputStream) =>
  (note: string): void => {
    const line = sanitizeLine(excerpt(note, LONGEST_NOTE));
    const isWhole = !stderr.isTTY || stderr.columns === undefined || COMMAND.test(line);
    void stderr.write(`${isWhole ? line : wrapHanging(line, stderr.columns)}\n`);
  };

/** A paragraph whose first line stands out to the left. */
const wrapHanging = (line: string, width: number): string =>
  wrapProse(line, width - HANGING.length, '').replaceAll('\n', `\n${HANGING}`);

/**
 * Each note once, for all looks at one thing, and thousands of answers, lack the same: the first twenty of them, and
 * then that there are more.
 */
export function oncePerLine(note: (line: string) => void): (line: string) => void {
  const noted = new Set<string>();
  return (line) => {
    if (noted.has(line) || noted.size > MOST_NOTES) return;
    noted.add(line);
    note(noted.size > MOST_NOTES ? '… more notes not shown' : line);
  };
}
