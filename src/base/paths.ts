// Where this tool keeps things of a user: named outright, or below the folders of the XDG convention. `home` is
// asked only where neither says so.

import { isAbsolute, join } from 'node:path';

type Env = Readonly<Record<string, string | undefined>>;

const folder = (env: Env, home: () => string, own: string, xdg: string, usual: string): string => {
  if (env[own]) return env[own];
  const base = env[xdg];
  return join(base !== undefined && isAbsolute(base) ? base : join(home(), usual), 'social');
};

/** The folder for settings. */
export const configDirFrom = (env: Env, home: () => string): string =>
  folder(env, home, 'SOCIAL_CONFIG_DIR', 'XDG_CONFIG_HOME', '.config');

/** The folder for state: sandbox, journals, history. */
export const stateDirFrom = (env: Env, home: () => string): string =>
  folder(env, home, 'SOCIAL_STATE_DIR', 'XDG_STATE_HOME', join('.local', 'state'));
