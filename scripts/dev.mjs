// Runs the program from its sources, without a build: npm run dev -- posts get PostSpringLaunch
// It starts slower; otherwise it is the same program.

import * as modules from 'node:module';
import { load } from './dev-loader.mjs';

// Node 20 has only `register`, which Node 26 deprecates for `registerHooks`.
if (modules.registerHooks === undefined) modules.register('./dev-loader.mjs', import.meta.url);
else modules.registerHooks({ load });
await import('./measure-tables.mjs');
const { main } = await import('../src/main.ts');
await main(process.argv.slice(2));
