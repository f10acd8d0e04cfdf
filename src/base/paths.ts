// The folders for settings and state, set by a variable of our own or below those of the XDG convention, and the names
// of all files in them. `home` is asked only where neither variable is set.

import { isAbsolute, join } from 'node:path';

type Env = Readonly<Record<string, string | undefined>>;

export const fileNames = {
  /** Under the folder for settings. */
  config: 'config.json',
  credentials: 'credentials.json',
  names: 'names.json',
  /** Under the folder for state. */
  accessibleNotice: 'accessible-announced',
  history: 'history.ndjson',
  journals: 'journals',
  /** The folder of the files that `sandbox reset --state outage` writes. */
  outage: 'outage',
  sandbox: 'sandbox.ndjson',
  seenIds: 'seen.tsv',
} as const;

/** The folder for settings. */
export const configDirFrom = (env: Env, home: () => string): string =>
  env['SOCIAL_CONFIG_DIR'] || xdgFolder(env['XDG_CONFIG_HOME'], () => join(home(), '.config'));

/** The folder for state: sandbox, journals, history. */
export const stateDirFrom = (env: Env, home: () => string): string =>
  env['SOCIAL_STATE_DIR'] ||
  xdgFolder(env['XDG_STATE_HOME'], () => join(home(), '.local', 'state'));

/** The XDG convention ignores a relative path. */
const xdgFolder = (given: string | undefined, usual: () => string): string =>
  join(given !== undefined && isAbsolute(given) ? given : usual(), 'social');
