// Lines of a page, broken to the width of whoever reads them. A paragraph is one text however it was written; a line
// that is indented stays one of its own, and what does not fit hangs below the column in which its text begins.

import { foldCommand } from './fold-command.ts';
import { fold } from './help-page.ts';

/** The part of a line that a text needs beside the term which it explains; where there is less it stands below. */
const LEAST_ROOM = 3 / 8;

/** The same page in lines of at most `width` columns; only a word that is longer than that stands out. */
export function reflow(lines: readonly string[], width: number): readonly string[] {
  return paragraphs(lines).flatMap((line) => broken(line, width).split('\n'));
}

const goesOn = (line: string | undefined): boolean => line !== undefined && /^\S/.test(line);

function paragraphs(lines: readonly string[]): readonly string[] {
  const all: string[] = [];
  for (const line of lines) {
    const before = all.at(-1);
    if (goesOn(before) && goesOn(line)) all[all.length - 1] = `${before!} ${line}`;
    else all.push(line);
  }
  return all;
}

function broken(line: string, width: number): string {
  if (line.length <= width) return line;
  const start = /^ *(?:- )?/.exec(line)![0].length;
  const term = /^ *\S.* {2,}(?=\S)/.exec(line)?.[0] ?? '';
  if (term === '' && /^ +social /.test(line))
    return foldCommand(line.trim(), width, ' '.repeat(start));
  if (term === '') return hanging(line, start, width);
  if (width - term.length >= width * LEAST_ROOM) return hanging(line, term.length, width);
  const below = fold(line.slice(term.length), width, ' '.repeat(start + 2));
  return `${broken(term.trimEnd(), width)}\n${below}`;
}

/** A line whose text begins in a column, and goes on below it. */
function hanging(line: string, column: number, width: number): string {
  const text = line.slice(column).replaceAll(/ {2,}/g, ' ');
  return line.slice(0, column) + fold(text, width, ' '.repeat(column)).slice(column);
}
