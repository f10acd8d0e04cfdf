// "Did you mean": the word of a list that is nearest to an unknown one.

import { distance } from 'fastest-levenshtein';

/** Returns the candidate that a few typing mistakes would turn into `word`, or `undefined`. */
export function closestWord(word: string, candidates: readonly string[]): string | undefined {
  if (word === '') return undefined;
  const [nearest] = candidates
    .map((candidate) => ({ candidate, slips: slips(word, candidate) }))
    .toSorted((a, b) => a.slips - b.slips);
  const allowed = Math.max(1, Math.floor(word.length * 0.4));
  return nearest !== undefined && nearest.slips <= allowed ? nearest.candidate : undefined;
}

/** Returns the nearest word and the question that names it; `shown` formats the word as it is typed there. */
export function didYouMean(
  word: string,
  candidates: readonly string[],
  format = (near: string) => near,
): { readonly near: string; readonly fix: string } | undefined {
  const near = closestWord(word, candidates);
  return near === undefined ? undefined : { near, fix: `did you mean ${format(near)}?` };
}

/** Counts typing mistakes; two swapped letters are one. */
function slips(typed: string, meant: string): number {
  const at = typed.split('').findIndex((letter, i) => letter !== meant[i]);
  const swapped =
    at < 0 ? typed : typed.slice(0, at) + (typed[at + 1] ?? '') + typed[at]! + typed.slice(at + 2);
  return swapped === meant ? Math.min(1, distance(typed, meant)) : distance(typed, meant);
}
