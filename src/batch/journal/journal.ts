// The journal of a batch, append-only: each intent is on the disk before its request is sent, and each outcome is
// appended. After a crash it says what is done, what may be sent again, and what is unknown. One process at a time.

import { closeSync, constants, fdatasync, write } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { syncFolder } from '../../fs/atomic-write.ts';
import { cannotRecord, cannotWrite, ioFailure } from '../../fs/io-errors.ts';
import { keepPrivate } from '../../fs/permissions.ts';
import { openRegular } from '../../fs/safe-read.ts';
import {
  DONE_MARK,
  type JournalEntry,
  JOURNAL_FORMAT,
  type JournalHeader,
  keyHash,
  formatLine,
  LISTED_MARK,
  markOf,
  type JournalOutcome,
  type JournalRun,
  type OpenOutcome,
  outcomes,
  packHashes,
  readJournalState,
  type SentParts,
} from './format.ts';
import type { Hash } from '../../base/hash.ts';

/** What a request is about: a whole, or a part of one. */
export interface JournalKey {
  readonly key: string;
  /** The key of the whole, where this is a part. */
  readonly of?: string;
}

export type Journal = Awaited<ReturnType<typeof openJournal>>;

export type Job = Pick<JournalHeader, 'job' | 'operation' | 'origin' | 'context'>;

/** Opens or creates the file of a journal. Throws `Failure('local_io')`. */
export function openJournalFile(path: string): number {
  try {
    return openRegular(path, constants.O_RDWR | constants.O_CREAT | constants.O_APPEND);
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

/**
 * Opens the journal of a job, or starts one: mode 0600. Throws `Failure('local_io')` for a file that is damaged,
 * no journal, or another job's. The caller holds the lock.
 */
export async function openJournal(path: string, job: Job, now: () => number) {
  const fd = openJournalFile(path);
  try {
    const past = readJournalState(fd, path);
    if (past.heading !== undefined && past.heading.job !== job.job)
      throw foreign(path, past.heading, job);
    // Not before it is known to be a journal.
    keepPrivate(fd);
    const log = appender(fd, path, past.check);
    if (past.heading === undefined) {
      log.append({ social: 'journal', format: JOURNAL_FORMAT, ...job });
      await log.flush();
      syncFolder(dirname(path));
    }
    const { marks, openParts, laterParts, sentParts } = past;
    let isListed = false;
    const end = (keys: Keys, { id, parts, as, exit }: Ending) => {
      for (const { key, of } of keys) {
        log.append({ end: key, of, id, parts, as, exit, at: now() });
        // Only `left` needs this. A record that was skipped is looked at again by the next run, but needs none.
        const isSkipped = as === 'unsent' && exit === 0;
        if (isListed) marks.set(keyHash(key), isSkipped ? DONE_MARK : markOf(as));
      }
    };
    return {
      /** Bytes of an unfinished last line that were cut off on opening. */
      cut: past.cut,
      /** What an earlier run knows of a key; `unknown` where it ended while the request was in flight. */
      // A key without an entry has mark 0.
      before: (key: string): JournalOutcome | undefined => outcomes[marks.get(keyHash(key)) - 1],
      /** Whether an earlier run left a part of this whole so. */
      hasPart: (whole: string, left: OpenOutcome): boolean => openParts[left].has(whole),
      /** Whether a part has ended after the last request for its whole. */
      hasEndedSince: (whole: string, part: string) => laterParts.get(whole)?.has(part) === true,
      /** What an unfinished request of an earlier run was about; `undefined` where its keys say it, or nothing does. */
      sentParts: (key: string): SentParts | undefined => sentParts.get(key),
      /** Stores the note of this run. */
      begin(run: JournalRun | undefined): void {
        if (run !== undefined) log.append({ list: '', ...run, at: now() });
      },
      /**
       * Lists the keys to do. Resolves to the difference from earlier runs, if there were any. Rejects as `intend`
       * does.
       */
      async list(hashes: Iterable<Hash>) {
        isListed = true;
        const before = marks.size;
        let count = 0;
        const fresh = function* () {
          for (const hash of hashes) {
            count++;
            if (marks.get(hash) !== 0) continue;
            marks.set(hash, LISTED_MARK);
            yield hash;
          }
        };
        for (const list of packHashes(fresh())) log.append({ list });
        await log.flush();
        const added = marks.size - before;
        return before === 0 ? undefined : { added, removed: before - (count - added) };
      },
      /** How many keys that this run or an earlier one listed are not done. */
      left(): number {
        let count = 0;
        for (const [, mark] of marks.entries()) count += Number(mark !== DONE_MARK);
        return count;
      },
      /** Resolves when the intent is on the disk. Rejects with `Failure('local_io')`, and then nothing may be sent. */
      intend: (keys: Keys, id: Id, parts?: readonly string[], requestId?: string): Promise<void> =>
        log.durable(keys.map(({ key, of }) => ({ do: key, of, id, parts, requestId, at: now() }))),
      /** Records an outcome. It is on the disk when the journal is closed. */
      end: (keys: Keys, id: Id, as: JournalOutcome, exit: number) => end(keys, { id, as, exit }),
      /**
       * Records that the service has accepted a change, and the parts that are waited for, where the intent does not
       * say it.
       */
      accept: (keys: Keys, id: Id, parts: readonly string[] | undefined) =>
        end(keys, { id, parts, as: 'accepted', exit: 0 }),
      /** Writes what is pending. Rejects with `Failure('local_io')` where that, or an earlier write, failed. */
      close: (): Promise<void> => log.flush().finally(() => closeSync(fd)),
    };
  } catch (error) {
    closeSync(fd);
    throw cannotWrite(path, error);
  }
}

/** Names what differs: the operation, the service, the context, or else the flags. */
function foreign(path: string, its: JournalHeader, own: Job) {
  const contextOf = ({ context }: Pick<Job, 'context'>) =>
    context === null ? 'no context' : `context ${context}`;
  const differs =
    its.operation !== own.operation
      ? `is for ${its.operation}, not for ${own.operation}`
      : its.origin !== own.origin
        ? `is for ${its.origin}, not for ${own.origin}`
        : its.context === own.context
          ? 'was started with other flags'
          : `was started in ${contextOf(its)}, not in ${contextOf(own)}`;
  return ioFailure(`this journal belongs to another job: ${path} ${differs}`);
}

/** Appends lines in groups, with one write and one sync each: while one is being written, the next one collects. */
function appender(fd: number, path: string, from: number) {
  let check = from;
  let pending = '';
  let waiting: Waiter[] = [];
  let busy = false;
  let broken: Error | undefined;

  const add = (record: JournalHeader | JournalEntry) => {
    const line = formatLine(record, check);
    check = line.check;
    pending += line.text;
    wake();
  };
  const wake = () => {
    if (!busy) setImmediate(() => void writePending());
    busy = true;
  };
  const writePending = async () => {
    while (pending !== '' || waiting.length > 0) {
      const [bytes, group] = [Buffer.from(pending), waiting];
      [pending, waiting] = ['', []];
      if (broken === undefined)
        try {
          await writeAll(fd, bytes);
          if (group.length > 0) await sync(fd);
        } catch (error) {
          broken = cannotRecord(path, error);
        }
      for (const { resolve, reject } of group) {
        if (broken === undefined) resolve();
        else reject(broken);
      }
    }
    busy = false;
  };
  const durable = (records: readonly JournalEntry[]) =>
    new Promise<void>((resolve, reject) => {
      waiting.push({ resolve, reject });
      records.forEach(add);
      wake();
    });
  return { append: add, durable, flush: () => durable([]) };
}

const [writePart, sync] = [promisify(write), promisify(fdatasync)];

type Keys = readonly JournalKey[];
type Id = string | undefined;
type Ending = Pick<Extract<JournalEntry, { end: string }>, 'id' | 'parts' | 'as' | 'exit'>;

interface Waiter {
  resolve(): void;
  reject(error: Error): void;
}

/** Writes all bytes; a single write may take only a part of them. */
async function writeAll(fd: number, bytes: Buffer): Promise<void> {
  for (let done = 0; done < bytes.length;)
    done += (await writePart(fd, bytes.subarray(done))).bytesWritten;
}
