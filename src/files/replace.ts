// A file that is written little by little and takes its name only when it is whole: until then the old one stays.
// Private (0600), like all that may hold texts of a user.

import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { removeRemains, temporaryName } from './remains.ts';
import { syncFolder } from './save.ts';
import { cannotWrite, notRegular } from './trouble.ts';

export interface Replacement {
  /** Adds text. Throws `Failure('local_io')`. */
  add(text: string): void;
  /** Puts it in the place of the old file, durably. Throws `Failure('local_io')`. */
  finish(): void;
  /** Leaves the old file as it was; nothing more after `finish`. */
  drop(): void;
}

/**
 * Where the file really is. A folder would refuse the name only at the end, and a device such as /dev/null would be
 * replaced for everybody.
 */
function placeOf(path: string): string {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return path;
    if (!found.isFile()) throw notRegular(path);
    return realpathSync(path);
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

/** Starts a file that will replace `path`. Throws `Failure('local_io')` where none can be made there. */
export function startReplacement(named: string): Replacement {
  const path = placeOf(named);
  const writing = <T>(step: () => T): T => {
    try {
      return step();
    } catch (error) {
      throw cannotWrite(path, error);
    }
  };
  const temporary = temporaryName(path, randomBytes(6).toString('hex'));
  const fd = writing(() => {
    removeRemains(path);
    return openSync(temporary, 'wx', 0o600);
  });
  let open = true;
  return {
    add: (text) =>
      writing(() => {
        const bytes = Buffer.from(text);
        for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
      }),
    finish: () =>
      writing(() => {
        fsyncSync(fd);
        closeSync(fd);
        open = false;
        renameSync(temporary, path);
        syncFolder(dirname(path));
      }),
    drop: () => {
      if (!open) return;
      open = false;
      closeSync(fd);
      rmSync(temporary, { force: true });
    },
  };
}
