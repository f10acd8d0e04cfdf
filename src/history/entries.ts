// The history of changes: the format of its file, and reading it. A change is a line before it is sent and a line when it
// has ended. No text, token, secret or header value is ever in it.

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

/** The line before a change is sent. */
export interface EntryStart {
  readonly id: string;
  /** When, as an ISO timestamp. */
  readonly startedAt: string;
  /** The words that were typed: `posts retry`. */
  readonly command: string;
  /** The ids that it changes; of many, the first. */
  readonly ids: readonly string[];
  /** The number of records of a batch. */
  readonly count?: number;
  /** A hash of the whole input, by which the same change is recognised. */
  readonly input?: string;
  readonly context: string | null;
  readonly origin: string;
  /** Set where an agent made the change, over `mcp serve`. */
  readonly by?: 'agent';
  readonly journal?: string;
}

/** The line when it has ended. The last one of an id counts. */
export interface EntryEnd {
  readonly id: string;
  readonly outcome: HistoryOutcome;
  readonly exitCode: number;
  readonly ms: number;
  readonly status?: number;
  /** The id of what it created. */
  readonly made?: string;
  /** The totals of a batch. */
  readonly counts?: Readonly<Record<string, number>>;
}

/** A change as it is shown. Without an `exitCode` the program ended before the change did. */
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

/** The changes in the lines of a file. Unreadable lines are skipped. */
export function entriesIn(text: string): readonly HistoryEntry[] {
  const entries = new Map<string, HistoryEntry>();
  for (const line of text.split('\n')) {
    const entry = line === '' ? undefined : parseLine(line);
    if (entry === undefined) continue;
    const before = entries.get(entry.id);
    if (isStart(entry)) entries.set(entry.id, { outcome: 'unknown', ...entry });
    else if (before !== undefined) entries.set(entry.id, { ...before, ...entry });
  }
  return [...entries.values()];
}

function parseLine(line: string): EntryStart | EntryEnd | undefined {
  try {
    const value = JSON.parse(line) as Partial<EntryStart & EntryEnd> | null;
    const isKnown = typeof value?.id === 'string' && (isStart(value) || isEnd(value));
    return isKnown ? (value as EntryStart | EntryEnd) : undefined;
  } catch {
    return undefined;
  }
}

const isStart = (value: Partial<EntryStart>): value is EntryStart =>
  typeof value.command === 'string' &&
  Array.isArray(value.ids) &&
  !Number.isNaN(Date.parse(String(value.startedAt)));

const isEnd = (value: Partial<EntryEnd>): boolean =>
  typeof value.outcome === 'string' && typeof value.exitCode === 'number';
