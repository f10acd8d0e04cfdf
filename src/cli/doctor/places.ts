// The folders and files of this tool: readable by their owner, by nobody else, and writable where something is kept.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { configPath, readConfig } from '../config.ts';
import { accessTo, isOpen, isOpenForWriting, octal } from './access.ts';
import { command, failed, fail, ok, warn, type Examination, type Finding } from './finding.ts';

/** The settings: their folder, their file, and the file of tokens beside it. */
export const configuration: Examination = ({ world }) => {
  const { platform } = world.program;
  const [folder, path] = [world.configDir(), configPath(world)];
  const around = accessTo(folder);
  if (around === undefined) return [ok('configuration', `none yet; it is kept in ${folder}`)];
  if (isOpenForWriting(around, platform))
    return [
      fail(
        'configuration',
        `others may write into ${folder} (mode ${octal(around)})`,
        command('chmod', '700', folder),
      ),
    ];
  const files = ['config.json', 'credentials.json'].flatMap((name) => {
    const file = join(folder, name);
    const access = accessTo(file);
    if (access === undefined || !isOpen(access, platform)) return [];
    const fix = command('chmod', '600', file);
    const what = `others may read ${file} (mode ${octal(access)})`;
    return [name === 'config.json' ? warn('configuration', what, fix) : fail('token', what, fix)];
  });
  const own = readable(path, world);
  if (own !== undefined) return [own, ...files];
  if (files.length > 0) return files;
  return around.writable
    ? [ok('configuration', `${path}, private`)]
    : [warn('configuration', `${folder} cannot be written: settings stay as they are`)];
};

function readable(path: string, world: Parameters<typeof readConfig>[0]): Finding | undefined {
  try {
    readConfig(world);
    return undefined;
  } catch (error) {
    const damaged = /is damaged/.test((error as Error).message);
    return failed(
      'configuration',
      error,
      damaged ? command('mv', path, `${path}.damaged`) : undefined,
    );
  }
}

/** The state: the sandbox, journals of batches, the history. All of it is for this user alone. */
export const state: Examination = ({ world }) => {
  const { platform } = world.program;
  const folder = world.stateDir();
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
