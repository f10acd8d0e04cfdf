// Who may read and write a file or a folder, besides its owner.

import { accessSync, constants, statSync, type Stats } from 'node:fs';

export interface Access {
  readonly folder: boolean;
  /** The bits of the mode, `0o600`. */
  readonly mode: number;
  /** Whether this user may write there. */
  readonly writable: boolean;
}

const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;

/** How a path may be used; `undefined` where there is nothing, or nothing that this user may look at. */
export function accessTo(path: string): Access | undefined {
  let found: Stats;
  try {
    found = statSync(path);
  } catch {
    return undefined;
  }
  const folder = found.isDirectory();
  return { folder, mode: found.mode & 0o777, writable: isWritable(path, folder) };
}

/** Whether group or others may read, write or enter. On Windows modes say nothing. */
export const isOpen = ({ mode }: Access, platform: string): boolean =>
  platform !== 'win32' && (mode & OTHERS) !== 0;

export const isOpenForWriting = ({ mode }: Access, platform: string): boolean =>
  platform !== 'win32' && (mode & OTHERS_WRITE) !== 0;

/** `0644` */
export const octal = ({ mode }: Access): string => mode.toString(8).padStart(4, '0');

function isWritable(path: string, folder: boolean): boolean {
  try {
    accessSync(path, folder ? constants.W_OK | constants.X_OK : constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
