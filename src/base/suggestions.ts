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
  field,
  problem: typed === undefined ? 'is required' : `${quoteUnlessSecret(typed)} is unknown`,
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
  const { typed = '', choices = [], neverSuggested = [], meant } = among ?? {};
  if (meant !== undefined) return meant;
  const near = closestWord(typed, [...neverSuggested, ...choices]);
  return near === undefined || neverSuggested.includes(near) ? undefined : near;
}

/** A mistyped word, and the words that were meant. */
export type Slip = readonly [wrong: string, ...meant: readonly string[]];

/** Finds the mistyped word of the only fault; `undefined` if it is not certain what was meant. */
export function slipIn([fault, ...others]: readonly Fault[]): Slip | undefined {
  const near = others.length === 0 ? nearestOf(fault?.among) : undefined;
  return near === undefined ? undefined : [fault!.among!.typed, ...near.split(' ')];
}

/**
 * Makes the line without the slip, which may be a part of a word: `--context=prdo`, `-a mastadon=…`, `--fields
 * id,statsu`. Returns `undefined` if the wrong word stands there twice, or if a word may be a secret. An unknown flag is
 * corrected only as a whole word, because its value may be one.
 */
export function correctedLine(
  argv: readonly string[],
  [wrong, ...meant]: Slip,
): CommandLine | undefined {
  const [before, after] = wrong.startsWith('-') ? ['^', '$'] : ['^|[=,]', '[=,]|$'];
  const place = new RegExp(`(?<=${before})${wrong.replace(/\W/g, '\\$&')}(?=${after})`, 'g');
  if (argv.flatMap((word) => word.match(place) ?? []).length !== 1) return undefined;
  const valueOf = (word: string) => word.replace(/^--[\w-]+=/, '').replace(`${wrong}=`, '');
  if (argv.some((word) => looksLikeSecret(valueOf(word)))) return undefined;
  const corrected = argv.flatMap((word) =>
    word === wrong ? meant : [word.replace(place, () => meant.join(' '))],
  );
  return ['social', ...corrected];
}

/** Returns the candidate that a few typing mistakes would turn into `word`, or `undefined`. */
export function closestWord(word: string, candidates: readonly string[]): string | undefined {
  if (word === '') return undefined;
  // Other tools have longer names: `--enabled-events`.
  const short = word.replace(/^--(?!no-|all-|skip-)[a-z]+[-_](?=\w)/, '--');
  const [nearest] = candidates
    .map((candidate) => ({
      candidate,
      slips: slips(short, candidate) <= 1 ? 1 : slips(word, candidate),
    }))
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
