// The sandbox's state: one private JSON file that several processes may use at once. Each request reads, changes and
// saves the file under its lock, and is answered after that.

import { randomBytes } from 'node:crypto';
import { constants, fstatSync, statSync, type BigIntStats } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { ownJson } from '../../base/json.ts';
import { fileNames } from '../../base/paths.ts';
import { saveFile } from '../../fs/atomic-write.ts';
import { cannotRead, ioFailure, withIoFailure } from '../../fs/io-errors.ts';
import { withFileLock } from '../../fs/lock.ts';
import { readRange, withFile } from '../../fs/safe-read.ts';
import { type StartName, startNames, starts } from '../seed/states.ts';
import {
  recordsOf,
  type StoredRecord,
  type StoredRecords,
  type Tables,
  toRecords,
  toTables,
} from './tables.ts';

export interface StateOptions {
  /** The folder of the state; it is made with mode 0700 if it is missing. */
  readonly stateDir: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** The contents of a new state; `demo` by default. */
  readonly start?: StartName;
  /** Milliseconds during which a retried target is publishing; one to three seconds by default. */
  readonly settleMs?: number | undefined;
}

const NonEmptyText = z.string().check(z.minLength(1));

/** The content of the file. */
const Stored = z.object({
  start: z.enum(startNames),
  /** ISO 8601. */
  createdAt: NonEmptyText,
  /** The token of `sandbox serve`; a reset keeps it. */
  token: NonEmptyText,
  records: z.array(z.tuple([z.string(), z.string(), z.looseObject({})])),
});

export type Header = Pick<z.output<typeof Stored>, 'start' | 'createdAt' | 'token'>;

interface Contents {
  readonly header: Header;
  readonly tables: Tables;
}

export type State = Awaited<ReturnType<typeof openState>>;

const pathIn = (stateDir: string): string => join(stateDir, fileNames.sandbox);

/**
 * Opens the state, and makes it if there is none. All functions throw `Failure('local_io')` if the file is damaged, or
 * cannot be read, written or locked.
 */
export async function openState(options: StateOptions) {
  const { stateDir, now, start = 'demo', settleMs } = options;
  const path = pathIn(stateDir);
  let contents: Contents | undefined;
  /** The version of the file that `contents` was read from, or `undefined` if they differ. */
  let version: string | undefined;

  const save = ({ header, tables }: Contents): void => {
    version = undefined;
    saveFile(path, `${JSON.stringify({ ...header, records: toRecords(tables) })}\n`);
    version = versionOf(statSync(path, { bigint: true }));
  };
  const startOver = (): Contents => {
    const token = contents?.header.token ?? `sandbox-${randomBytes(24).toString('base64url')}`;
    const header = { start, createdAt: new Date(now()).toISOString(), token };
    contents = { header, tables: toTables(starts[start](now())) };
    save(contents);
    return contents;
  };
  /** Reads the contents from disk. Call it only under the lock. */
  const load = (): Contents => {
    const found = withIoFailure(path, cannotRead, () =>
      statSync(path, { bigint: true, throwIfNoEntry: false }),
    );
    if (found === undefined) return startOver();
    if (contents === undefined || versionOf(found) !== version)
      [contents, version] = withIoFailure(path, cannotRead, () => readContents(path));
    return contents;
  };

  /** Resolves when the last request of this process is done: the next one takes the lock after that. */
  let lastDone: Promise<unknown> = Promise.resolve();
  const underLock = <T>(work: () => T): Promise<T> => {
    const done = lastDone.then(() => withFileLock(path, work));
    lastDone = done.catch(() => undefined);
    return done;
  };
  /** Runs a piece of work and saves its changes, unless it throws. */
  const run = <T>(work: (records: StoredRecords, header: Header) => T): Promise<T> =>
    underLock(() => {
      const present = load();
      const { records, isChanged } = recordsOf(present.tables, now(), settleMs);
      try {
        const result = work(records, present.header);
        if (isChanged()) save(present);
        return result;
      } catch (error) {
        // `work` may have made a part of its changes in the tables, so the next request reads the file again.
        version = undefined;
        throw error;
      }
    });

  // The file is read now, so that a damaged one is reported before the first request.
  await run(() => undefined);
  return {
    run,
    /** Resets the contents with the same token: a running server continues with it. */
    reset: (): Promise<void> =>
      underLock(() => {
        // Another process may have made the token.
        load();
        startOver();
      }),
  };
}

/** Identifies a version of the file: a replaced file has another inode, or another time. */
const versionOf = ({ ino, mtimeNs, size }: BigIntStats): string => `${ino} ${mtimeNs} ${size}`;

function readContents(path: string): [Contents, version: string] {
  return withFile(path, constants.O_RDONLY, (fd) => {
    const stats = fstatSync(fd, { bigint: true });
    const text = readRange(fd, 0, Number(stats.size)).toString();
    const { success, data } = Stored.safeParse(ownJson(text));
    if (!success) throw ioFailure(`${path} is damaged; remove it to start over`);
    // Only this program writes the file, so the values in it are not checked.
    const { records, ...header } = data;
    return [{ header, tables: toTables(records as unknown as StoredRecord[]) }, versionOf(stats)];
  });
}
