// The folders for settings and state, set by a variable of our own or below those of the XDG convention, on Windows
// also below those of the system, and the names of all files in them. `home` is asked only where no variable is set.
// And the names of standard input.

import { isAbsolute, join } from 'node:path';

type Env = Readonly<Record<string, string | undefined>>;

export const fileNames = {
  /** Under the folder for settings. */
  config: 'config.json',
  credentials: 'credentials.json',
  /** Under the folder for state. */
  accessibleNotice: 'accessible-announced',
  history: 'history.ndjson',
  /** The folder of the files that `sandbox reset --state outage` writes. */
  outage: 'outage',
  sandbox: 'sandbox.json',
  seenIds: 'seen.tsv',
} as const;

/** Whether a path, as it is typed, is standard input. */
export const isStdinPath = (path: string): boolean =>
  /^(?:-|\/dev\/stdin|\/(?:dev|proc\/self)\/fd\/0)$/.test(path);

/** The folder for settings. */
export const configDirFrom = (env: Env, home: () => string, platform: string): string =>
  env['SOCIAL_CONFIG_DIR'] ||
  (platform === 'win32'
    ? below([env['XDG_CONFIG_HOME'], env['APPDATA']], () => join(home(), 'AppData', 'Roaming'))
    : below([env['XDG_CONFIG_HOME']], () => join(home(), '.config')));

/** The folder for state: sandbox, history. */
export const stateDirFrom = (env: Env, home: () => string, platform: string): string =>
  env['SOCIAL_STATE_DIR'] ||
  (platform === 'win32'
    ? below([env['XDG_STATE_HOME'], env['LOCALAPPDATA']], () => join(home(), 'AppData', 'Local'))
    : below([env['XDG_STATE_HOME']], () => join(home(), '.local', 'state')));

/** The XDG convention ignores a relative path. */
const below = (given: readonly (string | undefined)[], usual: () => string): string =>
  join(given.find((folder) => folder !== undefined && isAbsolute(folder)) ?? usual(), 'social');
