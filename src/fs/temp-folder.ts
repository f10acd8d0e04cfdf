// The folder for temporary files.

import { homedir, platform, tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/**
 * What the system says, unless that is relative to the current folder, where the files of one user would have as many
 * places as there are folders: Node answers so for a relative `TMPDIR`, and on Windows without TEMP and SystemRoot with
 * `undefined\temp`.
 */
export function tempFolder(): string {
  const given = tmpdir();
  if (isAbsolute(given)) return given;
  return platform() === 'win32' ? join(homedir(), 'AppData', 'Local', 'Temp') : '/tmp';
}
