// Builds src/ into one CommonJS file for the single-file executable, which carries V8's compiled form of it.

import { defineConfig } from 'rolldown';
import base from './rolldown.config.mjs';

/** A configuration has one output here; the type allows several. */
const [output] = [base.output].flat();

const unneeded = new Set(['chunk-map', 'build-hash']);

export default defineConfig({
  ...base,
  input: 'scripts/sea-start.mjs',
  plugins: base.plugins.filter(({ name }) => !unneeded.has(name)),
  output: {
    ...output,
    dir: 'out/sea',
    cleanDir: false,
    codeSplitting: false,
    sourcemap: false,
    entryFileNames: 'social.cjs',
    // Before anything else: Node would answer this signal with a debugger that every user of the machine can open.
    banner: "process.on('SIGUSR1', () => {});",
  },
});
