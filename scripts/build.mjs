// Builds dist/ as `rolldown.config.mjs` says. Prints errors and nothing else: the bundler's own command lists every file.

import { build } from 'rolldown';
import config from './rolldown.config.mjs';

await build(config);
