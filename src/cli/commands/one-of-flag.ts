// The value of a flag that has a few.

import { type Fault, usageFailure } from '../../errors.ts';
import { quote } from '../../output/sanitize.ts';
import { closest } from '../closest.ts';
import type { LeafCall } from '../leaf.ts';

/** The value that was typed; undefined without the flag. Throws a usage failure when it is none of `values`. */
export function oneOfFlag<T extends string>(
  { flags }: LeafCall,
  name: string,
  values: readonly T[],
): T | undefined {
  const given = flags[name];
  if (typeof given !== 'string') return undefined;
  const found = values.find((each) => each === given);
  if (found !== undefined) return found;
  const near = closest(given, values);
  const fault: Fault = {
    field: `--${name}`,
    problem: `must be one of: ${values.join(', ')}; got ${quote(given)}`,
    ...(near === undefined ? {} : { fix: `did you mean ${near}?` }),
  };
  throw usageFailure([fault]);
}
