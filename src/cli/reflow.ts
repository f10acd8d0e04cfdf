// Lines of a page, broken to the width of whoever reads them. A paragraph is one text however it was written; a line
// that is indented stays one of its own, and what does not fit hangs below the column in which its text begins.

import { fold } from './help-page.ts';

/** A column that hangs further to the right than this leaves too little beside it. */
const FURTHEST = 0.75;

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
  const column = /^ *\S.* {2,}(?=\S)/.exec(line)?.[0].length ?? start;
  const hang = column <= width * FURTHEST ? column : start + 2;
  const [head, text] =
    column === hang
      ? [line.slice(0, hang), line.slice(hang)]
      : [line.slice(0, start), line.slice(start)];
  return head + fold(text.replaceAll(/ {2,}/g, ' '), width, ' '.repeat(hang)).slice(hang);
}
