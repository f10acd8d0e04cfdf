// Builds src/ into one CommonJS file for the single-file executable: nothing beside it to load, so no code cache of
// our own either (the executable carries V8's for the whole file).

import { defineConfig } from 'rolldown';
import base from './rolldown.config.mjs';

/** A configuration has one output here; the type allows several. */
const [output] = [base.output].flat();

/** In the executable there are no built files whose compiled form could be kept. */
const noCodeCache = {
  name: 'no-code-cache',
  load(id) {
    return /[\\/]src[\\/]code-cache\.ts$/.test(id) ? 'export const useCodeCache = () => {};' : null;
  },
};

const unneeded = new Set(['chunk-map', 'build-hash']);

export default defineConfig({
  ...base,
  plugins: [noCodeCache, ...base.plugins.filter(({ name }) => !unneeded.has(name))],
  output: {
    ...output,
    dir: 'out/sea',
    cleanDir: false,
    codeSplitting: false,
    entryFileNames: 'social.cjs',
  },
});
