// The start of the single-file executable, which holds its compiled code, and completion.json, so that a TAB does not
// build the command line.

import { getAsset } from 'node:sea';
import { complete, machineOf } from '../src/commands/completion/complete.ts';
import { homeFolder } from '../src/home.ts';
import { main } from '../src/main.ts';

const [first, line = ''] = process.argv.slice(2);

if (first === '__complete') {
  const tree = JSON.parse(getAsset('completion.json', 'utf8'));
  process.stdout.write(complete(line, tree, machineOf(process.env, homeFolder, process.platform)));
} else void main(process.argv.slice(2));
