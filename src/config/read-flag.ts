// Values of flags that are read by a rule, and whole numbers with a range, as flags and settings take them.

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

/**
 * The value of a flag; `undefined` where it was not typed, or where `parse` returns the rule that it breaks, which is
 * then a fault.
 */
export function readFlag<T extends number | object>(
  flags: RawFlags,
  field: string,
  parse: (text: string) => T | string,
  faults: Fault[],
): T | undefined {
  const text = flags[camelCase(field.slice(2))];
  if (typeof text !== 'string') return undefined;
  const parsed = parse(text);
  if (typeof parsed !== 'string') return parsed;
  faults.push({ field, problem: `${parsed}, got ${quote(text)}` });
  return undefined;
}

/** Ports of this machine; 0 is any that is free. */
export const PORTS = { minimum: 0, maximum: 65_535 };

/** The number of a flag, likewise. */
export const numberFlag = (flags: RawFlags, field: string, range: Range, faults: Fault[]) =>
  readFlag(flags, field, wholeNumber(range), faults);
