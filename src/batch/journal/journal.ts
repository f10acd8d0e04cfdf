// The journal of a batch: an append-only file of intents and outcomes, used by one process at a time. Each intent is on
// the disk before its request is sent. After a crash it shows what is done, what may be sent again and what is unknown.

import { closeSync, constants, existsSync, fstatSync } from 'node:fs';
import type { Input } from '../../api/operations/define-operation.ts';
import type { Seen } from '../../api/operations/part-states.ts';
import { unsentFailure, usageFailure } from '../../base/errors.ts';
import type { Runtime } from '../../base/runtime.ts';
import { quote } from '../../base/sanitize.ts';
import { baseUrlOf } from '../../client/open-client.ts';
import { keyOfFlag } from '../../config/flags.ts';
import { HeldLog } from '../../fs/append-log.ts';
import { saveFile } from '../../fs/atomic-write.ts';
import { cannotWrite, ioFailure, withIoFailure } from '../../fs/io-errors.ts';
import { withLongFileLock } from '../../fs/lock.ts';
import { keepPrivate } from '../../fs/permissions.ts';
import { openRegular } from '../../fs/safe-read.ts';
import type { OperationCall } from '../../input/collect-input.ts';
import {
  type EndedEntry,
  JOURNAL_FORMAT,
  type JournalEntry,
  type JournalHeader,
  type JournalRun,
  type IntentEntry,
  fingerprintOf,
  formatLine,
  readJournal,
} from './format.ts';
import { RecordRequests } from './requests.ts';

export type Job = Pick<JournalHeader, 'job' | 'operation' | 'origin' | 'context'>;

/**
 * Runs `work` with the journal of this job, which is made if there is none, under its lock. Without a job it is that of
 * any job. The work has to close it. Throws `Failure('local_io')`.
 */
export async function withJournal<T>(
  path: string,
  job: Job | undefined,
  runtime: Runtime,
  work: (journal: Journal) => Promise<T>,
): Promise<T> {
  return withLongFileLock(path, runtime, async () => {
    if (job !== undefined) makeJournal(path, job);
    return work(openJournal(path, job, () => runtime.now()));
  });
}

/** Runs `work` with an existing journal, and closes it. Throws `usage` if there is none, else `Failure('local_io')`. */
export async function withExistingJournal<T>(
  path: string,
  runtime: Runtime,
  work: (journal: Journal) => Promise<T>,
): Promise<T> {
  if (!existsSync(path))
    throw usageFailure({ field: '--journal', problem: `cannot read ${quote(path)}: no such file` });
  return withJournal(path, undefined, runtime, async (journal) => {
    try {
      return await work(journal);
    } finally {
      await journal.close();
    }
  });
}

/** Describes the job of a batch: a hash of all that its requests have in common, which reveals no secret. */
export function jobOf(call: OperationCall): Job {
  const { operation, flagSpecs, spelling, typedFlags, settings, shared } = call;
  const baseUrl = baseUrlOf(settings);
  const context = settings.context ?? null;
  const command = spelling.words.join(' ');
  const flags = flagSpecs.filter(({ isImpliedByJournal }) => isImpliedByJournal !== true);
  const values = flags.map((flag) => typedFlags[keyOfFlag(flag)] ?? null);
  const parts = [command, operation.path, baseUrl, context, sorted(shared), values, settings.query];
  const job = fingerprintOf(JSON.stringify(parts));
  return { job, operation: command, origin: baseUrl, context };
}

const sorted = (input: Input) =>
  Object.entries(input).toSorted(([a], [b]) => (a < b ? -1 : Number(a > b)));

/** Makes the file of a journal with its first line, if there is none. The caller holds the lock. */
export function makeJournal(path: string, job: Job): void {
  if (existsSync(path)) return;
  const header: JournalHeader = { social: 'journal', format: JOURNAL_FORMAT, ...job };
  saveFile(path, formatLine(header, 0).text);
}

/**
 * Opens the journal of a job, or without one that of any job. Throws `Failure('local_io')` for a file that is damaged,
 * not a journal, of another job, or that its lock cannot protect. The caller holds the lock.
 */
export function openJournal(path: string, job: Job | undefined, now: () => number): Journal {
  return withIoFailure(path, cannotWrite, () => {
    const fd = openRegular(path, constants.O_RDWR | constants.O_APPEND);
    try {
      if (fstatSync(fd).nlink > 1)
        throw ioFailure(
          `${path} has another name (a hard link): a batch could use it there at once`,
        );
      return new Journal(fd, path, job, now);
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  });
}

/** The requests that the lines of a journal add up to. By itself it keeps lines in memory alone, as a dry run does. */
export class JournalState {
  readonly #now: () => number;
  readonly #requestsByKey = new Map<string, RecordRequests>();
  readonly #keysByRequest = new Map<string, RecordRequests>();
  /** The entry in the history of the run whose lines are being read or written. */
  #run: string | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Returns the requests of a key; later lines change the same object. */
  requestsOf(key: string): RecordRequests {
    const requests = this.#requestsByKey.get(key) ?? new RecordRequests(key);
    this.#requestsByKey.set(key, requests);
    return requests;
  }

  /** Returns the requests of all keys, in the order in which these came first. */
  all(): readonly RecordRequests[] {
    return [...this.#requestsByKey.values()];
  }

  /** Stores the facts of this run. */
  begin(run: JournalRun): void {
    void this.take({ run, at: this.#now() }, false);
  }

  /** Resolves when the intent is on the disk. Rejects with `Failure('local_io')`, and then nothing may be sent. */
  async writeIntent(entry: Omit<IntentEntry, 'at'>): Promise<void> {
    await this.take({ ...entry, at: this.#now() }, true);
  }

  /** Records the state of a request. It is on the disk at the latest when the journal is closed. */
  writeEnd(entry: Omit<EndedEntry, 'at'>): void {
    void this.take({ ...entry, at: this.#now() }, false);
  }

  /** Records that parts are published, or without parts that nothing is left of a key. */
  writeDone(key: string, parts?: readonly string[], seen?: Seen): void {
    void this.take({ done: key, parts, seen, at: this.#now() }, false);
  }

  /** Applies an entry, read or about to be written, to the requests of its key. */
  apply(entry: JournalEntry): void {
    if ('run' in entry) this.#run = entry.run.entry;
    else if ('sent' in entry) {
      const requests = this.requestsOf(entry.sent);
      this.#keysByRequest.set(entry.requestId, requests);
      requests.applySent(entry, this.#run);
    } else if ('ended' in entry) this.#keysByRequest.get(entry.ended)?.applyEnded(entry);
    else this.requestsOf(entry.done).applyDone(entry.parts, entry.seen);
  }

  /** Takes a new entry; a journal that is only read keeps it in memory. */
  protected take(entry: JournalEntry, _mustSync: boolean): Promise<void> | void {
    this.apply(entry);
  }
}

/** Reads a journal, of this job or of any, if there is one; nothing is written to it, so it needs no lock. */
export function readJournalState(
  path: string,
  job: Job | undefined,
  now: () => number,
): JournalState {
  const state = new JournalState(now);
  if (!existsSync(path)) return state;
  return withIoFailure(path, cannotWrite, () => {
    const fd = openRegular(path, constants.O_RDONLY);
    try {
      const { header } = readJournal(fd, path, (entry) => state.apply(entry), { cuts: false });
      if (job !== undefined && header.job !== job.job) throw otherJob(path, header);
      return state;
    } finally {
      closeSync(fd);
    }
  });
}

export class Journal extends JournalState {
  readonly header: JournalHeader;
  /** The number of bytes of an unfinished last line that were cut off. */
  readonly cut: number;
  readonly #fd: number;
  readonly #log: HeldLog;
  /** The checksum from which the next line continues. */
  #check: number;

  constructor(fd: number, path: string, job: Job | undefined, now: () => number) {
    super(now);
    const { header, check, size, cut } = readJournal(fd, path, (entry) => this.apply(entry));
    if (job !== undefined && header.job !== job.job) throw otherJob(path, header);
    // The mode is changed only once the file is known to be a journal.
    keepPrivate(fd);
    this.#log = new HeldLog(fd, path, size, (problem) => replaced(path, problem));
    this.header = header;
    this.cut = cut;
    this.#fd = fd;
    this.#check = check;
  }

  /** Writes all pending lines. Rejects with `Failure('local_io')` if that, or an earlier write, failed. */
  async close(): Promise<void> {
    try {
      await this.#log.close();
    } finally {
      closeSync(this.#fd);
    }
  }

  /** Applies an entry and writes its line, which continues the checksum of the last one. */
  protected override take(entry: JournalEntry, mustSync: boolean): Promise<void> | void {
    this.apply(entry);
    const { text, check } = formatLine(entry, this.#check);
    this.#check = check;
    return mustSync ? this.#log.append(text) : this.#log.add(text);
  }
}

const otherJob = (path: string, { operation, origin, context }: JournalHeader) => {
  const where = context === null ? 'no context' : `context ${context}`;
  return ioFailure(
    `this journal belongs to another job: ${path} is for ${operation} at ${origin}, in ${where}, with the flags of its first run`,
  );
};

const replaced = (path: string, problem: string) =>
  unsentFailure('local_io', {
    what: `the journal ${path} ${problem} while the batch ran; nothing more is sent`,
    hint: 'what was sent since is not in it: check its items before another run',
  });
