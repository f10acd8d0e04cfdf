// Loads the chunks of the program with the compiled code that earlier runs have kept. Node's own cache is written before
// a chunk runs, without the functions that are compiled later, and not at all by Node 20.
// It saves a get 1.2 of a bare node on Node 20, and 0.4 on 24 and 26 in comparison with Node's cache. To measure, run
// `npm run bench -- start` in this build and in one without it, in turn.
// If anything is odd about a kept file or its folder, the program starts slower and is otherwise the same.

import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Script } from 'node:vm';
import { version } from './base/version.ts';

/** After this time a run leaves the rest to the next ones: a get has kept all its code after five runs. */
const KEEPING_MS = 1;
const STALE_MS = 30 * 24 * 60 * 60 * 1000;
/** A file is written again for another command, whose functions it lacks, but not more often than this. */
const MAX_COMMANDS = 8;
/** Before the code are checksums: of the rest of the file, of the source, of each command. */
const HEAD_BYTES = 4 * (2 + MAX_COMMANDS);
const WRAPPER = '(function (exports, require, module, __filename, __dirname) { ';

const crc32 = (data: string | Uint8Array | Uint32Array, before = 0): number =>
  process.getBuiltinModule('node:zlib').crc32(data, before);

/**
 * Returns a `require` for the chunks, with the code that is kept in `folder` and, if `mayKeep`, keeps more at the end.
 * `command` is written into the files as a checksum.
 */
export function keptRequire(folder: string, command: string, mayKeep: () => boolean) {
  const vm = process.getBuiltinModule('node:vm');
  // The tag stands for the version of V8 and its flags.
  const tag = process.getBuiltinModule('node:v8').cachedDataVersionTag();
  const key = `${version}-${process.version}-${process.platform}-${process.arch}-${tag}`;
  const id = crc32(command);
  const modules = new Map<string, { exports: unknown }>();
  const unkept: (() => void)[] = [];

  const requireKept = (name: string): unknown => {
    if (!name.startsWith('./')) return module.require(name);
    const known = modules.get(name);
    if (known !== undefined) return known.exports;
    const filename = join(__dirname, name);
    const text = readFileSync(filename, 'utf8');
    const source = crc32(text);
    const path = join(folder, `${key}-${name.slice(2)}`);
    const kept = attempt(() => readKept(path, source));
    // Columns in stack traces are those of the file.
    const options = { filename, columnOffset: -WRAPPER.length, cachedData: kept?.code };
    const script = new vm.Script(`${WRAPPER}${text}\n})`, options);
    const commands = script.cachedDataRejected ? [] : (kept?.commands ?? []);
    if (!commands.includes(id) && commands.length < MAX_COMMANDS)
      unkept.push(() => keep(path, [source, ...commands, id], script));
    const chunk = { exports: {} };
    modules.set(name, chunk);
    const run = script.runInThisContext() as (...values: unknown[]) => void;
    run.call(chunk.exports, chunk.exports, requireKept, chunk, filename, __dirname);
    return chunk.exports;
  };

  process.on('exit', (exitCode) => {
    if (exitCode !== 0 || unkept.length === 0 || !mayKeep()) return;
    attempt(() => removeStale(folder, key));
    const end = performance.now() + KEEPING_MS;
    for (const keepOne of unkept) if (performance.now() < end) attempt(keepOne);
  });
  return requireKept;
}

/** Reads a file that only this user can have written. It is checked whole, because V8 compares only lengths. */
function readKept(path: string, source: number) {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile() || stats.nlink !== 1 || !isPrivate(stats, 0o077)) return undefined;
    const bytes = readFileSync(fd);
    const numbers = [...new Uint32Array(bytes.buffer, bytes.byteOffset, HEAD_BYTES / 4)];
    if (numbers[0] !== crc32(bytes.subarray(4)) || numbers[1] !== source) return undefined;
    return { commands: numbers.slice(2).filter(Boolean), code: bytes.subarray(HEAD_BYTES) };
  } finally {
    closeSync(fd);
  }
}

/** Writes beside the file and renames it, so that no process reads half of it. */
function keep(path: string, facts: readonly number[], script: Script): void {
  const fresh = `${path}.${process.pid}.new`;
  // Opened before the code is serialized: where no file can be made, no start works in vain.
  const fd = openSync(fresh, 'wx', 0o600);
  try {
    const numbers = new Uint32Array(HEAD_BYTES / 4);
    numbers.set(facts, 1);
    const code = script.createCachedData();
    numbers[0] = crc32(code, crc32(numbers.subarray(1)));
    for (const part of [numbers, code]) writeFileSync(fd, part);
    renameSync(fresh, path);
  } catch {
    rmSync(fresh, { force: true });
  } finally {
    closeSync(fd);
  }
}

const sortable = (name: string) => name.replace(/\d+/g, (digits) => digits.padStart(12, '0'));

/** Removes what older versions have kept, Node's cache of them included, what a kill has cut, and what is old. */
function removeStale(folder: string, key: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const isOlder = /^\d/.test(name) && sortable(name) < sortable(key);
    const isOld = lstatSync(path).mtimeMs < Date.now() - STALE_MS;
    if (isOlder || isOld || /^v\d|\.new$/.test(name))
      rmSync(path, { recursive: true, force: true });
  }
}

/** Code that others can write would run as this user, so it and its folder are to be this user's alone. */
export const isPrivate = ({ uid, mode }: Stats, others: number): boolean =>
  process.getuid === undefined || (uid === process.getuid() && !(mode & others));

/** Like `ifPossible`, whose chunk `--version` would load for this alone. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
