// Where the single-file executable begins: no files beside it, so no code cache and no prepared help. What a TAB needs
// is inside, so that it does not build the command line either.

import { homedir } from 'node:os';
import { getAsset } from 'node:sea';
import { complete, machineOf } from '../src/commands/completion/complete.ts';
import { main } from '../src/main.ts';

const [first, ...asked] = process.argv.slice(2);

if (first === '__complete' && asked.length > 0) {
  const tree = JSON.parse(getAsset('completion.json', 'utf8'));
  process.stdout.write(complete(asked, tree, machineOf(process.env, homedir)));
} else void main(process.argv.slice(2));
