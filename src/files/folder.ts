// Private folders. Made step by step: Node's own recursive way never ends where a system lets nobody in (/proc).

import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { cannotWrite, codeOf } from './trouble.ts';

/** Makes a folder with mode 0700, parents too, where it is missing. Throws `Failure('local_io')`. */
export function makePrivateFolder(path: string): void {
  try {
    make(path);
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

function make(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  try {
    mkdirSync(path, 0o700);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EEXIST' && statSync(path).isDirectory()) return;
    const parent = dirname(path);
    if (code !== 'ENOENT' || parent === path) throw error;
    make(parent);
    mkdirSync(path, 0o700);
  }
}
