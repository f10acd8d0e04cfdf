// Wraps lines to the width of the terminal: texts, sentences with commands, examples, and the pages of the help.

import type { Examples } from '../api/operations/define-operation.ts';
import { GLUE } from './color.ts';

const MARGIN = '  ';
const WORD = /(?:'[^']*'|"[^"]*"|[^\s'"])+/g;

/**
 * Wraps a command line for copying, each line after a margin. Lines end with a backslash, and never break inside a
 * word, a quoted text, or, if there is room, between a flag and its value; only a word longer than the terminal exceeds
 * it.
 */
export function wrapCommand(line: string, width: number): string {
  if (MARGIN.length + line.length <= width) return MARGIN + line;
  const words = line.match(WORD) ?? [];
  // Every line but the last ends with a backslash; every line but the first has a second margin.
  const room = width - MARGIN.length * 2;
  const glued = words.reduce((text, word, i) => {
    const before = words[i - 1] ?? '';
    const isValue = before.startsWith('-') && /^[^-|>&]/.test(word);
    const fits = MARGIN.length + before.length + 1 + word.length <= room;
    return text + (i === 0 ? '' : isValue && fits ? GLUE : ' ') + word.replaceAll(' ', GLUE);
  }, '');
  return wrapText(glued, room, MARGIN).replaceAll('\n', ` \\\n${MARGIN}`).replaceAll(GLUE, ' ');
}

/**
 * Formats examples for a help page, without their title: each followed by its purpose, or below it if the line is too
 * long. A short list then omits the purpose.
 */
export const wrapExamples = (
  examples: Examples,
  width: number,
  isShort: boolean,
): readonly string[] =>
  Object.entries(examples).flatMap(([purpose, line]) => {
    const row = `${MARGIN}${line}  # ${purpose}`;
    if (row.length <= width) return [row];
    const command = wrapCommand(line, width);
    if (isShort) return [command];
    const above = wrapText(`# ${purpose}`, width, MARGIN);
    return [above.replaceAll(`\n${MARGIN}`, `\n${MARGIN}# `), command];
  });

/** The minimum share of the line for a text beside the term that it explains; with less room it stands below. */
const LEAST_ROOM = 3 / 8;

/**
 * Wraps the lines of a page to at most `width` columns; only a longer word exceeds it. A text beside a term, or after
 * an indentation, hangs below its own start.
 */
export const wrapPage = (lines: readonly string[], width: number): readonly string[] =>
  lines.flatMap((line) => broken(line, width).split('\n'));

function broken(line: string, width: number): string {
  if (line.length <= width) return line;
  const start = /^ */.exec(line)![0].length;
  const term = /^ *\S.* {2,}(?=\S)/.exec(line)?.[0] ?? '';
  if (term === '') return hanging(line, start, width);
  if (width - term.length >= width * LEAST_ROOM) return hanging(line, term.length, width);
  const below = wrapText(line.slice(term.length), width, ' '.repeat(start + 2));
  return `${broken(term.trimEnd(), width)}\n${below}`;
}

/** Wraps a line with a hanging indent at a column. */
function hanging(line: string, column: number, width: number): string {
  const text = line.slice(column).replaceAll(/ {2,}/g, ' ');
  return line.slice(0, column) + wrapText(text, width, ' '.repeat(column)).slice(column);
}

/** The width of help pages: longer lines are harder to read. */
export const helpWidth = ({ columns = 80 }: { readonly columns?: number | undefined }): number =>
  Math.min(columns, 80);

/** The commands in a sentence, each up to its end or a semicolon. */
const COMMANDS = /(?<=: )social [^;]+/g;

/**
 * Wraps a sentence that may contain commands: a command is never broken, and stands on separate lines if it is long.
 */
export const wrapProse = (text: string, width: number, margin: string): string =>
  wrapText(
    text.replaceAll(COMMANDS, (command) => command.replaceAll(' ', GLUE)),
    width,
    margin,
  ).replaceAll(GLUE, ' ');

/** Wraps a paragraph at spaces so that no line is wider than `width`; each line starts with the margin. */
export function wrapText(text: string, width: number, margin: string): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line !== undefined && margin.length + line.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines.map((line) => margin + line).join('\n');
}
