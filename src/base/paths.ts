// Where this tool keeps things of a user: named outright, or below the folders of the XDG convention. `home` is
// asked only where neither says so.

import { isAbsolute, join } from 'node:path';

type Env = Readonly<Record<string, string | undefined>>;

interface Names {
  /** Our own variable, which counts first, and the one of the XDG convention. */
  readonly own: string;
  readonly xdg: string;
  /** Below the home, where neither is set. */
  readonly usual: string;
}

function folder(env: Env, home: () => string, { own, xdg, usual }: Names): string {
  if (env[own]) return env[own];
  const base = env[xdg];
  return join(base !== undefined && isAbsolute(base) ? base : join(home(), usual), 'social');
}

/** The folder for settings. */
export const configDirFrom = (env: Env, home: () => string): string =>
  folder(env, home, { own: 'SOCIAL_CONFIG_DIR', xdg: 'XDG_CONFIG_HOME', usual: '.config' });

/** The folder for state: sandbox, journals, history. */
export const stateDirFrom = (env: Env, home: () => string): string =>
  folder(env, home, {
    own: 'SOCIAL_STATE_DIR',
    xdg: 'XDG_STATE_HOME',
    usual: join('.local', 'state'),
  });
