// The tests of an area, run where the mutants are. Tests that ask for the built program get one that runs in this
// process, for the built one knows nothing of a mutation.

import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import areas from './areas.json' with { type: 'json' };
import { facts } from './log.ts';

const beside = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const root = beside('../..');
const built = beside('../support/program.ts');
const area: { readonly tests: readonly string[]; readonly atLoad?: readonly string[] } =
  areas[process.env['MUTATION_AREA'] as keyof typeof areas];
const isAtLoad = process.env['MUTATION_AT_LOAD'] !== undefined;
const over = new Set(isAtLoad ? [] : facts().map((fact) => fact.over));
const tests = ((isAtLoad && area.atLoad) || area.tests).filter((test) => !over.has(test));

const place = ({ moduleId }: TestSpecification) =>
  tests.findIndex((test) => moduleId.endsWith(test));

/** In the order of the list. */
class Listed extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((one, other) => place(one) - place(other));
  }
}

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
    root,
    include: [...tests],
    passWithNoTests: true,
    runner: beside('judge.ts'),
    setupFiles: beside('loaded.ts'),
    pool: 'forks',
    maxWorkers: 1,
    isolate: false,
    sequence: { sequencer: Listed },
    // A test is run again and again within its time, and nothing else may run beside it.
    testTimeout: 600_000,
    hookTimeout: 30_000,
    dangerouslyIgnoreUnhandledErrors: true,
  },
});
