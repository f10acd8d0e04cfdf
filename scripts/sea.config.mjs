// Builds src/ into one CommonJS file for the single-file executable, which also holds its V8 code cache.

import { defineConfig } from 'rolldown';
import base from './rolldown.config.mjs';

/** The configuration has one output; the type allows several. */
const [output] = [base.output].flat();

export default defineConfig({
  ...base,
  input: 'scripts/sea-start.mjs',
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
