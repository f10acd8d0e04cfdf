import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { deadProgram, DeadProgramReport, isDead } from './dead-program.mts';
import { FolderTimes } from './folder-times.mts';

/** Files that change limits of their own process, which nobody else may share then. */
const alone = ['test/batch/journal/journal.test.ts', 'test/fs/full-disk.test.ts'];

export default defineConfig({
  plugins: isDead ? [deadProgram] : [],
  test: {
    root: fileURLToPath(new URL('..', import.meta.url)),
    // Most of a test's time is waiting for a process or a terminal: one worker a core would leave cores idle.
    maxWorkers: 4,
    setupFiles: ['setup.ts', '../scripts/measure-tables.mjs'].map((file) =>
      fileURLToPath(new URL(file, import.meta.url)),
    ),
    // Only for what hangs: a busy machine may need ten times as long as a free one.
    testTimeout: isDead ? 5000 : 120_000,
    hookTimeout: 120_000,
    typecheck: { enabled: false },
    reporters: isDead
      ? [new DeadProgramReport()]
      : [
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
