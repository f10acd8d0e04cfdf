// The home folder of the user.

import { isAbsolute } from 'node:path';

/**
 * `HOME` if it is absolute, else what the system says; a relative one would lead to settings that came with the current
 * folder. `/` for a user with a number and no name, as in a container.
 */
export function homeFolder(): string {
  const isPosix = process.platform !== 'win32';
  const { HOME } = process.env;
  // As node:os would answer, without loading it.
  if (isPosix && HOME !== undefined && isAbsolute(HOME)) return HOME;
  const { homedir, userInfo } = process.getBuiltinModule('node:os');
  try {
    return isPosix ? userInfo().homedir : homedir();
  } catch {
    return '/';
  }
}
