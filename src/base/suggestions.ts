// "Did you mean": the word of a list that is nearest to an unknown one, and faults of values that must be one of some
// words.

import { distance } from 'fastest-levenshtein';
import type { Fault } from './fault.ts';
import { quoteUnlessSecret } from './sanitize.ts';

/** Makes the problem of a value that must be one of some words; `got` is the value as it may be shown. */
export const notOneOf = (choices: readonly string[], got: string): string =>
  `must be one of: ${choices.join(', ')}; got ${got}`;

/** Makes the fault of an operand that must be one of some words, and is missing or different. */
export const notAmong = (
  field: string,
  typed: string | undefined,
  choices: readonly string[],
): Fault => ({
  field: typed === undefined ? field : `unknown ${field}`,
  problem: typed === undefined ? 'is required' : quoteUnlessSecret(typed),
  fix: `${field}s: ${choices.join(', ')}`,
  among: { typed: typed ?? '', choices },
});

/** Adds the nearest word as the fix of each fault. No fix is added if the nearest one must not be suggested. */
export const withSuggestions = (faults: readonly Fault[]): readonly Fault[] =>
  faults.map(({ among, ...fault }) => {
    const { typed = '', choices = [], neverSuggested = [] } = among ?? {};
    const near = closestWord(typed, [...neverSuggested, ...choices]);
    if (near === undefined || neverSuggested.includes(near)) return fault;
    return { ...fault, fix: `did you mean ${near}?` };
  });

/** Returns the candidate that a few typing mistakes would turn into `word`, or `undefined`. */
export function closestWord(word: string, candidates: readonly string[]): string | undefined {
  if (word === '') return undefined;
  const [nearest] = candidates
    .map((candidate) => ({ candidate, slips: slips(word, candidate) }))
    .toSorted((a, b) => a.slips - b.slips);
  const allowed = Math.max(1, Math.floor(word.length * 0.4));
  return nearest !== undefined && nearest.slips <= allowed ? nearest.candidate : undefined;
}

/** Counts typing mistakes; two swapped letters are one. */
function slips(typed: string, meant: string): number {
  const at = typed.split('').findIndex((letter, i) => letter !== meant[i]);
  const swapped =
    at < 0 ? typed : typed.slice(0, at) + (typed[at + 1] ?? '') + typed[at]! + typed.slice(at + 2);
  return swapped === meant ? Math.min(1, distance(typed, meant)) : distance(typed, meant);
}
