// V8 code cache for the built files: compiling them is most of the cost of a start (figures in docs/performance.md).
// Each file goes through `vm.Script` with V8's cached data, which V8 checks for version, flags and length. Node's own
// compile cache saves half as much: it has no functions that are compiled when called. An unusable cache is ignored
// silently.

import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Script as VmScript } from 'node:vm';

export interface CachePlaces {
  /** The folder of the built files. */
  readonly dist: string;
  /** A hash of all of them, so that no other build uses this one's cache. */
  readonly build: string;
  /** The user's folder for caches. */
  readonly userCache: () => string;
  /** Node's version and processor, `v20.19.0-x64`. */
  readonly platform: string;
  /** The user id, except on Windows. */
  readonly uid: number | undefined;
  /** Whether this run is to fill the cache beside the built files, as the build does, though no file may be new. */
  readonly warm: boolean;
  /** Node's `vm.Script`, which starts that need no cache do not load. */
  readonly Script: typeof VmScript;
  /** Registers work for the end of the process. */
  readonly atExit: (work: () => void) => void;
}

/** Loads a built file, or a module of Node's, by the name under which a built file requires it. */
export type Load = (id: string) => unknown;

/** Loads the built files from the cache, and fills the cache where it may be written; `usual` where there is none. */
export function throughCodeCache(places: CachePlaces, usual: Load): Load {
  const { dist, build, platform, warm, Script } = places;
  try {
    const shipped = join(dist, 'cache', platform);
    const hasShipped = existsSync(shipped);
    // The shipped cache is as trustworthy as the program beside it; only the build writes it.
    const folder = hasShipped || warm ? shipped : join(places.userCache(), `${build}-${platform}`);
    const mayWrite = warm || !hasShipped;
    if (mayWrite) makeFolders(dirname(dirname(folder)), dirname(folder), folder);
    if (!hasShipped && !isPrivate(folder, places.uid)) return usual;
    return loader({ folder, dist, warm, Script }, usual, mayWrite ? places.atExit : undefined);
  } catch {
    // Without a cache everything works, only a little slower.
    return usual;
  }
}

/** Private folders, one in the other. This file imports nothing of src: that would be loaded without the cache. */
function makeFolders(...folders: readonly string[]): void {
  for (const folder of folders) if (!existsSync(folder)) mkdirSync(folder, 0o700);
}

/** A folder of this user that nobody else may look into or write to. */
function isPrivate(folder: string, uid: number | undefined): boolean {
  const found = lstatSync(folder);
  return (
    found.isDirectory() && (uid === undefined || (found.uid === uid && (found.mode & 0o077) === 0))
  );
}

/** What makes a built file a function: the names that a CommonJS module takes for granted. */
const HEAD = '(function (exports, require, module, __filename, __dirname) { ';
const TAIL = '\n})';

interface Caching extends Pick<CachePlaces, 'dist' | 'warm' | 'Script'> {
  readonly folder: string;
}

/** The built files are in one folder and require each other by name: no search, no module of Node's for each. */
function loader(
  { folder, dist, warm, Script }: Caching,
  usual: Load,
  atExit: CachePlaces['atExit'] | undefined,
): Load {
  const scripts = new Map<string, VmScript>();
  let isComplete = !warm;
  const loaded = new Map<string, NodeJS.Module>();

  const compile = (path: string) => {
    const cached = join(folder, `${basename(path)}.bin`);
    const data = existsSync(cached) ? readFileSync(cached) : undefined;
    const script = new Script(HEAD + readFileSync(path, 'utf8') + TAIL, {
      filename: path,
      // Positions in a stack trace count from the file, not from the wrapper in front of it.
      columnOffset: -HEAD.length,
      ...(data === undefined ? {} : { cachedData: data }),
    });
    if (data === undefined || script.cachedDataRejected === true) isComplete = false;
    scripts.set(cached, script);
    return script;
  };
  const load: Load = (id) => {
    if (!id.startsWith('./')) return usual(id);
    const path = join(dist, id);
    const known = loaded.get(path);
    if (known !== undefined) return known.exports;
    const module = { exports: {} } as NodeJS.Module;
    loaded.set(path, module);
    const run = compile(path).runInThisContext() as (...parts: unknown[]) => unknown;
    run.call(module.exports, module.exports, load, module, path, dist);
    return module.exports;
  };

  // A run that loads a file for the first time does something new, and so compiles functions of the others too. Each is
  // saved with what is compiled by now: after a `--help`, a `get` would compile a tenth of its code at each start.
  atExit?.(() => {
    if (isComplete) return;
    for (const [path, script] of scripts) save(path, script.createCachedData());
  });
  return load;
}

/** Atomically: another process may be reading. */
function save(path: string, data: Buffer): void {
  try {
    const temporary = `${path}.${Math.random().toString(36).slice(2)}`;
    writeFileSync(temporary, data, { mode: 0o600, flag: 'wx' });
    renameSync(temporary, path);
  } catch {
    // The next run will try again.
  }
}
