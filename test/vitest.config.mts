import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { FolderTimes } from './folder-times.mts';

/** Files that change limits of their own process, which nobody else may share then. */
const alone = ['test/batch/journal/journal.test.ts'];

/** Files that are small and take long. Without a run before it, vitest starts with the largest ones. */
const long =
  /\/(?:adversary\/adversary|stories\/(?:demo|sandbox-guide|picture)|faults\/cut|dev)\.test\.ts$/;

/** Starts with these, so that none of them is left for the end, when the other workers have nothing to do. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => long.test(moduleId);
    const { sort } = BaseSequencer.prototype;
    const others = files.filter((file) => !isLong(file));
    return [...files.filter(isLong), ...(await sort.call(this, others))];
  }
}

export default defineConfig({
  test: {
    root: fileURLToPath(new URL('..', import.meta.url)),
    // Most of a test's time is waiting for a process or a terminal: one worker a core would leave cores idle.
    maxWorkers: 4,
    sequence: { sequencer: LongFirst },
    setupFiles: fileURLToPath(new URL('setup.ts', import.meta.url)),
    testTimeout: 30_000,
    hookTimeout: 30_000,
    typecheck: { enabled: false },
    reporters: [
      'default',
      ...(process.env['GITHUB_ACTIONS'] === 'true' ? ['github-actions'] : []),
      new FolderTimes(),
    ],
    projects: [
      {
        extends: true,
        // No module keeps state, so that files may share them: a third of the time of the quick ones.
        test: { name: 'shared', include: ['test/**/*.test.ts'], exclude: alone, isolate: false },
      },
      { extends: true, test: { name: 'alone', include: alone } },
    ],
  },
});
