// Lines for a person on stderr, beside the result.

import { excerpt, sanitizeLine } from '../base/sanitize.ts';
import { wrapProse } from './wrap.ts';
import type { OutputStream } from '../base/runtime.ts';

const MOST_NOTES = 20;
/** The maximum length of a note, which may quote text of the service. */
const LONGEST_NOTE = 1000;

/** Lines with only a command are not wrapped, so that it can be copied. */
const COMMAND = /^(?:try|resume|install|same as): /;
const HANGING = '  ';

/** Writes notes for a person: one line each, wrapped between words on a narrow terminal. */
export const noteTo =
  (stderr: OutputStream) =>
  (note: string): void => {
    const line = sanitizeLine(excerpt(note, LONGEST_NOTE));
    const isOneLine = !stderr.isTTY || stderr.columns === undefined || COMMAND.test(line);
    void stderr.write(`${isOneLine ? line : wrapHanging(line, stderr.columns)}\n`);
  };

/** Wraps a paragraph with a hanging indent. */
const wrapHanging = (line: string, width: number): string =>
  wrapProse(line, width - HANGING.length, '').replaceAll('\n', `\n${HANGING}`);

/**
 * Shows each note once, because every poll of a post, and thousands of responses, repeat it. After twenty notes it says
 * that there are more.
 */
export function oncePerLine(note: (line: string) => void): (line: string) => void {
  const noted = new Set<string>();
  return (line) => {
    if (noted.has(line) || noted.size > MOST_NOTES) return;
    noted.add(line);
    note(noted.size > MOST_NOTES ? '… more notes not shown' : line);
  };
}
