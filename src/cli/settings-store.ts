// Changes to the settings, one process at a time. conf knows where the file is and reads it. It never writes: it takes a
// cut file for a written one on a full disk, and loses the changes of a second writer. Whether the file may be believed
// is asked before it reads, and what is kept is saved here.

import type Conf from 'conf';
import { checkPlace } from '../files/private.ts';
import { saveFile } from '../files/save.ts';
import { withFileLock } from '../files/file-lock.ts';
import type { World } from '../world.ts';
import { configPath, FORMAT, parseConfig, trustedText, type Config } from './config.ts';

/**
 * Reads the settings under a lock, lets `change` make new ones of them, and saves those; unknown keys stay.
 * Throws `Failure('local_io')` and leaves the file as it was when any step fails.
 */
export async function changeConfig(
  world: World,
  change: (config: Config) => Config,
): Promise<void> {
  checkPlace(world.configDir());
  const { default: Store } = await import('conf');
  const save = () => {
    trustedText(world);
    const { path, store } = openConf(Store, world);
    const after = { ...change(store), format: FORMAT };
    // JSON leaves out what is undefined: a setting that was taken away.
    saveFile(path, `${JSON.stringify(after, null, 2)}\n`);
  };
  await withFileLock(configPath(world), save, world);
}

/** The settings as conf reads them. Without defaults, migrations or a change to `store`, conf has nothing to write. */
function openConf(Store: typeof Conf, world: World): Conf<Config> {
  return new Store<Config>({
    projectName: 'social',
    projectSuffix: '',
    cwd: world.configDir(),
    configName: 'config',
    accessPropertiesByDotNotation: false,
    deserialize: (text) => parseConfig(text, configPath(world)),
  });
}
