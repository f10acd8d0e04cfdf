// A command line to read and to copy, broken where the terminal is too narrow for it: with a backslash, so that the
// shell still takes it for one line, and never inside a word, a quoted text, or, while there is room, between a
// flag and its value.

import type { Example } from '../operations/operation.ts';
import { fold } from './help-page.ts';

const MARGIN = '  ';
const WORD = /(?:'[^']*'|"[^"]*"|[^\s'"])+/g;
/** Stands for a space at which nothing is broken. */
const GLUE = '\u00a0';

/** The line in lines, each behind the margin; only a word that is longer than the terminal is wide stands out. */
export function foldCommand(line: string, width: number, margin = MARGIN): string {
  if (margin.length + line.length <= width) return margin + line;
  const words = line.match(WORD) ?? [];
  // Every line but the last has a backslash, every line but the first a further margin.
  const room = width - MARGIN.length * 2;
  const glued = words.reduce((text, word, i) => {
    const before = words[i - 1] ?? '';
    const isValue = before.startsWith('-') && /^[^-|>&]/.test(word);
    const fits = margin.length + before.length + 1 + word.length <= room;
    return text + (i === 0 ? '' : isValue && fits ? GLUE : ' ') + word.replaceAll(' ', GLUE);
  }, '');
  return fold(glued, room, margin).replaceAll('\n', ` \\\n${MARGIN}`).replaceAll(GLUE, ' ');
}

/** Examples for a help page, without their title. */
export const foldExamples = (examples: readonly Example[], width: number): readonly string[] =>
  examples.flatMap(([purpose, line]) => [
    fold(`# ${purpose}`, width, MARGIN).replaceAll(`\n${MARGIN}`, `\n${MARGIN}# `),
    foldCommand(line, width),
  ]);
