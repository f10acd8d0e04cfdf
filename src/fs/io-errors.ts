// What the operating system says about a file, in words a user can act on, with the path.
// Nothing here touches a file.

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
  ENOENT: 'a folder in the path does not exist',
  ENOTDIR: 'a part of the path is not a folder',
  EEXIST: 'something else has that name',
  EBUSY: 'in use by another program',
  ETXTBSY: 'in use by another program',
};

/** The code of a system error (`ENOENT`), or undefined for any other thrown value. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  // Other libraries put a number there.
  const { code, errno } = error as { readonly code?: unknown; readonly errno?: number };
  if (typeof code !== 'string') return undefined;
  // libuv has no name for some, EDQUOT (a quota) among them; the system has.
  if (code.startsWith('Unknown system error'))
    return Object.entries(constants.errno).find(([, number]) => number === -errno!)?.[0] ?? code;
  return code;
}

/** Whether a thrown value is a system error with one of these codes. */
export const hasCode = (error: unknown, codes: readonly string[]): boolean =>
  codes.some((code) => code === codeOf(error));

/** Whether a system error says that there is no more room. */
const isFull = (error: unknown): boolean => hasCode(error, ['ENOSPC', 'EDQUOT']);

/** The failure of a write to `path`; says that the old content is intact, which the writer must have ensured. */
export function cannotWrite(path: string, error: unknown): Failure {
  if (error instanceof Failure || !isFull(error)) return cannotRecord(path, error);
  return ioFailure(`disk full; ${path} unchanged`, error);
}

/** The failure of an append to `path`, of which some may have been written. */
export function cannotRecord(path: string, error: unknown): Failure {
  if (error instanceof Failure) return error;
  return ioFailure(`cannot write ${path}: ${isFull(error) ? 'disk full' : reason(error)}`, error);
}

/** The failure of a removal of `path`. */
export const cannotDelete = (path: string, error: unknown): Failure =>
  ioFailure(`cannot delete ${path}: ${reason(error)}`, error);

/** The failure of a read of `path`. */
export function cannotRead(path: string, error: unknown): Failure {
  if (error instanceof Failure) return error;
  return ioFailure(`cannot read ${path}: ${reason(error)}`, error);
}

/** Returns what `step` returns; an error that it throws becomes the `failure` of `path`. */
export function withIoFailure<T>(
  path: string,
  failure: (path: string, error: unknown) => Failure,
  step: () => T,
): T {
  try {
    return step();
  } catch (error) {
    throw failure(path, error);
  }
}

/** `path` is a folder, a pipe, a device: nothing this tool reads or writes. */
export function notRegular(path: string): Failure {
  return ioFailure(`${path} is not a regular file`);
}

/** Why a program could not be started, by the code of the error. */
export const runReason = (code: string | undefined): string =>
  code === 'ENOENT' ? 'not found' : (reasons[code ?? ''] ?? code ?? 'unknown error');

/** A failure of kind `local_io` that says `what`. */
export function ioFailure(what: string, cause?: unknown): Failure {
  return unsentFailure('local_io', cause === undefined ? { what } : { what, cause });
}

function reason(error: unknown): string {
  const code = codeOf(error);
  if (code !== undefined) return reasons[code] ?? code;
  return error instanceof Error ? error.message : 'unknown error';
}
