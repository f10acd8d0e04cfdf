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
  if (isFolder(path) || made(path)) return;
  const parent = dirname(path);
  if (parent === path) throw Object.assign(new Error(path), { code: 'ENOENT' });
  make(parent);
  // Missing again only where someone takes the folders away as fast as they are made.
  if (!made(path)) throw Object.assign(new Error(path), { code: 'ENOENT' });
}

/** False when the parent is missing; another process that was quicker has made it as well. */
function made(path: string): boolean {
  try {
    mkdirSync(path, 0o700);
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') return false;
    if (code === 'EEXIST' && isFolder(path)) return true;
    throw error;
  }
}

const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
