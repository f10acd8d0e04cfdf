// The local record of changes: a line when a change is about to leave, and a line when it is known how it ended. Here is
// what the lines mean, and where they are. No text, token, secret or header value is ever among it.

import { join } from 'node:path';
import { fileNames } from '../base/paths.ts';
import { rotatedPath } from '../fs/append-log.ts';
import { readIfPresent } from '../fs/safe-read.ts';
import type { Runtime } from '../base/runtime.ts';

/**
 * `ok`: done. `refused`: the service said no. `unsent`: it never left. `unknown`: it may have happened.
 * `partial`: of many, some are done.
 */
export type HistoryOutcome = 'ok' | 'refused' | 'unsent' | 'unknown' | 'partial';

/** What is written before a change leaves. */
export interface EntryStart {
  readonly id: string;
  /** When, as an ISO timestamp. */
  readonly startedAt: string;
  /** The words that were typed: `posts retry`. */
  readonly command: string;
  /** What it was done to; of many the first ones. */
  readonly ids: readonly string[];
  /** How many, where they are many. */
  readonly count?: number;
  /** A hash of all of the input, by which the same change is known again. */
  readonly input?: string;
  readonly context: string | null;
  readonly origin: string;
  /** Set where an agent made the change, over `mcp serve`. */
  readonly by?: 'agent';
  readonly journal?: string;
}

/** What is written when it has ended; a later line of the same id counts. */
export interface EntryEnd {
  readonly id: string;
  readonly outcome: HistoryOutcome;
  readonly exitCode: number;
  readonly ms: number;
  readonly status?: number;
  /** What came to be by it. */
  readonly made?: string;
  /** How many of a batch went which way. */
  readonly counts?: Readonly<Record<string, number>>;
}

/** A change as it is told: `exitCode` is missing where the program ended before it could say. */
export type HistoryEntry = EntryStart & Partial<EntryEnd> & { readonly outcome: HistoryOutcome };

/** Two files of this size at most: some eight thousand changes. */
export const MAX_HISTORY_BYTES = 1024 * 1024;

export const historyPath = (runtime: Runtime): string =>
  join(runtime.stateDir(), fileNames.history);

/** Every change on record, the oldest first. Throws `Failure('local_io')` for a file that cannot be read. */
export function readHistory(runtime: Runtime): readonly HistoryEntry[] {
  const path = historyPath(runtime);
  const texts = [rotatedPath(path), path].map(
    (each) => readIfPresent(each, MAX_HISTORY_BYTES * 2) ?? '',
  );
  return entriesIn(texts.join('\n'));
}

/** The changes of which lines tell. What cannot be read is passed over: a record with a hole is one still. */
export function entriesIn(text: string): readonly HistoryEntry[] {
  const entries = new Map<string, HistoryEntry>();
  for (const line of text.split('\n')) {
    const said = line === '' ? undefined : parsed(line);
    if (said === undefined) continue;
    const before = entries.get(said.id);
    if (isBegun(said)) entries.set(said.id, { outcome: 'unknown', ...said });
    else if (before !== undefined) entries.set(said.id, { ...before, ...said });
  }
  return [...entries.values()];
}

function parsed(line: string): EntryStart | EntryEnd | undefined {
  try {
    const value = JSON.parse(line) as Partial<EntryStart & EntryEnd> | null;
    const known = typeof value?.id === 'string' && (isBegun(value) || isEnded(value));
    return known ? (value as EntryStart | EntryEnd) : undefined;
  } catch {
    return undefined;
  }
}

const isBegun = (said: Partial<EntryStart>): said is EntryStart =>
  typeof said.command === 'string' &&
  Array.isArray(said.ids) &&
  !Number.isNaN(Date.parse(String(said.startedAt)));

const isEnded = (said: Partial<EntryEnd>): boolean =>
  typeof said.outcome === 'string' && typeof said.exitCode === 'number';
