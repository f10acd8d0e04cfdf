// Whether two names, or open descriptors, lead to one file: through links, other spellings of a path, redirections.

import { fstatSync, realpathSync, statSync, type BigIntStats } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { followLinks } from './save.ts';

/**
 * What a path or a descriptor leads to, as a text that is the same for the same file. A path at which there is no
 * file yet is told by its folder. `undefined` for what is no regular file, and for what cannot be looked at.
 */
export function identityOf(place: string | number): string | undefined {
  try {
    if (typeof place === 'number') return numberOf(fstatSync(place, { bigint: true }));
    const seen = statSync(place, { bigint: true, throwIfNoEntry: false });
    if (seen !== undefined) return numberOf(seen);
    const real = followLinks(place);
    return join(realpathSync(dirname(real)), basename(real));
  } catch {
    return undefined;
  }
}

const numberOf = (seen: BigIntStats): string | undefined =>
  seen.isFile() ? `${seen.dev} ${seen.ino}` : undefined;
