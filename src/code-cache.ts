// Keeps the compiled form of the built files, for compiling them is most of what a start costs: the figures are in
// docs/performance.md. Newer Nodes have a cache of their own; on Node 20 the built files go through `vm.Script` with
// V8's cached data, which V8 itself checks for version, flags and length. A cache that is absent, foreign, stale or
// unwritable is passed over in silence.

import { existsSync, lstatSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
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

/** Makes the built files load from the cache, and the cache fill where it may be written. */
export async function useCodeCache(places: CachePlaces): Promise<void> {
  const { dist, build, platform, warm } = places;
  const own = (Module as { enableCompileCache?: (folder: string) => unknown }).enableCompileCache;
  try {
    const shipped = join(dist, 'cache', platform);
    const hasShipped = existsSync(shipped);
    // What lies beside the program is as trustworthy as the program; it is written by the build alone.
    const folder = hasShipped || warm ? shipped : join(places.userCache(), `${build}-${platform}`);
    const mayWrite = warm || !hasShipped;
    if (mayWrite) (await import('./files/folder.ts')).makePrivateFolder(folder);
    if (!hasShipped && !isPrivate(folder, places.uid)) return;
    if (own === undefined)
      compileThrough({ folder, dist, warm }, mayWrite ? places.atExit : undefined);
    else own(folder);
  } catch {
    // Without a cache everything works, only a little slower.
  }
}

/** A folder of this user that nobody else may look into or write to. */
function isPrivate(folder: string, uid: number | undefined): boolean {
  const found = lstatSync(folder);
  return (
    found.isDirectory() && (uid === undefined || (found.uid === uid && (found.mode & 0o077) === 0))
  );
}

interface Compiling {
  prototype: { _compile(this: NodeJS.Module, content: string, filename: string): unknown };
  wrap(content: string): string;
}

interface Caching {
  readonly folder: string;
  readonly dist: string;
  /** Whether each file is saved again, with the functions that this run has compiled besides. */
  readonly warm: boolean;
}

/**
 * Replaces the compile step of Node's loader for the first built file. Those that it requires are in the same
 * folder under names that say their content: no search, no module of Node's for each.
 */
function compileThrough(
  { folder, dist, warm }: Caching,
  atExit: CachePlaces['atExit'] | undefined,
): void {
  const loader = Module as unknown as Compiling;
  const usual = loader.prototype._compile;
  const fresh = new Map<string, Script>();
  const loaded = new Map<string, NodeJS.Module>();

  const compile = (
    module: NodeJS.Module,
    content: string,
    filename: string,
    outside: (id: string) => unknown,
  ) => {
    const cached = join(folder, `${basename(filename)}.bin`);
    const data = existsSync(cached) ? readFileSync(cached) : undefined;
    const script = new Script(loader.wrap(content), {
      filename,
      ...(data === undefined ? {} : { cachedData: data }),
    });
    if (warm || data === undefined || script.cachedDataRejected === true) fresh.set(cached, script);
    const load = (id: string): unknown => {
      if (!id.startsWith('./')) return outside(id);
      const path = join(dist, id);
      const known = loaded.get(path);
      if (known !== undefined) return known.exports;
      const next = { exports: {} } as NodeJS.Module;
      loaded.set(path, next);
      compile(next, readFileSync(path, 'utf8'), path, outside);
      return next.exports;
    };
    const run = script.runInThisContext() as (...parts: unknown[]) => unknown;
    return run.call(module.exports, module.exports, load, module, filename, dist);
  };

  loader.prototype._compile = function first(content, filename) {
    if (dirname(filename) !== dist) return usual.call(this, content, filename);
    loaded.set(filename, this);
    return compile(this, content, filename, (id) => this.require(id));
  };
  atExit?.(() => {
    for (const [path, script] of fresh) save(path, script.createCachedData());
  });
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
