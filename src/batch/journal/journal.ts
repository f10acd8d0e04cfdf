// The journal of a batch: an append-only file of intents and outcomes, used by one process at a time. Each intent is on
// the disk before its request is sent. After a crash it shows what is done, what may be sent again and what is unknown.
// A request is for named targets of a post or for the whole post. Other resources are treated as posts without targets.

import { closeSync, constants, existsSync, fstatSync } from 'node:fs';
import type { Input, Operation } from '../../api/operations/define-operation.ts';
import { fieldsOf } from '../../api/operations/fields.ts';
import { unsentFailure, usageFailure } from '../../base/errors.ts';
import type { Runtime } from '../../base/runtime.ts';
import { quote } from '../../base/sanitize.ts';
import type { CallOutcome } from '../../client/call-context.ts';
import { baseUrlOf } from '../../client/open-client.ts';
import { keyOfFlag } from '../../config/flags.ts';
import { HeldLog } from '../../fs/append-log.ts';
import { saveFile } from '../../fs/atomic-write.ts';
import { cannotWrite, ioFailure, withIoFailure } from '../../fs/io-errors.ts';
import { withLongFileLock } from '../../fs/lock.ts';
import { keepPrivate } from '../../fs/permissions.ts';
import { openRegular } from '../../fs/safe-read.ts';
import type { PreparedCall } from '../../input/collect-input.ts';
import { type BatchRecord, namedParts } from '../read/validate-records.ts';
import {
  HASHED,
  JOURNAL_FORMAT,
  type JournalEntry,
  type JournalHeader,
  type JournalOutcome,
  type JournalRun,
  type EndEntry,
  type SendEntry,
  fingerprintOf,
  formatLine,
  readJournal,
} from './format.ts';

export type Job = Pick<JournalHeader, 'job' | 'operation' | 'origin' | 'context'>;

/** The IDs of the targets that a request or a record names; `undefined` if it is for the whole post. */
export type Targets = readonly string[] | undefined;

/** A request that was sent, or was about to be, and has no outcome. */
interface SentRequest {
  readonly key: string;
  /** The ID of its record; absent if that is a credential. */
  readonly id: string | undefined;
  /** The time at which its intent was written, in milliseconds since 1970. */
  readonly at: number;
  /** The time at which its outcome was recorded as unknown; absent after a crash before that. */
  until: number | undefined;
  /** The HTTP status of its response, if one arrived. */
  status?: number | undefined;
}

export interface UnknownRequest extends SentRequest {
  /** The targets that it named and that have no outcome; absent if it was for the whole post. */
  readonly targets: Targets;
}

/** The last outcome of a target or of the whole post: `unknown` from the intent of a request until its outcome. */
interface LastOutcome {
  readonly as: JournalOutcome;
  /** The request whose outcome is unknown. */
  readonly request?: SentRequest | undefined;
}

/**
 * Runs `work` with the journal of this job, which is made if there is none, under its lock. The work has to close it.
 * Throws `Failure('local_io')`.
 */
export async function withJournal<T>(
  path: string,
  job: Job,
  runtime: Runtime,
  work: (journal: Journal) => Promise<T>,
): Promise<T> {
  return withLongFileLock(path, runtime, async () => {
    makeJournal(path, job);
    return work(openJournal(path, job, () => runtime.now()));
  });
}

/**
 * Runs `work` with the journal of any job at `path`, under its lock, and closes it. Throws `usage` if there is no
 * journal, else `Failure('local_io')`.
 */
export async function withExistingJournal<T>(
  path: string,
  runtime: Runtime,
  work: (journal: Journal) => Promise<T>,
): Promise<T> {
  if (!existsSync(path))
    throw usageFailure({ field: '--journal', problem: `cannot read ${quote(path)}: no such file` });
  return withLongFileLock(path, runtime, async () => {
    const journal = openJournal(path, undefined, () => runtime.now());
    try {
      return await work(journal);
    } finally {
      await journal.close();
    }
  });
}

/** Describes the job of a batch: a hash of all that its requests have in common, which reveals no secret. */
export function jobOf(prepared: PreparedCall): Job {
  const { operation, flagSpecs, spelling, typedFlags, settings, shared } = prepared;
  const baseUrl = baseUrlOf(settings);
  const context = settings.context ?? null;
  const command = spelling.words.join(' ');
  const values = flagSpecs.map((flag) => typedFlags[keyOfFlag(flag)] ?? null);
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

export class Journal {
  readonly header: JournalHeader;
  /** The number of bytes of an unfinished last line that were cut off. */
  readonly cut: number;
  readonly #fd: number;
  readonly #log: HeldLog;
  readonly #now: () => number;
  readonly #outcomesByKey = new Map<string, KeyOutcomes>();
  /** The checksum from which the next line continues. */
  #check: number;

  constructor(fd: number, path: string, job: Job | undefined, now: () => number) {
    const { header, check, size, cut } = readJournal(fd, path, (entry) => this.#apply(entry));
    if (job !== undefined && header.job !== job.job) throw otherJob(path, header);
    // The mode is changed only once the file is known to be a journal.
    keepPrivate(fd);
    this.#log = new HeldLog(fd, path, size, (problem) => replaced(path, problem));
    this.header = header;
    this.cut = cut;
    this.#fd = fd;
    this.#now = now;
    this.#check = check;
  }

  /** Returns the outcomes of a key; later lines change the same object. */
  outcomesOf(key: string): KeyOutcomes {
    const outcomes = this.#outcomesByKey.get(key) ?? new KeyOutcomes();
    this.#outcomesByKey.set(key, outcomes);
    return outcomes;
  }

  /** Returns all requests without an outcome, in the order in which their keys came first. */
  unknownRequests(): readonly UnknownRequest[] {
    return [...this.#outcomesByKey.values()].flatMap((outcomes) => outcomes.unknownRequests());
  }

  /** Stores the note of this run. */
  begin(run: JournalRun): void {
    this.#log.add(this.#applyAndFormat({ run, at: this.#now() }));
  }

  /** Resolves when the intent is on the disk. Rejects with `Failure('local_io')`, and then nothing may be sent. */
  intend(
    key: string,
    targets: Targets,
    more: Pick<SendEntry, 'id' | 'requestId'> = {},
  ): Promise<void> {
    return this.#log.append(this.#applyAndFormat({ send: key, ...more, targets, at: this.#now() }));
  }

  /** Records an outcome. It is on the disk at the latest when the journal is closed. */
  end(key: string, targets: Targets, as: JournalOutcome, exit: number, status?: number): void {
    if (targets === undefined || targets.length > 0)
      this.#log.add(this.#applyAndFormat({ end: key, targets, as, exit, status, at: this.#now() }));
  }

  /** Writes all pending lines. Rejects with `Failure('local_io')` if that, or an earlier write, failed. */
  async close(): Promise<void> {
    try {
      await this.#log.close();
    } finally {
      closeSync(this.#fd);
    }
  }

  /** Applies an entry and formats its line, which must be written next: it continues the checksum of the last one. */
  #applyAndFormat(entry: JournalEntry): string {
    this.#apply(entry);
    const { text, check } = formatLine(entry, this.#check);
    this.#check = check;
    return text;
  }

  /** Applies an entry, read or about to be written, to the outcomes of its key. A note has none. */
  #apply(entry: JournalEntry): void {
    if ('send' in entry) this.outcomesOf(entry.send).applyIntent(entry);
    else if ('end' in entry) this.outcomesOf(entry.end).applyEnd(entry);
  }
}

/** These outcomes of a request for the whole post are also those of its targets; after the others they may be sent. */
const SHARED_BY_TARGETS: readonly (JournalOutcome | undefined)[] = ['done', 'accepted', 'unknown'];

const isSentOutcome = (outcome: JournalOutcome | undefined): boolean =>
  outcome === 'done' || outcome === 'accepted';

/** The part of a record that earlier runs left to do. */
export interface LeftToDo {
  /**
   * `done`: nothing is left. `accepted`: all was sent, and some of it is waited for. `unknown`: some of it may have
   * been sent. `undefined`: some of it has to be sent, and nothing of it has an unknown outcome.
   */
  readonly past: 'done' | 'accepted' | 'unknown' | undefined;
  /** The targets to send, or for `accepted` those to wait for; absent for the whole post. */
  readonly targets: Targets;
  /** Targets that were sent and are not done: they are waited for, and not sent. */
  readonly underWay: readonly string[];
}

/** The outcomes that the lines of one key add up to. */
class KeyOutcomes {
  #whole: LastOutcome | undefined;
  /** True if a request for the whole post was sent: it also sent each target without an outcome of its own. */
  #isWholeSent = false;
  readonly #targets = new Map<string, LastOutcome>();

  /**
   * Applies an intent: until its end, the outcome is unknown. An intent for the whole post replaces the outcomes of
   * targets, except `done`, because a published target stays published.
   */
  applyIntent({ send: key, id, targets, at }: SendEntry): void {
    const request = { key, id: key.startsWith(HASHED) ? id : key, at, until: undefined };
    const sent: LastOutcome = { as: 'unknown', request };
    for (const target of targets ?? []) this.#targets.set(target, sent);
    if (targets !== undefined) return;
    for (const [target, { as }] of this.#targets) if (as !== 'done') this.#targets.delete(target);
    this.#whole = sent;
    this.#isWholeSent = true;
  }

  /** Applies an outcome. An unknown one keeps its request. */
  applyEnd({ targets, as, at, status }: EndEntry): void {
    const after = (before: LastOutcome | undefined): LastOutcome => {
      if (as !== 'unknown') return { as };
      const request = before?.request;
      // All targets of a request share this object.
      if (request !== undefined) Object.assign(request, { until: at, status });
      return { as, request };
    };
    if (targets === undefined) this.#whole = after(this.#whole);
    for (const target of targets ?? []) this.#targets.set(target, after(this.#targets.get(target)));
  }

  /** Returns the outcome of a target: its own, or that of a request for the whole post. */
  ofTarget(target: string): JournalOutcome | undefined {
    const outcome = this.#targets.get(target)?.as;
    if (outcome !== undefined || !this.#isWholeSent) return outcome;
    return SHARED_BY_TARGETS.includes(this.#whole?.as) ? this.#whole?.as : undefined;
  }

  /** Returns what is left of a record for the whole post, or for named targets. */
  leftToDo(named: Targets): LeftToDo {
    const all = named ?? [...this.#targets.keys()];
    const withOutcome = (...wanted: readonly (JournalOutcome | undefined)[]) =>
      all.filter((target) => wanted.includes(this.ofTarget(target)));
    const [underWay, unknown] = [withOutcome('accepted'), withOutcome('unknown')];
    const toSend = withOutcome(undefined, 'failed', 'unsent', 'unknown');
    // A record that names targets has nothing left beside them, so the rest of the post counts as done.
    const whole = named === undefined ? this.#whole?.as : 'done';
    const targets = named === undefined ? undefined : toSend;
    if (unknown.length > 0 || whole === 'unknown') return { past: 'unknown', targets, underWay };
    if (toSend.length > 0 || !isSentOutcome(whole)) return { past: undefined, targets, underWay };
    // If the journal names no targets of an accepted post, all of them are waited for.
    const isWaited = underWay.length > 0 || (whole === 'accepted' && all.length === 0);
    if (!isWaited) return { past: 'done', targets: named, underWay };
    return { past: 'accepted', targets: named && underWay, underWay };
  }

  /** Returns a function that is true for targets that were sent and have not failed; `undefined` if there are none. */
  sentBefore(): ((target: string) => boolean) | undefined {
    const isAny =
      (this.#isWholeSent && isSentOutcome(this.#whole?.as)) ||
      [...this.#targets.values()].some(({ as }) => isSentOutcome(as));
    return isAny ? (target) => isSentOutcome(this.ofTarget(target)) : undefined;
  }

  /** Returns the requests without an outcome, each without targets that have an outcome or a later request. */
  unknownRequests(): readonly UnknownRequest[] {
    const named = new Map<SentRequest, string[]>();
    for (const [target, { request }] of this.#targets)
      if (request !== undefined) named.set(request, [...(named.get(request) ?? []), target]);
    const ofTargets = [...named].map(([request, targets]) => ({ ...request, targets }));
    const whole = this.#whole?.request;
    return whole === undefined ? ofTargets : [{ ...whole, targets: undefined }, ...ofTargets];
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

/** The request of a change: its named targets, and its request ID. */
export interface ChangeRequest {
  targets?: Targets;
  requestId?: string;
}

/** A request of a change, and the targets that were waited for after it. */
interface EndedChange extends ChangeRequest {
  /** The targets that were waited for; `undefined` if the response did not show which. */
  readonly awaited?: Targets;
  /** True if an earlier run sent all of these, and this one had nothing to send. */
  readonly isEarlierOnly?: boolean;
}

export type RecordJournal = ReturnType<typeof recordJournal>;

/** A longer value is a text, not an ID. */
const LONGEST_ID = 64;

/** The journal of a batch, for the records of this operation. */
export function recordJournal(journal: Journal, operation: Operation) {
  const { partsField = '' } = operation;
  const namedIn = ({ input }: BatchRecord) => namedParts(input, operation);
  const hidden = fieldsOf(operation)
    .filter((input) => input.hidden)
    .map(({ name }) => name);
  /** Returns the ID of a record whose key is a hash; `undefined` if the ID is a credential. */
  const shownId = ({ input, key }: BatchRecord): string | undefined => {
    const [name = '', id] = Object.entries(input)[0] ?? [];
    const isShown = typeof id === 'string' && id.length <= LONGEST_ID && !hidden.includes(name);
    return isShown && key.startsWith(HASHED) ? id : undefined;
  };
  /** Writes that these targets are done, except those that the journal already has as done. */
  const done = ({ key }: BatchRecord, targets: readonly string[]): void => {
    const outcomes = journal.outcomesOf(key);
    const news = targets.filter((target) => outcomes.ofTarget(target) !== 'done');
    if (news.length > 0) journal.end(key, news, 'done', 0);
  };
  return {
    /** Adds the state in which earlier runs left a record. Its input then names only the parts that are left to do. */
    withPast(record: BatchRecord): BatchRecord {
      const { past, underWay, targets } = journal.outcomesOf(record.key).leftToDo(namedIn(record));
      const input =
        targets === undefined ? record.input : { ...record.input, [partsField]: targets };
      return { ...record, input, past, underWay };
    },
    /** Resolves when the intent is on the disk: for the targets of the request, or for the whole post. */
    intend: (record: BatchRecord, { targets, requestId }: ChangeRequest): Promise<void> =>
      journal.intend(record.key, targets, { id: shownId(record), requestId }),
    /** Writes that the service has accepted the change, and that these targets are waited for. */
    accept(record: BatchRecord, awaited: readonly string[] | undefined = namedIn(record)): void {
      if (namedIn(record) === undefined) journal.end(record.key, undefined, 'accepted', 0);
      if (awaited !== undefined) journal.end(record.key, awaited, 'accepted', 0);
    },
    done,
    /**
     * Returns a function that is true for targets that an earlier run has sent, if the record is for the whole post;
     * `undefined` if all may be sent.
     */
    sentBefore: (record: BatchRecord) =>
      operation.partsField === undefined || namedIn(record) !== undefined
        ? undefined
        : journal.outcomesOf(record.key).sentBefore(),
    /** Writes the outcome. After a failed wait, the failed targets have failed, and the others are done. */
    end(
      record: BatchRecord,
      { targets, awaited, isEarlierOnly }: EndedChange,
      outcome: JournalOutcome,
      { failure, bad }: CallOutcome,
    ): void {
      const { key } = record;
      const exit = failure?.exitCode ?? 0;
      const status = outcome === 'unknown' ? failure?.facts.status : undefined;
      // An unknown outcome is only that of the targets of the request. If an earlier run sent all targets, this one
      // sent nothing for the whole post.
      const isOfTargets =
        isEarlierOnly === true || (outcome === 'unknown' && targets !== undefined);
      if (namedIn(record) === undefined && !isOfTargets)
        journal.end(key, undefined, outcome, exit, status);
      const all = awaited ?? targets ?? namedIn(record);
      // `bad` has the failed targets; without it the change itself was refused.
      if (outcome === 'failed' && bad !== undefined) {
        journal.end(key, bad, outcome, exit);
        done(record, all?.filter((target) => !bad.includes(target)) ?? []);
      } else if (outcome === 'done') done(record, all ?? []);
      else if (all !== undefined) journal.end(key, all, outcome, exit, status);
    },
  };
}
