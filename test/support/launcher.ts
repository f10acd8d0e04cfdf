// Which program the tests start. Once Node 20 has read an answer it compiles undici's parser, which is WebAssembly, a
// second time, optimized: almost half of the processor time of a process that makes one call, and for nothing. The tests
// start the same program with V8's flag against that. V8 accepts cached code only under the flags it was made with, so
// a copy of the built files has a cache of its own. Tests of memory and of short times start what a user starts.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));

/** What a user starts. */
export const userLauncher = join(root, 'bin/social.js');

/** Made by `test/global-setup.ts`; not needed from V8 12 (Node 22) on. */
export const baselineLauncher =
  Number.parseInt(process.versions.v8, 10) < 12
    ? join(root, 'dist/tests', process.version, 'bin/baseline.cjs')
    : undefined;

/** What the tests start. */
export const launcher =
  baselineLauncher !== undefined && existsSync(baselineLauncher) ? baselineLauncher : userLauncher;

/** What is started in this environment: a test with options of its own for Node is about what a user starts. */
export const launcherIn = (env: Readonly<Record<string, string>> = {}): string =>
  env['NODE_OPTIONS'] === undefined ? launcher : userLauncher;
