// What the state file says, in memory: its header, its things, and how long its log has grown.
// Takes in what a look at the file found; touches no file itself.

import { ioFailure } from '../../fs/io-errors.ts';
import type { StartName } from '../options.ts';
import type { LogRead } from './log.ts';
import { apply, type StoredChange, everything, sizeOf, type Tables } from './tables.ts';

// The lines of the state file: a header, then one line for the changes of each request.
// Refuses a newer format instead of guessing at it.

export const STATE_FORMAT = 1;

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
function isHeader(line: unknown, path: string): line is Header {
  const header = line as Partial<Header> | null | undefined;
  if (typeof header?.format === 'number' && header.format > STATE_FORMAT) {
    throw ioFailure(`${path} was written by a newer social (format ${header.format})`);
  }
  return header?.format === STATE_FORMAT && typeof header.token === 'string' && header.token !== '';
}

/** Tells a line of changes. One line holds all changes of a request, so that a torn line tears none apart. */
function isChanges(line: unknown): line is readonly StoredChange[] {
  return Array.isArray(line) && line.every(isChange);
}

function isChange(change: unknown): boolean {
  if (!Array.isArray(change) || change.length !== 3) return false;
  const [kind, id, value] = change as unknown[];
  return typeof kind === 'string' && typeof id === 'string' && typeof value === 'object';
}

/** The log is worth writing anew when it holds so many more changes than there are things. */
const SPARE_CHANGES = 5000;
const CHANGES_PER_THING = 4;

export interface Contents {
  header(): Header | undefined;
  tables(): Tables;
  /** Takes in what a look at `path` found; false when that is nothing usable, and what is here is void then. */
  takeIn(look: LogRead, path: string): boolean;
  take(changes: readonly StoredChange[]): void;
  startFrom(header: Header, changes: readonly StoredChange[]): void;
  /** The lines of a file that says the same in as few lines as there are things. */
  lines(): readonly unknown[];
  isLong(): boolean;
  /** The log has just been written anew, or cannot be: it is not called long for another while. */
  restart(): void;
}

export function createContents(): Contents {
  let header: Header | undefined;
  let tables: Tables = new Map();
  let spare = 0;

  const take = (changes: readonly StoredChange[]) => {
    apply(tables, changes);
    spare += changes.length;
  };
  const startFrom = (first: Header, changes: readonly StoredChange[]) => {
    [header, tables, spare] = [first, new Map(), 0];
    take(changes);
  };
  const takeLines = (lines: readonly unknown[]): boolean => {
    if (!lines.every(isChanges)) return false;
    lines.forEach(take);
    return true;
  };
  return {
    header: () => header,
    tables: () => tables,
    takeIn(look, path) {
      if (look.found === 'more') return takeLines(look.lines);
      if (look.found !== 'anew') return false;
      const [first, ...rest] = look.lines;
      if (!isHeader(first, path)) return false;
      startFrom(first, []);
      return takeLines(rest);
    },
    take,
    startFrom,
    lines: () => [header, ...everything(tables).map((thing) => [thing])],
    isLong: () => spare > SPARE_CHANGES + CHANGES_PER_THING * sizeOf(tables),
    restart: () => {
      spare = 0;
    },
  };
}
