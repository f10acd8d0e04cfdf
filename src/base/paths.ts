// The folders for settings, state and compiled code, and the names of all files in the first two. Variables of this
// program come first, then the XDG ones, then the folders of Windows. `home` is called only if no variable is set. The
// names of standard input are here too, and paths that are not meant as they are written.

import { isAbsolute, join } from 'node:path';
import type { Fault } from './fault.ts';

type Env = Readonly<Record<string, string | undefined>>;

export const fileNames = {
  /** These files are in the folder for settings. */
  causes: 'causes.tsv',
  config: 'config.json',
  credentials: 'credentials.json',
  /** These files are in the folder for state. */
  accessibleNotice: 'accessible-announced',
  history: 'history.ndjson',
  /** A folder for the files that `sandbox reset --state outage` writes. */
  outage: 'outage',
  /** The hashes of such files in folders of the user, which may be replaced. */
  outageHashes: 'outage-files',
  sandbox: 'sandbox.json',
  seenIds: 'seen.tsv',
} as const;

/** True if a path, as it is typed, is standard input. */
export const isStdinPath = (path: string): boolean =>
  /^(?:-|\/dev\/stdin|\/(?:dev|proc\/self)\/fd\/0)$/.test(path);

export const configDirFrom = (env: Env, home: () => string, platform: string): string =>
  env['SOCIAL_CONFIG_DIR'] ||
  (platform === 'win32'
    ? below([env['XDG_CONFIG_HOME'], env['APPDATA']], () => join(home(), 'AppData', 'Roaming'))
    : below([env['XDG_CONFIG_HOME']], () => join(home(), '.config')));

export const stateDirFrom = (env: Env, home: () => string, platform: string): string =>
  env['SOCIAL_STATE_DIR'] ||
  (platform === 'win32'
    ? below([env['XDG_STATE_HOME'], env['LOCALAPPDATA']], () => join(home(), 'AppData', 'Local'))
    : below([env['XDG_STATE_HOME']], () => join(home(), '.local', 'state')));

/** The folder for compiled code. */
export const cacheDirFrom = (env: Env, home: () => string, platform: string): string =>
  platform === 'win32'
    ? join(
        below([env['LOCALAPPDATA']], () => join(home(), 'AppData', 'Local')),
        'cache',
      )
    : below([env['XDG_CACHE_HOME']], () => join(home(), '.cache'));

/** Returns the folder that a variable of another program names, else the usual one. A relative path is ignored. */
export const folderNamed = (env: Env, variable: string, usual: string): string => {
  const named = env[variable] ?? '';
  return isAbsolute(named) ? named : usual;
};

/** Takes the first absolute folder: the XDG convention ignores relative paths. */
const below = (folders: readonly (string | undefined)[], usual: () => string): string =>
  join(
    folders.find((folder) => folder && isAbsolute(folder) && !pathMistake(folder)) ?? usual(),
    'social',
  );

/** Texts that a shell would have replaced or removed. In quotes and in the files of other programs they stay. */
const MISTAKES: readonly (readonly [pattern: RegExp, problem: string, fix: string])[] = [
  [
    /^~/,
    'begins with ~, which only a shell replaces',
    'write the whole path, or ./~ for such a name',
  ],
  [/\$[a-z_{(]|%[a-z_]\w*%/i, 'has a variable that was not replaced', 'write the whole path'],
  [/^["'“”‘’]|["'“”‘’]$/, 'has quotes, which are part of it here', 'remove them'],
  [/^\s|\s$|[\0-\x1f\x7f]/, 'has a space or a line end around it', 'remove it'],
  [/^(?:file:|[a-z][a-z\d+.-]+:\/\/)/i, 'is a URL', 'write the path of this machine'],
];

/**
 * Returns the fault of a path under which something would be created, although its author means another one: `~/x`,
 * `$HOME/x`, `"x"`. Files are read under such names, because they must exist.
 */
export function pathMistake(path: string): Pick<Fault, 'problem' | 'fix'> | undefined {
  const [, problem, fix] = MISTAKES.find(([pattern]) => pattern.test(path)) ?? [];
  return problem === undefined ? undefined : { problem, fix };
}
