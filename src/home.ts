import { isAbsolute } from 'node:path';

/**
 * Returns `HOME` if it is absolute, else the home folder of the system; a relative one could lead to settings of
 * another project in the current folder. `/` for a user with a number and no name, as in a container.
 */
export function homeFolder(): string {
  const isPosix = process.platform !== 'win32';
  const { HOME } = process.env;
  // node:os would return the same, so it need not be loaded.
  if (isPosix && HOME !== undefined && isAbsolute(HOME)) return HOME;
  const { homedir, userInfo } = process.getBuiltinModule('node:os');
  try {
    // Outside Windows `homedir` would return HOME, even a relative one.
    return isPosix ? userInfo().homedir : homedir();
  } catch {
    return '/';
  }
}
