// Runs the program from its sources, as they are now and without a build: npm run dev -- posts get PostSpringLaunch
// It starts slower, and has neither code cache nor prepared help; all else is the same program.

import * as modules from 'node:module';
import { load } from './dev-loader.mjs';

// What Node 20 has is deprecated in Node 26, which has the other.
if (modules.registerHooks === undefined) modules.register('./dev-loader.mjs', import.meta.url);
else modules.registerHooks({ load });
const { main } = await import('../src/main.ts');
await main(process.argv.slice(2));
