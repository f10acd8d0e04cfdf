// Lines for a person on stderr, beside the result.

import { excerpt, sanitizeLine } from '../base/sanitize.ts';
import type { OutputStream } from '../base/runtime.ts';

const MOST_NOTES = 20;
/** A note may quote what the service sent. */
const LONGEST_NOTE = 1000;

/** Writes notes for a person, one line each. */
export const noteTo =
  (stderr: OutputStream) =>
  (line: string): void =>
    void stderr.write(`${sanitizeLine(excerpt(line, LONGEST_NOTE))}\n`);

/**
 * Each note once, for all looks at one thing, and thousands of answers, lack the same: the first twenty of them, and
 * then that there are more.
 */
export function oncePerLine(note: (line: string) => void): (line: string) => void {
  const told = new Set<string>();
  return (line) => {
    if (told.has(line) || told.size > MOST_NOTES) return;
    told.add(line);
    note(told.size > MOST_NOTES ? '… more notes not shown' : line);
  };
}
