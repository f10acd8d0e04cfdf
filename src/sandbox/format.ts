// The lines of the state file: a header, then one line for the changes of each request.
// Refuses a newer format instead of guessing at it.

import { failure } from '../files/trouble.ts';
import type { Change } from './kinds.ts';
import type { StartName } from './seed/start-names.ts';

export const FORMAT = 1;

/** The first line. */
export interface Header {
  readonly format: number;
  readonly token: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** What it started from; `demo` where it is not said. */
  readonly start?: StartName;
}

/** Tells a header of this format; throws `Failure('local_io')` for a newer one. */
export function isHeader(line: unknown, path: string): line is Header {
  const header = line as Partial<Header> | null | undefined;
  if (typeof header?.format === 'number' && header.format > FORMAT) {
    throw failure(`${path} was written by a newer social (format ${header.format})`);
  }
  return header?.format === FORMAT && typeof header.token === 'string' && header.token !== '';
}

/** Tells a line of changes. One line holds all changes of a request, so that a torn line tears none apart. */
export function isChanges(line: unknown): line is readonly Change[] {
  return Array.isArray(line) && line.every(isChange);
}

function isChange(change: unknown): boolean {
  if (!Array.isArray(change) || change.length !== 3) return false;
  const [kind, id, value] = change as unknown[];
  return typeof kind === 'string' && typeof id === 'string' && typeof value === 'object';
}
