// Keeps the compiled form of the built files, for compiling them is most of what a start costs: the figures are in
// docs/performance.md. Each goes through `vm.Script` with V8's cached data, which V8 itself checks for version, flags
// and length. Node's own compile cache, where there is one, saves half as much: it knows nothing of the functions that
// are compiled when they are called. A cache that is absent, foreign, stale or unwritable is passed over in silence.

import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { Module } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { Script } from 'node:vm';

export interface CachePlaces {
  /** The folder of the built files. */
  readonly dist: string;
  /** A hash of all of them: another build never meets this one's cache. */
  readonly build: string;
  /** The user's folder for caches. */
  readonly userCache: () => string;
  /** Node's version and processor, `v20.19.0-x64`. */
  readonly platform: string;
  /** The user, where the system has such numbers. */
  readonly uid: number | undefined;
  /** Whether this run is to fill the cache beside the built files, as the build does. */
  readonly warm: boolean;
  /** Calls back when the process is about to end. */
  readonly atExit: (work: () => void) => void;
}

/** Loads a built file, or a module of Node's, by the name under which a built file requires it. */
export type Load = (id: string) => unknown;

/**
 * What loads the built files from the cache, and fills the cache where it may be written; `usual` itself where no
 * cache can be had.
 */
export function throughCodeCache(places: CachePlaces, usual: Load): Load {
  const { dist, build, platform, warm } = places;
  try {
    const shipped = join(dist, 'cache', platform);
    const hasShipped = existsSync(shipped);
    // What lies beside the program is as trustworthy as the program; it is written by the build alone.
    const folder = hasShipped || warm ? shipped : join(places.userCache(), `${build}-${platform}`);
    const mayWrite = warm || !hasShipped;
    if (mayWrite) makeFolders(dirname(dirname(folder)), dirname(folder), folder);
    if (!hasShipped && !isPrivate(folder, places.uid)) return usual;
    return loader({ folder, dist, warm }, usual, mayWrite ? places.atExit : undefined);
  } catch {
    // Without a cache everything works, only a little slower.
    return usual;
  }
}

/** Private folders, one in the other. This file stands alone: what it loaded would be loaded past the cache. */
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

/** Characters that Node puts in front of a file's first line. */
const HEAD = Module.wrap('').indexOf('\n');

interface Caching {
  readonly folder: string;
  readonly dist: string;
  /** Whether each file is saved again, with the functions that this run has compiled besides. */
  readonly warm: boolean;
}

/** The built files are in one folder and require each other by their names: no search, no module of Node's for each. */
function loader(
  { folder, dist, warm }: Caching,
  usual: Load,
  atExit: CachePlaces['atExit'] | undefined,
): Load {
  const fresh = new Map<string, Script>();
  const loaded = new Map<string, NodeJS.Module>();

  const compile = (path: string): Script => {
    const cached = join(folder, `${basename(path)}.bin`);
    const data = existsSync(cached) ? readFileSync(cached) : undefined;
    const script = new Script(Module.wrap(readFileSync(path, 'utf8')), {
      filename: path,
      // A stack names places in the file, which begins behind the head of the function around it.
      columnOffset: -HEAD,
      ...(data === undefined ? {} : { cachedData: data }),
    });
    if (warm || data === undefined || script.cachedDataRejected === true) fresh.set(cached, script);
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

  atExit?.(() => {
    for (const [path, script] of fresh) save(path, script.createCachedData());
  });
  return load;
}

/** Whole or not at all: another process may be reading. */
function save(path: string, data: Buffer): void {
  try {
    const temporary = `${path}.${Math.random().toString(36).slice(2)}`;
    writeFileSync(temporary, data, { mode: 0o600, flag: 'wx' });
    renameSync(temporary, path);
  } catch {
    // The next run will try again.
  }
}
