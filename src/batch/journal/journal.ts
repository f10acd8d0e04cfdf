// The journal of a batch: what was sent and how it ended, for each record and for each target that was named or seen.
// Append-only: each intent is on the disk before its request is sent, and each outcome is appended. After a crash it
// says what is done, what may be sent again, and what is unknown. One process at a time.

import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { Input, Operation } from '../../api/operations/define-operation.ts';
import { fieldsOf } from '../../api/operations/fields.ts';
import { unsentFailure, usageFailure } from '../../base/errors.ts';
import type { Runtime } from '../../base/runtime.ts';
import { quote } from '../../base/sanitize.ts';
import type { CallOutcome } from '../../client/call-context.ts';
import { baseUrlOf } from '../../client/open-client.ts';
import { keyOfFlag } from '../../config/flags.ts';
import { openHeldLog } from '../../fs/append-log.ts';
import {
  followLinks,
  makePrivateFolder,
  removeStaleTemporaries,
  syncFolder,
  temporaryName,
  writeAll,
} from '../../fs/atomic-write.ts';
import { cannotWrite, ioFailure, withIoFailure } from '../../fs/io-errors.ts';
import { withLongFileLock } from '../../fs/lock.ts';
import { keepPrivate } from '../../fs/permissions.ts';
import { openRegular } from '../../fs/safe-read.ts';
import type { BatchItem } from '../read/records.ts';
import type { PreparedCall } from '../types.ts';
import {
  HASHED,
  JOURNAL_FORMAT,
  type JournalEntry,
  type JournalHeader,
  type JournalOutcome,
  type JournalRun,
  type SendEntry,
  fingerprintOf,
  formatLine,
  readJournal,
} from './format.ts';

export type Job = Pick<JournalHeader, 'job' | 'operation' | 'origin' | 'context'>;

/** Parts of what a key stands for, by their ids; `undefined` for all of it. */
export type Targets = readonly string[] | undefined;

/** A request that was sent, or was about to be, and has no outcome. */
export interface UnknownRequest {
  readonly key: string;
  /** The id of its record; none where that is a credential. */
  readonly id: string | undefined;
  /** The targets that it named and that have no outcome; nothing where it was about the whole. */
  readonly targets: Targets;
  /** When its intent was written, in milliseconds since 1970. */
  readonly at: number;
  /** When it was given up, if the process came to that. */
  readonly until: number | undefined;
  /** The HTTP status of its answer, where one came. */
  readonly status?: number | undefined;
}

interface SentRequest extends Omit<UnknownRequest, 'targets'> {
  until: number | undefined;
  status?: number | undefined;
}

interface Sent {
  readonly as: JournalOutcome;
  /** The request, while it has no outcome. */
  readonly request?: SentRequest | undefined;
}

/** What is known of a key. */
interface Known {
  whole?: Sent;
  /** Whether a request for the whole was sent: it covers each target of which nothing else is known. */
  isWholeSent: boolean;
  readonly targets: Map<string, Sent>;
}

type Outcomes = Map<string, Known>;

/** Takes up an entry. What was published stays so, whatever is sent of the rest. */
function see(outcomes: Outcomes, entry: JournalEntry): void {
  if ('run' in entry) return;
  const isSend = 'send' in entry;
  const key = isSend ? entry.send : entry.end;
  const known = outcomes.get(key) ?? { isWholeSent: false, targets: new Map<string, Sent>() };
  outcomes.set(key, known);
  const { targets, at } = entry;
  if (isSend) {
    const request = { key, id: idIn(entry), at, until: undefined };
    const sent: Sent = { as: 'unknown', request };
    for (const target of targets ?? []) known.targets.set(target, sent);
    if (targets !== undefined) return;
    for (const [target, { as }] of known.targets) if (as !== 'done') known.targets.delete(target);
    known.whole = sent;
    known.isWholeSent = true;
    return;
  }
  const after = (before: Sent | undefined): Sent => {
    if (entry.as !== 'unknown') return { as: entry.as };
    const request = before?.request;
    if (request !== undefined) Object.assign(request, { until: at, status: entry.status });
    return { as: 'unknown', request };
  };
  if (targets === undefined) known.whole = after(known.whole);
  for (const target of targets ?? []) known.targets.set(target, after(known.targets.get(target)));
}

/** The id of the record that is about to be sent. */
const idIn = ({ send, id }: { readonly send: string; readonly id?: string | undefined }) =>
  send.startsWith(HASHED) ? id : send;

const COVERING: readonly (JournalOutcome | undefined)[] = ['done', 'accepted', 'unknown'];

/** What is known of a target: of its own, or by a request for the whole. */
function outcomeOfTarget(known: Known | undefined, target: string): JournalOutcome | undefined {
  const own = known?.targets.get(target);
  if (own !== undefined || known?.isWholeSent !== true) return own?.as;
  return COVERING.includes(known.whole?.as) ? known.whole?.as : undefined;
}

/** What an earlier run leaves of a record. */
export interface LeftToDo {
  /**
   * `done`: nothing. `accepted`: all was sent, and some of it is waited for. `unknown`: some of it may have been sent.
   */
  readonly past: 'done' | 'accepted' | 'unknown' | undefined;
  /** The targets to send, or of what was accepted those to wait for; nothing for the whole. */
  readonly targets: Targets;
  /** Targets that were sent and not seen to settle: they are waited for, and not sent. */
  readonly underWay: readonly string[];
}

/** What is left of a record that is about the whole, or names targets. */
function leftToDo(known: Known | undefined, named: Targets): LeftToDo {
  if (known === undefined) return { past: undefined, targets: named, underWay: [] };
  const all = named ?? [...known.targets.keys()];
  const those = (...wanted: readonly (JournalOutcome | undefined)[]) =>
    all.filter((target) => wanted.includes(outcomeOfTarget(known, target)));
  const [underWay, unknown] = [those('accepted'), those('unknown')];
  const open = those(undefined, 'failed', 'unsent', 'unknown');
  const whole = named === undefined ? known.whole?.as : 'done';
  const targets = named === undefined ? undefined : open;
  if (unknown.length > 0 || whole === 'unknown') return { past: 'unknown', targets, underWay };
  if (open.length > 0 || (whole !== 'done' && whole !== 'accepted'))
    return { past: undefined, targets, underWay };
  // Of a whole whose targets are not on record all of them are waited for.
  const isWaited = underWay.length > 0 || (whole === 'accepted' && all.length === 0);
  if (!isWaited) return { past: 'done', targets: named, underWay };
  return { past: 'accepted', targets: named && underWay, underWay };
}

const isSent = (outcome: JournalOutcome | undefined): boolean =>
  outcome === 'done' || outcome === 'accepted';

/** Which targets were sent and have not failed; nothing where there are none. */
function sentBefore(known: Known | undefined): ((target: string) => boolean) | undefined {
  if (known === undefined) return undefined;
  const isAny =
    (known.isWholeSent && isSent(known.whole?.as)) ||
    [...known.targets.values()].some(({ as }) => isSent(as));
  return isAny ? (target) => isSent(outcomeOfTarget(known, target)) : undefined;
}

export type Journal = Awaited<ReturnType<typeof openJournal>>;

/**
 * Makes the file of a journal with its first line where there is none: it is never there without. The caller holds the
 * lock.
 */
export function makeJournal(path: string, job: Job): void {
  try {
    if (statSync(path, { throwIfNoEntry: false }) !== undefined) return;
    const target = followLinks(path);
    makePrivateFolder(dirname(target));
    const temporary = temporaryName(target, randomBytes(6).toString('hex'));
    const fd = openSync(temporary, 'wx', 0o600);
    try {
      writeAll(fd, formatLine({ social: 'journal', format: JOURNAL_FORMAT, ...job }, 0).text);
      fsyncSync(fd);
      // Never replaces another file.
      linkSync(temporary, target);
    } finally {
      closeSync(fd);
      rmSync(temporary, { force: true });
    }
    syncFolder(dirname(target));
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

/** Opens the file of a journal. Throws `Failure('local_io')`, also for a file that its lock does not keep to one. */
function openJournalFile(path: string): number {
  return withIoFailure(path, cannotWrite, () => {
    // A crash may have left the name under which it was made.
    removeStaleTemporaries(followLinks(path));
    const fd = openRegular(path, constants.O_RDWR | constants.O_APPEND);
    if (fstatSync(fd).nlink <= 1) return fd;
    closeSync(fd);
    throw ioFailure(`${path} has another name (a hard link): a batch could use it there at once`);
  });
}

/**
 * Opens the journal of a job; without one that of any. Throws `Failure('local_io')` for a file that is damaged, no
 * journal, or another job's. The caller holds the lock.
 */
export async function openJournal(path: string, job: Job | undefined, now: () => number) {
  const fd = openJournalFile(path);
  try {
    const outcomes: Outcomes = new Map();
    const read = readJournal(fd, path, (entry) => see(outcomes, entry));
    const { heading, size, cut } = read;
    if (job !== undefined && heading.job !== job.job) throw foreign(path, heading, job);
    // Not before it is known to be a journal.
    keepPrivate(fd);
    const log = openHeldLog({ fd, path, size }, (problem) => replaced(path, problem));
    let { check } = read;
    const lineOf = (entry: JournalEntry): string => {
      see(outcomes, entry);
      const line = formatLine(entry, check);
      check = line.check;
      return line.text;
    };
    return {
      heading,
      /** Bytes of an unfinished last line that were cut off on opening. */
      cut,
      /** What is known of a target of this key; `unknown` where its request was in flight at the end. */
      targetOutcome: (key: string, target: string) => outcomeOfTarget(outcomes.get(key), target),
      /** Tells which targets a request for the whole must not name; nothing where all may be sent. */
      sentBefore: (key: string) => sentBefore(outcomes.get(key)),
      /** What is left of a record. */
      leftToDo: (key: string, named: Targets) => leftToDo(outcomes.get(key), named),
      /** The requests without an outcome, in the order of their keys. */
      unknownRequests: () => [...outcomes].flatMap(([key, known]) => unknownOf(key, known)),
      /** Stores the note of this run. */
      begin(run: JournalRun | undefined): void {
        if (run !== undefined) log.add(lineOf({ run, at: now() }));
      },
      /** Resolves when the intent is on the disk. Rejects with `Failure('local_io')`, and then nothing may be sent. */
      intend(key: string, targets: Targets, more: Pick<SendEntry, 'id' | 'requestId'> = {}) {
        return log.append(lineOf({ send: key, ...more, targets, at: now() }));
      },
      /** Records an outcome. It is on the disk when the journal is closed. */
      end(key: string, targets: Targets, as: JournalOutcome, exit: number, status?: number): void {
        if (targets === undefined || targets.length > 0)
          log.add(lineOf({ end: key, targets, as, exit, status, at: now() }));
      },
      /** Writes what is pending. Rejects with `Failure('local_io')` where that, or an earlier write, failed. */
      close: (): Promise<void> => log.close().finally(() => closeSync(fd)),
    };
  } catch (error) {
    closeSync(fd);
    throw cannotWrite(path, error);
  }
}

/** The requests for one key that have no outcome, each with the targets of which nothing else is known. */
function unknownOf(key: string, { whole, targets }: Known): readonly UnknownRequest[] {
  const named = new Map<SentRequest, string[]>();
  for (const [target, { request }] of targets)
    if (request !== undefined) named.set(request, [...(named.get(request) ?? []), target]);
  const all: readonly (readonly [SentRequest, Targets])[] = [
    ...(whole?.request === undefined ? [] : [[whole.request, undefined] as const]),
    ...named,
  ];
  return all.map(([{ id, at, until, status }, own]) => ({
    key,
    id,
    targets: own,
    at,
    until,
    status,
  }));
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

const replaced = (path: string, problem: string) =>
  unsentFailure('local_io', {
    what: `the journal ${path} ${problem} while the batch ran; nothing more is sent`,
    hint: 'what was sent since is not in it: check its items before another run',
  });

/** What the requests of a batch have in common, as a hash that gives no secret away. */
export function jobOf(prepared: PreparedCall): Job {
  const { operation, hooks, spelling, typed, settings, shared } = prepared;
  const baseUrl = baseUrlOf(settings);
  const context = settings.context ?? null;
  const command = spelling.words.join(' ');
  const own = (hooks.flags ?? []).map((flag) => typed.flags[keyOfFlag(flag)] ?? null);
  const parts = [command, operation.path, baseUrl, context, sorted(shared), own, settings.query];
  return {
    job: fingerprintOf(JSON.stringify(parts)),
    operation: command,
    origin: baseUrl,
    context,
  };
}

const sorted = (input: Input) =>
  Object.entries(input).toSorted(([a], [b]) => (a < b ? -1 : Number(a > b)));

/** Runs `work` with the journal of this job, under its lock. Throws `Failure('local_io')`. */
export async function withJournal<T>(
  path: string,
  job: Job,
  runtime: Runtime,
  work: (journal: Journal) => Promise<T>,
): Promise<T> {
  return withLongFileLock(path, runtime, async () => {
    makeJournal(path, job);
    return work(await openJournal(path, job, () => runtime.now()));
  });
}

/** What the request of a change was: the targets that it names, and the id that was sent with it. */
export interface SentChange {
  targets?: Targets;
  requestId?: string;
}

interface RecordEnd extends Pick<SentChange, 'targets'> {
  readonly awaited: {
    /** The targets that were waited for; `undefined` where they are not known. */
    readonly targets?: readonly string[] | undefined;
    /** Whether these were all sent by an earlier run, and there was nothing to do of the record itself. */
    readonly isOthersAlone?: boolean;
  };
  readonly outcome: JournalOutcome;
  readonly ended: CallOutcome;
}

export type RecordJournal = ReturnType<typeof recordJournal>;

const LONGEST_ID = 64;

/** The journal of a batch, as the records of this operation use it. */
export function recordJournal(journal: Journal, operation: Operation) {
  const { parts: field = '' } = operation;
  const namedIn = ({ input }: BatchItem) => input[field] as readonly string[] | undefined;
  const hidden = fieldsOf(operation)
    .filter((each) => each.hidden)
    .map(({ name }) => name);
  /** The id of a record whose key is a hash; none where it is a credential. */
  const idOf = ({ input, key }: BatchItem): string | undefined => {
    const [name = '', id] = Object.entries(input)[0] ?? [];
    const isShown = typeof id === 'string' && id.length <= LONGEST_ID && !hidden.includes(name);
    return isShown && key.startsWith(HASHED) ? id : undefined;
  };
  /** These targets have been seen to be as wanted. */
  const done = ({ key }: BatchItem, targets: readonly string[]): void => {
    const news = targets.filter((target) => journal.targetOutcome(key, target) !== 'done');
    if (news.length > 0) journal.end(key, news, 'done', 0);
  };
  return {
    /** Resolves when the intent is on the disk: all that the request names, or the whole. */
    intend: (item: BatchItem, { targets, requestId }: SentChange): Promise<void> =>
      journal.intend(item.key, targets, { id: idOf(item), requestId }),
    /** The service has taken the change, and these targets are waited for. */
    accept(item: BatchItem, awaited: readonly string[] | undefined = namedIn(item)): void {
      if (namedIn(item) === undefined) journal.end(item.key, undefined, 'accepted', 0);
      if (awaited !== undefined) journal.end(item.key, awaited, 'accepted', 0);
    },
    done,
    /** Tells which targets an earlier run has sent, for a record of the whole; nothing where all may be sent. */
    sentBefore: (item: BatchItem) =>
      operation.parts === undefined || namedIn(item) !== undefined
        ? undefined
        : journal.sentBefore(item.key),
    /** How it ended: of a wait that ended badly, what failed has failed, and the rest is done. */
    end(item: BatchItem, { targets, awaited, outcome, ended: { failure, bad } }: RecordEnd): void {
      const { key } = item;
      const exit = failure?.exitCode ?? 0;
      const status = outcome === 'unknown' ? failure?.facts.status : undefined;
      // Of what was in flight only that is unknown which the request was about.
      const isOfTargets =
        awaited.isOthersAlone === true || (outcome === 'unknown' && targets !== undefined);
      if (namedIn(item) === undefined && !isOfTargets)
        journal.end(key, undefined, outcome, exit, status);
      const all = awaited.targets ?? targets ?? namedIn(item);
      const isSplit = outcome === 'failed' && bad !== undefined;
      const good = isSplit ? all?.filter((target) => !bad.includes(target)) : all;
      if (isSplit) journal.end(key, bad, outcome, exit);
      if (isSplit || outcome === 'done') done(item, good ?? []);
      else if (all !== undefined) journal.end(key, all, outcome, exit, status);
    },
  };
}

/** A journal that is held open, of whatever job, with the requests that had no outcome when it was opened. */
export interface SettlingJournal {
  readonly journal: Journal;
  readonly heading: Journal['heading'];
  readonly requests: readonly UnknownRequest[];
}

/**
 * Runs `work` with the journal at `path`, under its lock, and closes it. What became of a request is written with
 * `journal.end`: of all that it was about, or of some of its targets. Throws `usage` where there is no journal, else
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
    const journal = await openJournal(path, undefined, () => runtime.now());
    try {
      const { heading } = journal;
      return await work({ journal, heading, requests: journal.unknownRequests() });
    } finally {
      await journal.close();
    }
  });
}
