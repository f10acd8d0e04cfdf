// Where the single-file executable begins: no files beside it, so no code cache and no prepared help. What a TAB needs
// is inside, so that it does not build the command line either.

import { homedir } from 'node:os';
import { getAsset } from 'node:sea';
import { complete } from '../src/cli/completion/complete.ts';
import { configFolder, stateFolder } from '../src/folders.ts';
import { main } from '../src/main.ts';

const [first, ...asked] = process.argv.slice(2);

if (first === '__complete' && asked.length > 0) {
  const { env } = process;
  const tree = JSON.parse(getAsset('completion.json', 'utf8'));
  const machine = {
    env,
    configDir: () => configFolder(env, homedir),
    stateDir: () => stateFolder(env, homedir),
  };
  process.stdout.write(complete(asked, tree, machine));
} else void main(process.argv.slice(2));
