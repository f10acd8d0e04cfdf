// What is wrong with `--fields`: names that the result does not have, each with the one that was probably meant.

import type { Fault } from '../errors.ts';
import { quote } from '../output/sanitize.ts';

/** A fault for each unknown name; `known` are those that there are. */
export async function fieldFaults(
  unknown: readonly string[],
  known: () => Iterable<string>,
): Promise<readonly Fault[]> {
  if (unknown.length === 0) return [];
  const { closest } = await import('./closest.ts');
  const names = [...known()];
  return unknown.map((path) => {
    const near = closest(path, names);
    const fix = near === undefined ? {} : { fix: `did you mean ${near}?` };
    return { field: '--fields', problem: `names no field of this result: ${quote(path)}`, ...fix };
  });
}
