// Faults of values that must be one of some words: the rule, and the nearest word as the fix ("did you mean").

import { didYouMean } from './closest.ts';
import type { Fault } from './errors.ts';
import { quoteUnlessSecret } from './secret-words.ts';

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
    const { typed = '', choices = [], unsaid = [] } = among ?? {};
    const meant = didYouMean(typed, [...unsaid, ...choices]);
    if (meant === undefined || unsaid.includes(meant.near)) return fault;
    return { ...fault, fix: [meant.fix, among?.also].filter(Boolean).join(' ') };
  });
