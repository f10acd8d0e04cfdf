// Text for a person: wrapped to the width of the terminal, and notes on stderr beside the result.

import { wrapAnsi } from 'fast-wrap-ansi';
import type { OutputStream } from '../base/runtime.ts';
import { excerpt, sanitizeLine } from '../base/sanitize.ts';

/** A no-break space: no line is wrapped at it. Who lays text out replaces it by an ordinary space afterwards. */
export const GLUE = '\u00a0';

/** Wraps a paragraph at spaces to lines of at most `width`, except for a longer word. Each line starts with the margin. */
export const wrapText = (text: string, width = 80, margin = ''): string =>
  wrapAnsi(text, width - margin.length).replace(/^/gm, margin);

/** The commands in a sentence, each up to its end or a semicolon. */
const COMMANDS = /(?<=: )social [^;]+/g;

/**
 * Wraps a sentence that may contain commands: a command is never broken, and stands on separate lines if it is long.
 */
export const wrapProse = (text: string, width?: number, margin?: string): string =>
  wrapText(
    text.replaceAll(COMMANDS, (command) => command.replaceAll(' ', GLUE)),
    width,
    margin,
  ).replaceAll(GLUE, ' ');

/** The maximum length of a note, which may quote text of the service. */
const LONGEST_NOTE = 1000;
/** Lines with only a command are not wrapped, so that it can be copied. */
const COMMAND = /^(?:try|resume|install|same as): /;

const HANGING = '  ';

/** Writes notes: one line each, on a terminal wrapped with a hanging indent. */
export const noteTo =
  (stderr: OutputStream) =>
  (note: string): void => {
    // A command that is cut would be another command.
    const line = sanitizeLine(COMMAND.test(note) ? note : excerpt(note, LONGEST_NOTE));
    const text =
      !stderr.isTTY || COMMAND.test(line)
        ? line
        : wrapProse(line, (stderr.columns ?? 80) - HANGING.length).replaceAll('\n', `\n${HANGING}`);
    void stderr.write(`${text}\n`);
  };

const MOST_NOTES = 20;

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
