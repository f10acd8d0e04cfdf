// Changes to the settings, one process at a time. conf keeps the file; its save is replaced, for it takes a cut
// file for a written one on a full disk, and loses the changes of a second writer.

import type Conf from 'conf';
import { checkPlace } from '../files/private.ts';
import { saveFile } from '../files/save.ts';
import { withFileLock } from '../files/file-lock.ts';
import type { World } from '../world.ts';
import { configPath, FORMAT, parseConfig, readStored, type Config } from './config.ts';

type Keys = Record<string, unknown>;

/**
 * Reads the settings under a lock, lets `change` make new ones of them, and saves those; unknown keys stay.
 * Throws `Failure('local_io')` and leaves the file as it was when any step fails.
 */
export async function changeConfig(
  world: World,
  change: (config: Config) => Config,
): Promise<void> {
  const path = configPath(world);
  const folder = world.configDir();
  checkPlace(folder);
  const { default: Store } = await import('conf');
  const save = () => {
    const after = Object.entries({ ...change(readStored(world)), format: FORMAT });
    openConf(Store, folder, path).store = Object.fromEntries(
      after.filter(([, value]) => value !== undefined),
    );
  };
  await withFileLock(path, save, world);
}

function openConf(Store: typeof Conf, folder: string, path: string): Conf<Keys> {
  const serialize = (value: Keys) => `${JSON.stringify(value, null, 2)}\n`;
  const conf = new Store<Keys>({
    projectName: 'social',
    projectSuffix: '',
    cwd: folder,
    configName: 'config',
    configFileMode: 0o600,
    accessPropertiesByDotNotation: false,
    serialize,
    deserialize: (text) => parseConfig(text, path),
  });
  return Object.defineProperty(conf, '_write', {
    value: (value: Keys) => saveFile(path, serialize(value)),
  });
}
