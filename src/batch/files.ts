// The files that a batch writes. `--failures-to` has the records that failed or were not started, in the form that
// `--from` reads. Each file must differ from all other files of the command.

import { type BigIntStats, fstatSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Fault, ifPossible } from '../base/errors.ts';
import { isObject, ownJson, toJson } from '../base/json.ts';
import { isStdinPath } from '../base/paths.ts';
import type { RawFlags } from '../config/flags.ts';
import { type Replacement, refuseForeignFile, startReplacement } from '../fs/atomic-write.ts';
import { followLinks } from '../fs/safe-read.ts';
import type { BatchSettings } from './options.ts';
import type { BatchRecord } from './read/validate-records.ts';
import type { RecordVerdict } from './run-record.ts';

/** The descriptors of the standard streams. */
const STDIN = 0;
const STDOUT = 1;

export type FailuresFile = ReturnType<typeof failuresFile>;

/**
 * Opens the file at `path`, if one was requested. The records in it lack the `impliedFields`.
 * Throws `Failure('local_io')` if an existing file is not a list of records.
 */
export function openFailuresFile(
  path: string | undefined,
  impliedFields: object,
  retryUnknown: boolean | undefined,
): FailuresFile {
  if (path === undefined) return failuresFile(undefined, impliedFields, retryUnknown);
  refuseForeignFile(path, isRecord);
  return failuresFile(startReplacement(path), impliedFields, retryUnknown);
}

/** True if a line may be a record that a batch wrote: an input, whose values are not objects except headers. */
function isRecord(line: string): boolean {
  const record = ownJson(line);
  if (!isObject(record)) return false;
  return Object.entries(record).every(
    ([name, value]) => name === 'customHeaders' || !isObject(value),
  );
}

/** Makes the writer of the failures; without `output` it writes nothing. */
export function failuresFile(
  output: Pick<Replacement, 'add' | 'finish' | 'drop'> | undefined,
  impliedFields: object,
  retryUnknown: boolean | undefined,
) {
  let records = 0;
  let isFinished = false;
  const write = ({ input }: BatchRecord) => {
    if (output === undefined) return;
    records++;
    const fields = Object.entries(input).filter(([name]) => !Object.hasOwn(impliedFields, name));
    output.add(`${toJson(Object.fromEntries(fields))}\n`);
  };
  return {
    /** Adds a failed record; ignores every other. */
    add(record: BatchRecord, verdict: RecordVerdict): void {
      if (verdict === 'failed') write(record);
    },
    /** Adds a record that this run did not send, unless an earlier run may have sent it. */
    addUnsent(record: BatchRecord): void {
      const mayHaveBeenSent = record.past === 'unknown' && retryUnknown !== true;
      if (record.past !== 'accepted' && !mayHaveBeenSent) write(record);
    },
    /** Saves the file under its name. Throws `Failure('local_io')`. */
    finish(): void {
      output?.finish();
      isFinished = true;
    },
    /**
     * Returns the number of records in the saved file; `undefined` if there is none. Accepted records are not in it,
     * although they may have failed.
     */
    savedCount: (): number | undefined =>
      output !== undefined && isFinished ? records : undefined,
    /** Deletes a file that was not saved under its name. */
    drop: () => output?.drop(),
  };
}

/**
 * Returns a fault for each typed file that is the same as another one, under any name, if one of the two is written.
 */
export function fileFaults(
  { from, journal, failuresTo }: BatchSettings,
  flags: RawFlags,
): readonly Fault[] {
  // Flags such as --secret-file read a file too.
  const inputs = Object.entries({ ...flags, from }).filter(([key]) => /^from$|.File$/.test(key));
  const files = [
    { name: 'standard output', place: STDOUT, isWritten: true },
    ...inputs.map(([key, place]) => ({ name: flagOf(key), place, isWritten: false })),
    { name: '--journal', place: journal, isWritten: true },
    { name: '--failures-to', place: failuresTo, isWritten: true },
  ].map((file) => ({ ...file, id: fileIdentity(file.place) }));
  const faults: Fault[] = [];
  for (const [i, { name, id, isWritten }] of files.entries()) {
    const other = files
      .slice(0, i)
      .find((file) => id !== undefined && file.id === id && (isWritten || file.isWritten));
    if (other === undefined) continue;
    const problem = `is the same file as ${other.name}`;
    faults.push({ field: name, problem, fix: 'use a different file for each' });
  }
  return faults;
}

const flagOf = (key: string) =>
  `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/**
 * Identifies the file that a path or a descriptor leads to, so that links, other spellings and redirections of one file
 * are equal. A file that does not exist yet is identified by the real path of its folder and its name. `undefined` if
 * it is not a regular file or cannot be read.
 */
const fileIdentity = (place: unknown): string | undefined =>
  ifPossible(() => {
    if (place === STDOUT) return inodeOf(fstatSync(STDOUT, { bigint: true }));
    if (typeof place !== 'string' || place === '') return undefined;
    if (isStdinPath(place)) return inodeOf(fstatSync(STDIN, { bigint: true }));
    const status = statSync(place, { bigint: true, throwIfNoEntry: false });
    if (status !== undefined) return inodeOf(status);
    const real = followLinks(place);
    return join(realpathSync(dirname(real)), basename(real));
  });

const inodeOf = (status: BigIntStats): string | undefined =>
  status.isFile() ? `${status.dev} ${status.ino}` : undefined;
