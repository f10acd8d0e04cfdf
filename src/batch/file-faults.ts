// The files that a batch reads and writes. A file that is written must not be any of the others.

import { type BigIntStats, fstatSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Fault, ifPossible } from '../base/errors.ts';
import { isStdinPath } from '../base/paths.ts';
import type { RawFlags } from '../config/choices.ts';
import { followLinks } from '../fs/atomic-write.ts';
import type { BatchSettings } from './options.ts';

/** A fault for each typed file that is another one too, by whatever name, where one of the two is written. */
export function fileFaults(
  { from, journal, failuresTo }: BatchSettings,
  flags: RawFlags,
): readonly Fault[] {
  const inputs = Object.entries({ ...flags, from }).filter(
    (entry): entry is [string, string] => /^from$|.File$/.test(entry[0]) && Boolean(entry[1]),
  );
  const outputs = [
    ['--journal', journal],
    ['--failures-to', failuresTo],
  ] as const;
  const stdout = { name: 'standard output', file: fileIdentity(1), isWritten: true };
  const seen = [stdout];
  const faults: Fault[] = [];
  const add = (name: string, path: string | undefined, isWritten: boolean) => {
    const file = path && fileIdentity(isStdinPath(path) ? 0 : path);
    if (!file) return;
    const other = seen.find((each) => each.file === file && (isWritten || each.isWritten));
    seen.push({ name, file, isWritten });
    if (other === undefined) return;
    const problem = `is the same file as ${other.name}`;
    faults.push({ field: name, problem, fix: 'use a different file for each' });
  };
  for (const [key, path] of inputs) add(flagOf(key), path, false);
  for (const [name, path] of outputs) add(name, path, true);
  return faults;
}

const flagOf = (key: string) =>
  `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/**
 * The file that a path or a descriptor leads to, as a text that is the same for the same file, through links, other
 * spellings and redirections. A path at which there is no file yet is identified by its folder. `undefined` for what is
 * no regular file or cannot be read.
 */
const fileIdentity = (place: string | number): string | undefined =>
  ifPossible(() => {
    if (typeof place === 'number') return numberOf(fstatSync(place, { bigint: true }));
    const found = statSync(place, { bigint: true, throwIfNoEntry: false });
    if (found !== undefined) return numberOf(found);
    const real = followLinks(place);
    return join(realpathSync(dirname(real)), basename(real));
  });

const numberOf = (found: BigIntStats): string | undefined =>
  found.isFile() ? `${found.dev} ${found.ino}` : undefined;
