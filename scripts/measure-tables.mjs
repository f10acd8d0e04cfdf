// Gives cli-table3 the measure of `string-width.cjs` where the sources run without the bundler, which has an alias for it.

import { createRequire } from 'node:module';
import measure from './string-width.cjs';

const { cache, resolve } = createRequire(createRequire(import.meta.url).resolve('cli-table3'));
cache[resolve('string-width')] = { exports: measure };
