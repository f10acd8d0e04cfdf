// Where the single-file executable begins: no files beside it, so no code cache and no prepared help.

import { main } from '../src/main.ts';

void main(process.argv.slice(2));
