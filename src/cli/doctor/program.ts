// The program itself: what it runs on, the cache of its compiled files, and the clock of this machine.

import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { version } from '../../version.ts';
import { accessTo, isOpen } from './access.ts';
import { command, ok, warn, fail, type Examination } from './finding.ts';

const DAY_MS = 86_400_000;

export const program: Examination = ({
  world: {
    program: { node, platform, arch },
  },
}) => [ok('program', `social ${version} on Node ${node}, ${platform} ${arch}`)];

/** Compiled files are kept beside the program by its build, or else in the user's cache. */
export const cache: Examination = ({ world: { program: host, env } }) => {
  const off = env['NODE_DISABLE_COMPILE_CACHE'] ?? '';
  if (off !== '')
    return [
      warn('cache', 'NODE_DISABLE_COMPILE_CACHE turns it off', 'unset NODE_DISABLE_COMPILE_CACHE'),
    ];
  const shipped = join(host.folder, 'cache', `${host.node}-${host.arch}`);
  if (accessTo(shipped) !== undefined) return [ok('cache', `beside the program, ${shipped}`)];
  const base = env['XDG_CACHE_HOME'];
  const home =
    base !== undefined && isAbsolute(base) ? base : join(env['HOME'] ?? homedir(), '.cache');
  const own = join(home, 'social');
  const found = accessTo(own);
  if (found === undefined) return [ok('cache', `none yet; it is kept in ${own}`)];
  if (isOpen(found, host.platform) || !found.writable)
    return [
      warn(
        'cache',
        `${own} is not used: it must be this user's alone`,
        command('chmod', '700', own),
      ),
    ];
  return [ok('cache', own)];
};

/** Certificates are judged by this clock. Without the network it is only compared with the age of the program. */
export const clock: Examination = ({ world }) => {
  const { folder, platform } = world.program;
  const [now, built] = [world.now(), builtAt(folder)];
  const time = new Date(now).toISOString();
  if (built !== undefined && now < built - DAY_MS)
    return [
      fail(
        'clock',
        `${time} is before the day on which this program was installed`,
        setClock(platform),
      ),
    ];
  return [ok('clock', time)];
};

/** The command that lets a machine set its clock. */
export function setClock(platform: string): string | undefined {
  if (platform === 'linux') return 'sudo timedatectl set-ntp true';
  return platform === 'darwin' ? 'sudo sntp -sS time.apple.com' : undefined;
}

function builtAt(folder: string): number | undefined {
  return statSync(folder, { throwIfNoEntry: false })?.mtimeMs;
}
