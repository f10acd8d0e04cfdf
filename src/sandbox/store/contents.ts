// The contents of the state file in memory: a header, then one line for the changes of each request. Refuses a newer
// format; tells when the log has grown long. Touches no file itself.

import { ioFailure } from '../../fs/io-errors.ts';
import type { StartName } from '../options.ts';
import type { LogRead } from './log.ts';
import { apply, type StoredChange, everything, sizeOf, type Tables } from './tables.ts';

export const STATE_FORMAT = 1;

/** The first line. */
export interface Header {
  readonly format: number;
  readonly token: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** The start state; `demo` where it is missing. */
  readonly start?: StartName;
}

/** Whether a line is a header of this format; throws `Failure('local_io')` for a newer one. */
function isHeader(line: unknown, path: string): line is Header {
  const header = line as Partial<Header> | null | undefined;
  if (typeof header?.format === 'number' && header.format > STATE_FORMAT) {
    throw ioFailure(`${path} was written by a newer version of social (format ${header.format})`);
  }
  return header?.format === STATE_FORMAT && typeof header.token === 'string' && header.token !== '';
}

/** Whether a line has changes. One line has all changes of a request, so that a torn line tears none apart. */
function isChanges(line: unknown): line is readonly StoredChange[] {
  return Array.isArray(line) && line.every(isChange);
}

function isChange(change: unknown): boolean {
  if (!Array.isArray(change) || change.length !== 3) return false;
  const [kind, id, value] = change as unknown[];
  return typeof kind === 'string' && typeof id === 'string' && typeof value === 'object';
}

/** The log is rewritten when it has so many more changes than there are values. */
const SPARE_CHANGES = 5000;
const CHANGES_PER_VALUE = 4;

export function createContents() {
  let header: Header | undefined;
  let tables: Tables = new Map();
  let spare = 0;

  const add = (changes: readonly StoredChange[]) => {
    apply(tables, changes);
    spare += changes.length;
  };
  const startFrom = (first: Header, changes: readonly StoredChange[]) => {
    [header, tables, spare] = [first, new Map(), 0];
    add(changes);
  };
  const addLines = (lines: readonly unknown[]): boolean => {
    if (!lines.every(isChanges)) return false;
    lines.forEach(add);
    return true;
  };
  return {
    header: () => header,
    tables: () => tables,
    /** Applies what was read from `path`; false when that is unusable, and the contents are then void. */
    load(read: LogRead, path: string): boolean {
      if (read.found === 'more') return addLines(read.lines);
      if (read.found !== 'anew') return false;
      const [first, ...rest] = read.lines;
      if (!isHeader(first, path)) return false;
      startFrom(first, []);
      return addLines(rest);
    },
    apply: add,
    startFrom,
    /** The lines of a file with the same contents, one for each value. */
    lines: (): readonly unknown[] => [header, ...everything(tables).map((change) => [change])],
    isLong: () => spare > SPARE_CHANGES + CHANGES_PER_VALUE * sizeOf(tables),
    /** Restarts the count for `isLong`: the log was rewritten, or cannot be. */
    restart: () => void (spare = 0),
  };
}
