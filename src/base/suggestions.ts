// "Did you mean": the word of a list that is nearest to an unknown one, faults of values that must be one of some words,
// and the corrected line.

import { distance } from 'fastest-levenshtein';
import type { Fault } from './fault.ts';
import type { CommandLine } from './shell.ts';
import { looksLikeSecret, quoteUnlessSecret } from './sanitize.ts';

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

/** Adds the nearest word as the fix of each fault. */
export const withSuggestions = (faults: readonly Fault[]): readonly Fault[] =>
  faults.map(({ among, ...fault }) => {
    const near = nearestOf(among);
    return near === undefined ? fault : { ...fault, fix: `did you mean ${near}?` };
  });

/** Returns the word that was probably meant; `undefined` also if the nearest one must not be suggested. */
function nearestOf(among: Fault['among']): string | undefined {
  const { typed = '', choices = [], neverSuggested = [] } = among ?? {};
  const near = closestWord(typed, [...neverSuggested, ...choices]);
  return near === undefined || neverSuggested.includes(near) ? undefined : near;
}

/** Makes the line in which the only fault is corrected; `undefined` if it is not certain what was meant. */
export function lineWithoutFault(
  argv: readonly string[],
  [fault, ...others]: readonly Fault[],
): CommandLine | undefined {
  const near = others.length === 0 ? nearestOf(fault?.among) : undefined;
  return near === undefined ? undefined : correctedLine(argv, fault!.among!.typed, [near]);
}

/** Makes the line with other words in place of a wrong one, unless it stands there twice or a word may be a secret. */
export function correctedLine(
  argv: readonly string[],
  wrong: string,
  meant: readonly string[],
): CommandLine | undefined {
  const at = argv.indexOf(wrong);
  if (at < 0 || argv.lastIndexOf(wrong) > at) return undefined;
  if (argv.some((word) => looksLikeSecret(word.replace(/^--[\w-]+=/, '')))) return undefined;
  return ['social', ...argv.toSpliced(at, 1, ...meant)];
}

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
