// Wraps texts, and sentences with commands, to the width of the terminal.

import { GLUE } from './color.ts';

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
