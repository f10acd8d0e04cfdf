// Builds src/ into one CommonJS file for the single-file executable, which also holds its V8 code cache.

import { defineConfig } from 'rolldown';
import base from './rolldown.config.mjs';

/** The configuration has one output; the type allows several. */
const [output] = [base.output].flat();

/** What only files that are loaded apart need. */
const unneeded = new Set(['chunk-map', 'build-hash', 'server-zod']);

export default defineConfig({
  ...base,
  input: 'scripts/sea-start.mjs',
  plugins: base.plugins.filter(({ name }) => !unneeded.has(name)),
  output: {
    ...output,
    dir: 'out',
    cleanDir: false,
    codeSplitting: false,
    sourcemap: false,
    entryFileNames: 'social.cjs',
    // First of all: by default this signal starts Node's debugger, which any user of the machine can open.
    banner: "process.on('SIGUSR1', () => {});",
  },
});
