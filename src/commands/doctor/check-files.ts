// The folders and files of this tool: readable by their owner, by nobody else, and writable where something is kept.

import { accessSync, constants, readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Fault, usageFailure } from '../../base/errors.ts';
import { fileNames } from '../../base/paths.ts';
import { configPath, readConfig } from '../../config/file.ts';
import { inspectState } from '../../sandbox/inspect-state.ts';
import { command, type Check, fail, checkFailed, type Finding, ok, warn } from './finding.ts';

// Who may read and write a file or a folder, besides its owner.

export interface Access {
  readonly folder: boolean;
  /** The bits of the mode, `0o600`. */
  readonly mode: number;
  /** Whether this user may write there. */
  readonly writable: boolean;
}

const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;

/** How a path may be used; `undefined` where there is nothing, or nothing that this user may look at. */
export function accessTo(path: string): Access | undefined {
  let found: Stats;
  try {
    found = statSync(path);
  } catch {
    return undefined;
  }
  const folder = found.isDirectory();
  return { folder, mode: found.mode & 0o777, writable: isWritable(path, folder) };
}

/** Whether group or others may read, write or enter. On Windows modes say nothing. */
export const isOpen = ({ mode }: Access, platform: string): boolean =>
  platform !== 'win32' && (mode & OTHERS) !== 0;

const isOpenForWriting = ({ mode }: Access, platform: string): boolean =>
  platform !== 'win32' && (mode & OTHERS_WRITE) !== 0;

/** `0644` */
const formatAccess = ({ mode }: Access): string => mode.toString(8).padStart(4, '0');

function isWritable(path: string, folder: boolean): boolean {
  try {
    accessSync(path, folder ? constants.W_OK | constants.X_OK : constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** The settings: their folder, their file, and the file of tokens beside it. */
export const checkConfiguration: Check = ({ runtime }) => {
  const { platform } = runtime.program;
  const [folder, path] = [runtime.configDir(), configPath(runtime)];
  const around = accessTo(folder);
  if (around === undefined) return [ok('configuration', `none yet; it is kept in ${folder}`)];
  if (isOpenForWriting(around, platform))
    return [
      fail(
        'configuration',
        `others may write into ${folder} (mode ${formatAccess(around)})`,
        command('chmod', '700', folder),
      ),
    ];
  const files = [fileNames.config, fileNames.credentials].flatMap((name) => {
    const file = join(folder, name);
    const access = accessTo(file);
    if (access === undefined || !isOpen(access, platform)) return [];
    const fix = command('chmod', '600', file);
    const what = `others may read ${file} (mode ${formatAccess(access)})`;
    return [
      name === fileNames.config ? warn('configuration', what, fix) : fail('token', what, fix),
    ];
  });
  const own = readable(path, runtime);
  if (own !== undefined) return [own, ...files];
  if (files.length > 0) return files;
  return around.writable
    ? [ok('configuration', `${path}, private`)]
    : [warn('configuration', `${folder} cannot be written: settings stay as they are`)];
};

function readable(path: string, runtime: Parameters<typeof readConfig>[0]): Finding | undefined {
  try {
    readConfig(runtime);
    return undefined;
  } catch (error) {
    const damaged = /is damaged/.test((error as Error).message);
    return checkFailed(
      'configuration',
      error,
      damaged ? command('mv', path, `${path}.damaged`) : undefined,
    );
  }
}

/** The state: the sandbox, journals of batches, the history. All of it is for this user alone. */
export const checkState: Check = ({ runtime }) => {
  const { platform } = runtime.program;
  const folder = runtime.stateDir();
  const around = accessTo(folder);
  if (around === undefined) return [ok('state', `none yet; it is kept in ${folder}`)];
  if (!around.folder) return [fail('state', `${folder} is no folder`, command('rm', '-i', folder))];
  if (!around.writable)
    return [fail('state', `${folder} cannot be written`, command('chmod', 'u+rwx', folder))];
  const open = [folder, ...within(folder)].filter((path) => {
    const access = accessTo(path);
    return access !== undefined && isOpen(access, platform);
  });
  if (open.length > 0)
    return [
      warn(
        'state',
        `others may read ${open[0]!}${open.length > 1 ? ` and ${open.length - 1} more` : ''}`,
        command('chmod', '-R', 'go=', folder),
      ),
    ];
  return [ok('state', `${folder}, private and writable`)];
};

/** What is in a folder and in the folders there. */
function within(folder: string): readonly string[] {
  const names = readdirSync(folder, { withFileTypes: true });
  return names.flatMap((each) => {
    const path = join(folder, each.name);
    if (!each.isDirectory()) return [path];
    const below = accessTo(path)?.writable === true ? readdirSync(path) : [];
    return [path, ...below.map((name) => join(path, name))];
  });
}

// The embedded service's state. Starts nothing.

export const checkSandboxState: Check = ({ runtime }) => {
  try {
    const examined = inspectState(runtime.stateDir());
    if (examined.found === 'none') return [ok('sandbox', 'not used yet; its first use makes it')];
    if (examined.found === 'good')
      return [ok('sandbox', `${examined.path}, ${examined.things} things`)];
    return [
      warn(
        'sandbox',
        `${examined.path} is damaged; its next use sets it aside and starts anew`,
        'social sandbox reset',
      ),
    ];
  } catch (error) {
    return [checkFailed('sandbox', error)];
  }
};

// Values that cannot be used: of variables, of the context, of the settings.

/** A fault with the command that takes the value back. */
export function settingFault(fault: Fault): Finding {
  const kept = /^config (\w+)$/.exec(fault.field)?.[1];
  const mend = /^SOCIAL_\w+$/.test(fault.field)
    ? `unset ${fault.field}`
    : kept === undefined
      ? undefined
      : `social config unset ${kept}`;
  return checkFailed('settings', usageFailure([fault]), mend);
}
