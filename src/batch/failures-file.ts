// Writes the file of `--failures-to`: the records that failed or were not started, in the form that `--from` reads.
// Checks that all files of a batch are different.

import { type BigIntStats, fstatSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Input } from '../api/operations/define-operation.ts';
import { ifPossible } from '../base/errors.ts';
import type { Fault } from '../base/fault.ts';
import { toJson } from '../base/json.ts';
import { isStdinPath } from '../base/paths.ts';
import { checkReplaceable, refuseForeignFile, saveList } from '../fs/atomic-write.ts';
import { followLinks } from '../fs/safe-read.ts';
import type { BatchOptions } from './options.ts';

/** The descriptors of the standard streams. */
const STDIN = 0;
const STDOUT = 1;

export type FailuresWriter = ReturnType<typeof failuresWriter>;

/**
 * Starts the file of failures, which is saved at the end. Throws `Failure('local_io')` if it cannot be written, or would
 * replace a file that no batch has made.
 */
export function startFailuresFile(path: string) {
  refuseForeignFile(path);
  checkReplaceable(path);
  const lines: string[] = [];
  return {
    add: (line: string) => void lines.push(line),
    finish: () => saveList(path, lines),
  };
}

/** Makes the writer; without `output` it writes nothing. Omits the fields that the command words imply. */
export function failuresWriter(
  output: ReturnType<typeof startFailuresFile> | undefined,
  impliedFields: object,
) {
  let records = 0;
  let isFinished = false;
  return {
    /** Adds the input of a record that failed or was not sent. */
    add(input: Input): void {
      if (output === undefined) return;
      records++;
      const fields = Object.entries(input).filter(([name]) => !Object.hasOwn(impliedFields, name));
      output.add(`${toJson(Object.fromEntries(fields))}\n`);
    },
    /** Saves the file under its name. Throws `Failure('local_io')`. */
    finish(): void {
      output?.finish();
      isFinished = true;
    },
    /** Returns the number of records in the saved file; 0 if there is none. */
    savedCount: (): number => (isFinished ? records : 0),
  };
}

/** Returns a fault for each file of a batch that is the same as another one, under any name. */
export function fileFaults({ from, journal, failuresTo }: BatchOptions): readonly Fault[] {
  const files = [
    { name: 'standard output', id: streamIdentity(STDOUT) },
    { name: '--from', id: fileIdentity(from) },
    { name: '--journal', id: fileIdentity(journal) },
    { name: '--failures-to', id: fileIdentity(failuresTo) },
  ];
  const faults: Fault[] = [];
  for (const [i, { name, id }] of files.entries()) {
    const other = files.slice(0, i).find((file) => id !== undefined && file.id === id);
    if (other === undefined) continue;
    const problem = `is the same file as ${other.name}`;
    faults.push({ field: name, problem, fix: 'use a different file for each' });
  }
  return faults;
}

/**
 * Identifies the file that a path leads to, so that links, other spellings and redirections of one file are equal. A
 * file that does not exist yet is identified by the real path of its folder and its name. `undefined` if it is not a
 * regular file or cannot be read.
 */
const fileIdentity = (path: string | undefined): string | undefined => {
  if (path === undefined || path === '') return undefined;
  if (isStdinPath(path)) return streamIdentity(STDIN);
  return ifPossible(() => {
    const status = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (status !== undefined) return inodeOf(status);
    const real = followLinks(path);
    return join(realpathSync(dirname(real)), basename(real));
  });
};

/** Identifies the file to which a standard stream was redirected. */
const streamIdentity = (fd: number): string | undefined =>
  ifPossible(() => inodeOf(fstatSync(fd, { bigint: true })));

const inodeOf = (status: BigIntStats): string | undefined =>
  status.isFile() ? `${status.dev} ${status.ino}` : undefined;
