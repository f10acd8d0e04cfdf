// The sandbox's state: one private JSON file that several processes may use at once. Each request reads, changes and
// saves the file under its lock, and is answered after that.

import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { ownJson } from '../../base/json.ts';
import { fileNames } from '../../base/paths.ts';
import { saveFile } from '../../fs/atomic-write.ts';
import { cannotRead, ifPresent, ioFailure, withIoFailure } from '../../fs/io-errors.ts';
import { withFileLock } from '../../fs/lock.ts';
import { readIfPresent } from '../../fs/safe-read.ts';
import { seedAccounts } from '../seed/accounts.ts';
import { seedDemoPosts, seedOutagePosts } from '../seed/posts.ts';
import { type StoredRecord, type StoredRecords, viewOf } from './tables.ts';

/** The contents from which a sandbox can start, at a time in milliseconds since 1970. */
export const starts = {
  demo: (now: number): readonly StoredRecord[] => [...seedDemoPosts(now), ...seedAccounts(now)],
  outage: (now: number): readonly StoredRecord[] => [...starts.demo(now), ...seedOutagePosts(now)],
};

export type StartName = keyof typeof starts;

export const startNames = Object.keys(starts) as readonly StartName[];

export interface StateOptions {
  /** The folder of the state; it is made with mode 0700 if it is missing. */
  readonly stateDir: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** The contents of a new state; `demo` by default. */
  readonly start?: StartName;
  /** Milliseconds during which a retried target is publishing; one to three seconds by default. */
  readonly publishAfterMs?: number | undefined;
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

interface Contents extends Header {
  readonly records: readonly StoredRecord[];
}

export type State = Awaited<ReturnType<typeof openState>>;

const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Opens the state, and makes it if there is none. All functions throw `Failure('local_io')` if the file is damaged, or
 * cannot be read, written or locked.
 */
export async function openState({ stateDir, now, start = 'demo', publishAfterMs }: StateOptions) {
  const path = join(stateDir, fileNames.sandbox);
  /** The contents that this process read or saved last, with the version of the file that has them. */
  let last: { readonly version: string | undefined; readonly contents: Contents } | undefined;

  /** Reads the contents, unless the file is the last one; `undefined` if it does not exist. */
  const read = (): Contents | undefined => {
    const version = versionOf(path);
    if (version === last?.version) return last?.contents;
    const contents = readContents(path);
    last = contents && { version, contents };
    return contents;
  };
  const save = (contents: Contents): void => {
    last = undefined;
    saveFile(path, `${JSON.stringify(contents)}\n`);
    last = { version: versionOf(path), contents };
  };
  /** Makes and saves new contents; a reset passes the token of the old ones. */
  const startOver = (token = `sandbox-${randomBytes(24).toString('base64url')}`): Contents => {
    const createdAt = new Date(now()).toISOString();
    const records = starts[start](now() - (now() % 60_000));
    const contents = { start, createdAt, token, records };
    save(contents);
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
      const { records: stored, ...header } = read() ?? startOver();
      const view = viewOf(stored, now(), publishAfterMs);
      const result = work(view.records, header);
      const records = view.changed();
      if (records !== undefined) save({ ...header, records });
      return result;
    });

  // The file is read now, so that a damaged one is reported before the first request.
  const createdAt = await run((_records, header) => header.createdAt);
  return {
    run,
    createdAt,
    /** Resets the contents with the same token: a running server continues with it. */
    reset: (): Promise<void> => underLock(() => void startOver(read()?.token)),
  };
}

/** Identifies a version of the file: a replaced file has another inode, or another time. */
function versionOf(path: string): string | undefined {
  const found = withIoFailure(path, cannotRead, () =>
    ifPresent(() => statSync(path, { bigint: true })),
  );
  return found && `${found.ino} ${found.mtimeNs} ${found.size}`;
}

/** Reads the contents; `undefined` if the file does not exist. */
function readContents(path: string): Contents | undefined {
  const text = readIfPresent(path, MAX_BYTES)?.toString();
  if (text === undefined) return undefined;
  const { success, data } = Stored.safeParse(ownJson(text));
  if (!success) throw ioFailure(`${path} is damaged; remove it to start over`);
  // Only this program writes the file, so the values in it are not checked.
  return data as unknown as Contents;
}
