// Faults of values that have to be one of some words: the rule, and the nearest of them as the fix (did-you-mean).

import { didYouMean } from './closest.ts';
import type { Fault } from './errors.ts';
import { quoteUnlessSecret } from './secret-words.ts';

/** The clause of a value that has to be one of some words; `seen` is what was given instead, as it is shown. */
export const notOneOf = (choices: readonly string[], seen: string): string =>
  `must be one of: ${choices.join(', ')}; got ${seen}`;

/** The fault of an operand that has to be one of some words, and is missing or another. */
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

/** The faults, with the nearest word as the fix. */
export const withSuggestions = (faults: readonly Fault[]): readonly Fault[] =>
  faults.map(({ among, ...fault }) => {
    const { typed = '', choices = [], unsaid = [] } = among ?? {};
    const meant = didYouMean(typed, [...unsaid, ...choices]);
    if (meant === undefined || unsaid.includes(meant.near)) return fault;
    return { ...fault, fix: [meant.fix, among?.also].filter(Boolean).join(' ') };
  });
