// Whole numbers with a range, as flags and settings take them.

import type { Fault } from '../base/errors.ts';
import { quote } from '../base/sanitize.ts';
import type { RawFlags } from './choices.ts';
import { camelCase } from './flags.ts';

interface Range {
  readonly minimum: number;
  readonly maximum: number;
}

/** Parses a whole number in decimal digits; returns the rule where it is none. */
export function wholeNumber({ minimum, maximum }: Range): (text: string) => number | string {
  return (text) => {
    const number = Number(text);
    const fits = /^\d{1,9}$/.test(text) && number >= minimum && number <= maximum;
    return fits ? number : `must be a whole number from ${minimum} to ${maximum}`;
  };
}

/** The number of a flag; `undefined` where it was not typed, or is not in the range, which is then a fault. */
export function numberFlag(
  flags: RawFlags,
  field: string,
  range: Range,
  faults: Fault[],
): number | undefined {
  const text = flags[camelCase(field.slice(2))];
  if (typeof text !== 'string') return undefined;
  const parsed = wholeNumber(range)(text);
  if (typeof parsed === 'number') return parsed;
  faults.push({ field, problem: `${parsed}, got ${quote(text)}` });
  return undefined;
}
