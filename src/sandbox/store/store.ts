// The sandbox's state on disk: one private file that several processes read and change without losing anything.
// A change is one appended line, written before the response; a damaged file is renamed, never repaired by guessing.

import { randomBytes } from 'node:crypto';
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileNames } from '../../base/paths.ts';
import { createFileLock } from '../../fs/lock.ts';
import { cannotWrite, withIoFailure } from '../../fs/io-errors.ts';
import type { StartName } from '../options.ts';
import { createContents, STATE_FORMAT, type Header } from './contents.ts';
import { createLog } from './log.ts';
import { type StoredChange, type StoredRecords, tablesView } from './tables.ts';

export interface StateOptions {
  /** The folder; made with mode 0700 when it is missing. */
  readonly stateDir: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Shows a line to the user. */
  readonly note: (line: string) => void;
  /** The contents at the start, and the name of that state. */
  readonly seed: (now: number) => readonly StoredChange[];
  readonly start?: StartName;
  /** How long a retried target publishes, in milliseconds; without it one to three seconds. */
  readonly settleMs?: number | undefined;
}

export type State = Awaited<ReturnType<typeof openState>>;

/**
 * Opens the state, and makes it when there is none. A change survives the death of the process; it is not
 * forced to the disk. All functions throw `Failure('local_io')` when the file cannot be read, written or locked.
 */
export async function openState(options: StateOptions) {
  const { stateDir, now, note, seed, start, settleMs } = options;
  const log = createLog(join(stateDir, fileNames.sandbox));
  const lock = createFileLock(log.path);
  const contents = createContents();

  /** After an unusable read the next one starts over. */
  const isUpToDate = (): boolean => {
    let usable = false;
    try {
      usable = contents.load(log.read(), log.path);
    } finally {
      if (!usable) log.close();
    }
    return usable;
  };
  const startOver = (token?: string) => {
    contents.startFrom(newHeader(now(), start, token), seed(now()));
    log.replace(contents.lines());
    contents.restart();
  };
  /** Brings the contents up to date, or starts over when the file is missing or damaged. Only under the lock. */
  const settle = () => {
    if (isUpToDate() || isUpToDate()) return;
    if (existsSync(log.path)) setAside(log.path, note);
    startOver();
  };
  const catchUp = async () => {
    if (!isUpToDate()) await lock.run(settle);
  };
  const keep = (changes: readonly StoredChange[]) => {
    if (changes.length === 0) return;
    log.append(changes);
    contents.apply(changes);
    if (contents.isLong()) shorten();
  };
  /** After a failure here the change is still stored: the log just stays long. */
  const shorten = () => {
    try {
      log.replace(contents.lines());
    } catch {
      note(`sandbox: ${log.path} is large and cannot be compacted`);
    }
    contents.restart();
  };
  /** Runs `work` under the lock and stores what it changes, unless it throws. */
  const change = <T>(work: (records: StoredRecords) => T): Promise<T> =>
    lock.run(() => {
      settle();
      const { records, changes } = tablesView(contents.tables(), now(), settleMs);
      const result = work(records);
      keep(changes);
      return result;
    });

  await catchUp();
  return {
    change,
    /** The header as it is on disk now, also after a reset by another process. */
    async header(): Promise<Header> {
      await catchUp();
      return contents.header()!;
    },
    /** Runs `work` on the present state. If it would change something, it is run again under the lock and stored. */
    async read<T>(work: (records: StoredRecords) => T): Promise<T> {
      await catchUp();
      const { records, changes } = tablesView(contents.tables(), now(), settleMs);
      const result = work(records);
      return changes.length === 0 ? result : change(work);
    },
    /** Starts over with a fresh seed and the same token: a running server continues with it. */
    reset: (): Promise<void> =>
      lock.run(() => startOver(isUpToDate() ? contents.header()?.token : undefined)),
    close() {
      log.close();
    },
  };
}

const newToken = () => `sandbox-${randomBytes(24).toString('base64url')}`;

function newHeader(now: number, start: StartName = 'demo', token = newToken()): Header {
  return { format: STATE_FORMAT, token, createdAt: new Date(now).toISOString(), start };
}

/** Renames a damaged file to the first free name beside it. */
function setAside(path: string, note: (line: string) => void): void {
  let n = 1;
  while (existsSync(`${path}.damaged-${n}`)) n++;
  const aside = `${path}.damaged-${n}`;
  withIoFailure(path, cannotWrite, () => renameSync(path, aside));
  note(`sandbox: ${path} was damaged; created a new one, old file saved as ${aside}`);
}
