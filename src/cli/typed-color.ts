// Whether colour was asked for on the line, read off the raw words: for what is said before a line is parsed, or because
// it does not parse.

import type { ColorChoice, ColorWish } from '../output/signs.ts';

const choices: readonly string[] = ['auto', 'always', 'never'] satisfies readonly ColorChoice[];
const isChoice = (word: string): word is ColorChoice => choices.includes(word);

/** The wish that was typed last; `usual` where none was. */
export function typedColor(argv: readonly string[], usual: ColorChoice = 'auto'): ColorWish {
  const end = argv.indexOf('--');
  const words = end < 0 ? argv : argv.slice(0, end);
  const wishes = words.flatMap((word, i) => {
    if (word === '--no-color') return ['never'];
    if (word === '--color') return [words[i + 1] ?? ''];
    return word.startsWith('--color=') ? [word.slice('--color='.length)] : [];
  });
  const last = wishes.findLast(isChoice);
  return last === undefined ? { choice: usual, typed: false } : { choice: last, typed: true };
}
