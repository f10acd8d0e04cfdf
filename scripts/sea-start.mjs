// The start of the single-file executable: without files beside it, there is no code cache and no prepared help. It
// holds completion.json, so that a TAB does not build the command line.

import { homedir } from 'node:os';
import { getAsset } from 'node:sea';
import { complete, machineOf } from '../src/commands/completion/complete.ts';
import { main } from '../src/main.ts';

const [first, ...asked] = process.argv.slice(2);

if (first === '__complete' && asked.length > 0) {
  const tree = JSON.parse(getAsset('completion.json', 'utf8'));
  process.stdout.write(complete(asked, tree, machineOf(process.env, homedir)));
} else void main(process.argv.slice(2));
