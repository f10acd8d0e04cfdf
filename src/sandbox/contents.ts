// What the state file says, in memory: its header, its things, and how long its log has grown.
// Takes in what a look at the file found; touches no file itself.

import { type Header, isChanges, isHeader } from './format.ts';
import type { Change } from './kinds.ts';
import type { Look } from './log.ts';
import { apply, everything, sizeOf, type Tables } from './records.ts';

/** The log is worth writing anew when it holds so many more changes than there are things. */
const SPARE_CHANGES = 5000;
const CHANGES_PER_THING = 4;

export interface Contents {
  header(): Header | undefined;
  tables(): Tables;
  /** Takes in what a look at `path` found; false when that is nothing usable, and what is here is void then. */
  takeIn(look: Look, path: string): boolean;
  take(changes: readonly Change[]): void;
  startFrom(header: Header, changes: readonly Change[]): void;
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

  const take = (changes: readonly Change[]) => {
    apply(tables, changes);
    spare += changes.length;
  };
  const startFrom = (first: Header, changes: readonly Change[]) => {
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
