// A file that is written little by little and takes its name only when it is whole: until then the old one stays.
// Private (0600), like all that may hold texts of a user.

import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { removeRemains, temporaryName } from './remains.ts';
import { checkWhole, followLinks, syncFolder } from './save.ts';
import { cannotWrite } from './trouble.ts';

export interface Replacement {
  /** Adds text. Throws `Failure('local_io')`. */
  add(text: string): void;
  /** Puts it in the place of the old file, durably. Throws `Failure('local_io')`. */
  finish(): void;
  /** Leaves the old file as it was; nothing more after `finish`. */
  drop(): void;
}

/**
 * Starts a file that will replace the one at `named`, or at the end of its links. Refuses what is no regular file: a
 * folder would say so only at the end, and a device such as /dev/null would be replaced for everybody. The caller holds
 * the lock. Throws `Failure('local_io')` where none can be made there.
 */
export function startReplacement(named: string): Replacement {
  const writing = <T>(step: () => T): T => {
    try {
      return step();
    } catch (error) {
      throw cannotWrite(named, error);
    }
  };
  const path = writing(() => followLinks(named));
  const temporary = temporaryName(path, randomBytes(6).toString('hex'));
  const fd = writing(() => {
    removeRemains(path);
    return openSync(temporary, 'wx', 0o600);
  });
  let open = true;
  let size = 0;
  return {
    add: (text) =>
      writing(() => {
        const bytes = Buffer.from(text);
        for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
        size += bytes.length;
      }),
    finish: () =>
      writing(() => {
        checkWhole(fd, size);
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
