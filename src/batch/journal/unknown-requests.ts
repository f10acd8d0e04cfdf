// What a journal leaves unknown, request by request, and writing down what became of it.

import { closeSync, existsSync } from 'node:fs';
import { usageFailure } from '../../base/errors.ts';
import type { Runtime } from '../../base/runtime.ts';
import { quote } from '../../base/sanitize.ts';
import { withLongFileLock } from '../../fs/linked-file-lock.ts';
import { ioFailure } from '../../fs/io-errors.ts';
import { type JournalEntry, type JournalHeader, readJournalState } from './format.ts';
import { type Journal, type JournalKey, openJournal, openJournalFile } from './journal.ts';

/** A request that was sent, or was about to be, and has no outcome. */
export interface UnknownRequest {
  /** The id of its record; none where that is a credential. */
  readonly id: string | undefined;
  readonly keys: readonly JournalKey[];
  /** The parts that it named, where the keys do not say it. */
  readonly parts: readonly string[] | undefined;
  /** When its intent was written, in milliseconds since 1970. */
  readonly at: number;
  /** When it was given up, if the process came to that. */
  readonly until: number | undefined;
}

export interface SettlingJournal {
  readonly heading: JournalHeader;
  readonly requests: readonly UnknownRequest[];
  readonly journal: Journal;
}

/** Intents of one request are written at once. */
const SAME_MS = 50;

/**
 * Runs `work` with the journal at `path`, under its lock. Throws `usage` where there is none, else
 * `Failure('local_io')`.
 */
export async function withUnknownRequests<T>(
  path: string,
  runtime: Runtime,
  work: (open: SettlingJournal) => Promise<T>,
): Promise<T> {
  if (!existsSync(path))
    throw usageFailure({ field: '--journal', problem: `cannot read ${quote(path)}: no such file` });
  return withLongFileLock(path, runtime, async () => {
    const { heading, requests } = readUnknown(path);
    const journal = await openJournal(path, heading, () => runtime.now());
    try {
      return await work({ heading, requests, journal });
    } finally {
      await journal.close();
    }
  });
}

function readUnknown(path: string): Omit<SettlingJournal, 'journal'> {
  const fd = openJournalFile(path);
  try {
    const collector = createCollector();
    const { heading } = readJournalState(fd, path, collector.see);
    if (heading === undefined) throw ioFailure(`${path} is empty: it is no journal`);
    return { heading, requests: collector.requests() };
  } finally {
    closeSync(fd);
  }
}

interface OpenRequest extends Omit<UnknownRequest, 'keys'> {
  readonly keys: Map<string, JournalKey>;
  until: number | undefined;
}

/** Collects the requests without an outcome from the entries of a journal, in their order. */
function createCollector() {
  const open = new Map<string, OpenRequest>();
  let last: OpenRequest | undefined;
  const leave = (key: string) => {
    open.get(key)?.keys.delete(key);
    open.delete(key);
  };
  const enter = (entry: Extract<JournalEntry, { do: string }>) => {
    const { do: key, of, id, parts, at } = entry;
    const [sibling] = last?.keys.values() ?? [];
    const isSame =
      of !== undefined && sibling?.of === of && last?.id === id && at - last!.at <= SAME_MS;
    leave(key);
    const fresh = { id, parts, at, until: undefined, keys: new Map<string, JournalKey>() };
    const request = isSame ? last! : fresh;
    request.keys.set(key, of === undefined ? { key } : { key, of });
    open.set(key, request);
    last = request;
  };
  return {
    see(entry: JournalEntry): void {
      if ('do' in entry) return enter(entry);
      last = undefined;
      if (!('end' in entry)) return;
      const request = open.get(entry.end);
      if (entry.as !== 'unknown') leave(entry.end);
      else if (request !== undefined) request.until = entry.at;
    },
    requests: (): readonly UnknownRequest[] =>
      [...new Set(open.values())].map((request) => ({
        ...request,
        keys: [...request.keys.values()],
      })),
  };
}
