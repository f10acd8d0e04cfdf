import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: fileURLToPath(new URL('..', import.meta.url)),
    include: ['test/**/*.test.ts'],
    // Most of a test's time is waiting for a process or a terminal: one worker a core would leave cores idle.
    maxWorkers: 4,
    // No module keeps state, so that files may share them: a third of the time of the quick ones.
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    typecheck: { enabled: false },
  },
});
