// Checks of the folders and files of this program: readable by their owner, by nobody else, and writable where
// something is stored; and of the values in them.

import { accessSync, constants, readdirSync, type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Fault, ifPossible, usageFailure } from '../../base/errors.ts';
import { fileNames } from '../../base/paths.ts';
import { unsetVariableLine } from '../../base/shell.ts';
import { type Config, configPath, readConfig } from '../../config/file.ts';
import { namesPath } from '../../config/name-file.ts';
import { readNames } from '../../config/names.ts';
import { SANDBOX, type Settings } from '../../config/settings.ts';
import { inspectState } from '../../sandbox/inspect-state.ts';
import {
  command,
  type Check,
  fail,
  failed,
  type Found,
  ok,
  warn,
  seen,
  shareable,
} from './finding.ts';

const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;

/** How this user may use a path; `undefined` where there is nothing, or nothing that may be looked at. */
export function accessTo(path: string) {
  const found = ifPossible(() => statSync(path));
  if (found === undefined) return undefined;
  const folder = found.isDirectory();
  const use = folder ? constants.W_OK | constants.X_OK : constants.W_OK;
  return { folder, mode: found.mode & 0o777, writable: canAccess(path, use) };
}

export function canAccess(path: string, use: number): boolean {
  try {
    accessSync(path, use);
    return true;
  } catch {
    return false;
  }
}

/** Whether group or others have one of these permissions, any at all by default. On Windows modes say nothing. */
export const isOpen = ({ mode }: Pick<Stats, 'mode'>, platform: string, bits = OTHERS): boolean =>
  platform !== 'win32' && (mode & bits) !== 0;

/** `0644` */
const formatMode = ({ mode }: Pick<Stats, 'mode'>): string => mode.toString(8).padStart(4, '0');

/** The settings: their folder, their file, and the file of tokens beside it. */
export const checkConfiguration: Check = ({ runtime }) => {
  const { platform } = runtime.program;
  const [folder, path] = [runtime.configDir(), configPath(runtime)];
  const access = accessTo(folder);
  if (access === undefined) return ok(seen`none yet; path: ${folder}`);
  if (isOpen(access, platform, OTHERS_WRITE))
    return fail(
      seen`others can write to ${folder} (mode ${shareable(formatMode(access))})`,
      command('chmod', '700', folder),
    );
  const open = [fileNames.config, fileNames.names, fileNames.credentials].flatMap(
    (name): readonly Found[] => {
      const file = join(folder, name);
      const found = accessTo(file);
      if (found === undefined || !isOpen(found, platform)) return [];
      const fix = command('chmod', '600', file);
      const what = seen`others can read ${file} (mode ${shareable(formatMode(found))})`;
      if (name !== fileNames.credentials) return [warn(what, fix)];
      return [{ check: 'token', ...fail(what, fix) }];
    },
  );
  const damage = [
    [path, () => readConfig(runtime)] as const,
    [namesPath(folder), () => readNames('', runtime)] as const,
  ].flatMap(([file, read]) => findingOf(file, read));
  if (damage.length > 0) return [...damage, ...open];
  if (open.length > 0) return open;
  return access.writable
    ? ok(seen`${path}, private`)
    : warn(seen`${folder} is not writable: settings cannot be changed`);
};

/** What is wrong with a file that cannot be read, with the command that puts it aside where it is damaged. */
function findingOf(path: string, read: () => unknown): readonly Found[] {
  try {
    read();
    return [];
  } catch (error) {
    const damaged = /is damaged/.test((error as Error).message);
    return [failed(error, damaged ? command('mv', path, `${path}.damaged`) : undefined)];
  }
}

/** The state: the sandbox, journals of batches, the history. All of it is for this user alone. */
export const checkState: Check = ({ runtime }) => {
  const { platform } = runtime.program;
  const folder = runtime.stateDir();
  const access = accessTo(folder);
  if (access === undefined)
    return canBeMade(folder)
      ? ok(seen`none yet; path: ${folder}`)
      : warn(seen`${folder} cannot be made: the sandbox, journals and the history need it`);
  if (!access.folder)
    return fail(
      seen`${folder} is not a folder`,
      command('rm', platform === 'win32' ? '-Confirm' : '-i', folder),
    );
  if (!access.writable)
    return fail(
      seen`${folder} cannot be written`,
      platform === 'win32' ? undefined : command('chmod', 'u+rwx', folder),
    );
  const [first, ...more] = [folder, ...pathsWithin(folder)].filter((path) => {
    const found = accessTo(path);
    return found !== undefined && isOpen(found, platform);
  });
  if (first === undefined) return ok(seen`${folder}, private and writable`);
  return warn(
    more.length > 0
      ? seen`others can read ${first} and ${more.length} more`
      : seen`others can read ${first}`,
    command('chmod', '-R', 'go=', folder),
  );
};

/** Whether this user may make a folder that is not there yet, below the nearest one that is. */
function canBeMade(folder: string): boolean {
  const above = dirname(folder);
  const access = accessTo(above);
  return access === undefined
    ? above !== folder && canBeMade(above)
    : access.folder && access.writable;
}

/** What is in a folder and in the folders there. */
function pathsWithin(folder: string): readonly string[] {
  const names = readdirSync(folder, { withFileTypes: true });
  return names.flatMap((each) => {
    const path = join(folder, each.name);
    if (!each.isDirectory()) return [path];
    const below = accessTo(path)?.writable === true ? readdirSync(path) : [];
    return [path, ...below.map((name) => join(path, name))];
  });
}

/** The state of the embedded service. Starts nothing. */
export const checkSandboxState: Check = ({ runtime }) => {
  const state = inspectState(runtime.stateDir());
  if (state.found === 'none') return ok(seen`not used yet`);
  if (state.found === 'good')
    return ok(
      seen`${state.path}, ${state.things} ${shareable(state.things === 1 ? 'record' : 'records')}`,
    );
  return warn(
    seen`${state.path} is damaged; the next use renames it and starts again`,
    'social sandbox reset',
  );
};

/** An invalid value of a variable, of the context or of the settings, with the command that takes it back. */
export function settingFinding(fault: Fault, platform: string): Found {
  const stored = /^config (\w+)$/.exec(fault.field)?.[1];
  const unset = stored === undefined ? undefined : `social config unset ${stored}`;
  const isVariable = /^SOCIAL_\w+$/.test(fault.field);
  const mended = isVariable ? unsetVariableLine(fault.field, platform) : unset;
  return { ...failed(usageFailure(fault), mended), shared: `${fault.field} is invalid` };
}

/** A current context that does not exist, with the command that leads back to one that does. */
export function contextFinding(
  fault: Fault,
  { contextFrom }: Settings,
  config: Config,
  platform: string,
): Found {
  const [first = SANDBOX] = Object.keys(config.contexts ?? {});
  const use = command('social', 'context', 'use', first);
  const isVariable = contextFrom === 'environment';
  const mended = isVariable ? unsetVariableLine('SOCIAL_CONTEXT', platform) : use;
  return { ...failed(usageFailure(fault), mended), shared: 'the context does not exist' };
}
