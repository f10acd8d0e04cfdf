// The tests that judge the mutated files in this process: the built program knows nothing of a mutation.

import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    include: [
      'test/units/{answer,cut-up,errors,request,retry,run,text}.test.ts',
      'test/units/network{,-connections,-failure,-reading}.test.ts',
      'test/units/batch/{item,journal}.test.ts',
    ],
    testTimeout: 10_000,
  },
});
