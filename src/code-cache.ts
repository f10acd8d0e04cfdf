// Keeps the compiled form of the built files, for compiling them is most of what a start costs: the figures are in
// docs/performance.md. Newer Nodes have a cache of their own; on Node 20 the built files go through `vm.Script` with
// V8's cached data, which V8 itself checks for version, flags and length. A cache that is absent, foreign, stale or
// unwritable is passed over in silence.

import { existsSync, lstatSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { Module } from 'node:module';
import { basename, join } from 'node:path';
import { Script } from 'node:vm';

export interface CachePlaces {
  /** The folder of the built files. */
  readonly dist: string;
  /** The first of them, as Node has loaded it. */
  readonly start: NodeJS.Module;
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
  const { dist, start, build, platform, warm } = places;
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
      compileThrough({ folder, dist, start, warm }, mayWrite ? places.atExit : undefined);
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

interface Caching {
  readonly folder: string;
  readonly dist: string;
  readonly start: NodeJS.Module;
  /** Whether each file is saved again, with the functions that this run has compiled besides. */
  readonly warm: boolean;
}

/**
 * Takes over what the first built file requires, and what those files require: they are in one folder under names
 * that say their content, so there is no search and no module of Node's for each.
 */
function compileThrough(
  { folder, dist, start, warm }: Caching,
  atExit: CachePlaces['atExit'] | undefined,
): void {
  const usual = start.require.bind(start);
  const fresh = new Map<string, Script>();
  const loaded = new Map<string, NodeJS.Module>();

  const compile = (path: string): Script => {
    const cached = join(folder, `${basename(path)}.bin`);
    const data = existsSync(cached) ? readFileSync(cached) : undefined;
    const script = new Script(Module.wrap(readFileSync(path, 'utf8')), {
      filename: path,
      ...(data === undefined ? {} : { cachedData: data }),
    });
    if (warm || data === undefined || script.cachedDataRejected === true) fresh.set(cached, script);
    return script;
  };
  const load = (id: string): unknown => {
    if (!id.startsWith('./')) return usual(id) as unknown;
    const path = join(dist, id);
    const known = loaded.get(path);
    if (known !== undefined) return known.exports;
    const module = { exports: {} } as NodeJS.Module;
    loaded.set(path, module);
    const run = compile(path).runInThisContext() as (...parts: unknown[]) => unknown;
    run.call(module.exports, module.exports, load, module, path, dist);
    return module.exports;
  };

  start.require = load as NodeJS.Require;
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
