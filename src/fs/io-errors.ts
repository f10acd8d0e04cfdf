// Errors of the operating system about a file, in words a user can act on, with the path. Nothing here touches a file.

import { constants } from 'node:os';
import { Failure, unsentFailure } from '../base/errors.ts';

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'read-only file system',
  EFBIG: 'the file would pass the size limit',
  EIO: 'input/output error',
  EMFILE: 'too many open files',
  ENFILE: 'too many open files',
  ELOOP: 'too many symbolic links',
  ENAMETOOLONG: 'the name is too long',
  // For a write. Readers handle an absent file before they make a failure.
  ENOENT: 'a folder in the path does not exist',
  ENOTDIR: 'a part of the path is not a folder',
  EEXIST: 'something else has that name',
  EBUSY: 'in use by another program',
  ETXTBSY: 'in use by another program',
};

/** Returns the code of a system error (`ENOENT`), or `undefined` for any other thrown value. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  // Other libraries set `code` to a number.
  const { code, errno } = error as { readonly code?: unknown; readonly errno?: number };
  if (typeof code !== 'string') return undefined;
  // libuv has no name for some codes, such as EDQUOT (a quota); the system has.
  if (code.startsWith('Unknown system error'))
    return Object.entries(constants.errno).find(([, number]) => number === -errno!)?.[0] ?? code;
  return code;
}

/** True if a thrown value is a system error with one of these codes. */
export const hasCode = (error: unknown, codes: readonly string[]): boolean =>
  codes.some((code) => code === codeOf(error));

/** True if a system error says that the disk or quota is full. */
const isFull = (error: unknown): boolean => hasCode(error, ['ENOSPC', 'EDQUOT']);

/** Makes the failure of a write that replaces `path`. On a full disk the old content is intact, and it says so. */
export const cannotWrite = (path: string, error: unknown): Failure =>
  isFull(error) ? ioFailure(`disk full; ${path} unchanged`, error) : cannotAppend(path, error);

/** Makes the failure of a write to `path` that may have been done in part. */
export const cannotAppend = (path: string, error: unknown): Failure =>
  ioFailure(`cannot write ${path}: ${isFull(error) ? 'disk full' : reason(error)}`, error);

export const cannotDelete = (path: string, error: unknown): Failure =>
  ioFailure(`cannot delete ${path}: ${reason(error)}`, error);

export const cannotRead = (path: string, error: unknown): Failure =>
  ioFailure(`cannot read ${path}: ${reason(error)}`, error);

/** Returns the result of `step`; an error that it throws becomes the `failure` of `path`. A `Failure` stays as it is. */
export function withIoFailure<T>(
  path: string,
  failure: (path: string, error: unknown) => Failure,
  step: () => T,
): T {
  try {
    return step();
  } catch (error) {
    throw error instanceof Failure ? error : failure(path, error);
  }
}

/** Returns the result of `step`, or `undefined` if the file or folder that it needs does not exist. */
export function ifPresent<T>(step: () => T): T | undefined {
  try {
    return step();
  } catch (error) {
    if (hasCode(error, ['ENOENT', 'ENOTDIR'])) return undefined;
    throw error;
  }
}

/** Makes the failure for a folder, pipe or device at `path`, which this program neither reads nor writes. */
export const notRegular = (path: string): Failure => ioFailure(`${path} is not a regular file`);

/** Says why a program could not be started, by the code of the error. */
export const runReason = (code: string | undefined): string =>
  code === 'ENOENT' ? 'not found' : (reasons[code ?? ''] ?? code ?? 'unknown error');

export const ioFailure = (what: string, cause?: unknown): Failure =>
  unsentFailure('local_io', { what, cause });

function reason(error: unknown): string {
  const code = codeOf(error);
  // An error of rmSync may have an empty code, from Node 24 on.
  if (code) return reasons[code] ?? code;
  return error instanceof Error ? error.message : 'unknown error';
}
