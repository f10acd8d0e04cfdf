// Did-you-mean: the nearest of some words to one that is not among them.

import { distance } from 'fastest-levenshtein';

/** The candidate that a slip of a few keys would turn into `word`; `undefined` where none is near. */
export function closestWord(word: string, candidates: readonly string[]): string | undefined {
  if (word === '') return undefined;
  const [nearest] = candidates
    .map((candidate) => ({ candidate, slips: slips(word, candidate) }))
    .toSorted((a, b) => a.slips - b.slips);
  const allowed = Math.max(1, Math.floor(word.length * 0.4));
  return nearest !== undefined && nearest.slips <= allowed ? nearest.candidate : undefined;
}

/** The nearest of some words, and the question that names it; `shown` is how it is typed there. */
export function didYouMean(
  word: string,
  candidates: readonly string[],
  shown = (near: string) => near,
): { readonly near: string; readonly fix: string } | undefined {
  const near = closestWord(word, candidates);
  return near === undefined ? undefined : { near, fix: `did you mean ${shown(near)}?` };
}

/** Keys that were hit wrongly; two letters in the wrong order are one slip. */
function slips(typed: string, meant: string): number {
  const at = typed.split('').findIndex((letter, i) => letter !== meant[i]);
  const swapped =
    at < 0 ? typed : typed.slice(0, at) + (typed[at + 1] ?? '') + typed[at]! + typed.slice(at + 2);
  return swapped === meant ? Math.min(1, distance(typed, meant)) : distance(typed, meant);
}
