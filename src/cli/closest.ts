// "Did you mean": the nearest of some words to one that is not among them.

import { closest as nearest, distance } from 'fastest-levenshtein';

/** The candidate that a slip of a few keys would turn into `word`; `undefined` where none is near. */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  if (candidates.length === 0) return undefined;
  const found = nearest(word, [...candidates]);
  return distance(word, found) <= (word.length < 3 ? 1 : Math.max(2, Math.floor(word.length * 0.4)))
    ? found
    : undefined;
}
