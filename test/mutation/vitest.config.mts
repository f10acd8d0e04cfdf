// The tests that judge the mutated files in this process: the built program knows nothing of a mutation. Tests that
// ask for the built program get one that runs here.

import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { areas } from './areas.mjs';

const beside = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const built = beside('../support/program.ts');

export default defineConfig({
  plugins: [
    {
      name: 'the program in this process',
      enforce: 'pre',
      resolveId: (source, importer) =>
        importer !== undefined && resolve(dirname(importer), source) === built
          ? beside('program.ts')
          : undefined,
    },
  ],
  test: {
    root: beside('../..'),
    include: areas[process.env['MUTATION_AREA'] as keyof typeof areas].tests,
    setupFiles: beside('loaded.ts'),
    sequence: { setupFiles: 'list' },
    // Each mutant gets a worker of its own, which all its files share.
    isolate: false,
    testTimeout: 6000,
  },
});
