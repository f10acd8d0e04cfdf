// Gives cli-table3 the measure of `string-width.mjs` where the sources run without the bundler, which does so itself.

import { createRequire } from 'node:module';
import measure from './string-width.mjs';

const { cache, resolve } = createRequire(createRequire(import.meta.url).resolve('cli-table3'));
cache[resolve('string-width')] = { exports: measure };
