// Wraps texts, and sentences with commands, to the width of the terminal.

import { wrapAnsi } from 'fast-wrap-ansi';
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
export const wrapText = (text: string, width: number, margin: string): string =>
  wrapAnsi(text, width - margin.length).replace(/^/gm, margin);
