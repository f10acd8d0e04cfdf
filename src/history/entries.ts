// The local record of changes: a line when a change is about to leave, and a line when it is known how it ended. Here is
// what the lines mean, and where they are. No text, token, secret or header value is ever among it.

import { join } from 'node:path';
import { asideOf } from '../fs/append-log.ts';
import { readIfPresent } from '../fs/safe-read.ts';
import type { World } from '../base/runtime.ts';

/**
 * `ok`: done. `refused`: the service said no. `unsent`: it never left. `unknown`: it may have happened.
 * `partial`: of many, some are done.
 */
export type Outcome = 'ok' | 'refused' | 'unsent' | 'unknown' | 'partial';

/** What is written before a change leaves. */
export interface Begun {
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
export interface Ended {
  readonly id: string;
  readonly outcome: Outcome;
  readonly exitCode: number;
  readonly ms: number;
  readonly status?: number;
  /** What came to be by it. */
  readonly made?: string;
  /** How many of a batch went which way. */
  readonly counts?: Readonly<Record<string, number>>;
}

/** A change as it is told: `exitCode` is missing where the program ended before it could say. */
export type Entry = Begun & Partial<Ended> & { readonly outcome: Outcome };

/** Two files of this size at most: some eight thousand changes. */
export const MOST_BYTES = 1024 * 1024;

export const historyPath = (world: World): string => join(world.stateDir(), 'history.ndjson');

/** Every change on record, the oldest first. Throws `Failure('local_io')` for a file that cannot be read. */
export function readHistory(world: World): readonly Entry[] {
  const path = historyPath(world);
  const texts = [asideOf(path), path].map((each) => readIfPresent(each, MOST_BYTES * 2) ?? '');
  return entriesIn(texts.join('\n'));
}

/** The changes of which lines tell. What cannot be read is passed over: a record with a hole is one still. */
export function entriesIn(text: string): readonly Entry[] {
  const entries = new Map<string, Entry>();
  for (const line of text.split('\n')) {
    const said = line === '' ? undefined : parsed(line);
    if (said === undefined) continue;
    const before = entries.get(said.id);
    if (isBegun(said)) entries.set(said.id, { outcome: 'unknown', ...said });
    else if (before !== undefined) entries.set(said.id, { ...before, ...said });
  }
  return [...entries.values()];
}

function parsed(line: string): Begun | Ended | undefined {
  try {
    const value = JSON.parse(line) as Partial<Begun & Ended> | null;
    const known = typeof value?.id === 'string' && (isBegun(value) || isEnded(value));
    return known ? (value as Begun | Ended) : undefined;
  } catch {
    return undefined;
  }
}

const isBegun = (said: Partial<Begun>): said is Begun =>
  typeof said.command === 'string' &&
  Array.isArray(said.ids) &&
  !Number.isNaN(Date.parse(String(said.startedAt)));

const isEnded = (said: Partial<Ended>): boolean =>
  typeof said.outcome === 'string' && typeof said.exitCode === 'number';
