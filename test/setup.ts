// Run before each file of tests: tells `needsUnix` which test it is in, and notes which tests run a dead program.

import { afterEach, beforeEach } from 'vitest';
import { deadRuns } from './support/dead-program.ts';
import { setCurrentTest } from './support/unix.ts';

let runsBefore = 0;

beforeEach((context) => {
  setCurrentTest(context);
  runsBefore = deadRuns();
});
afterEach(({ task }) => {
  setCurrentTest(undefined);
  if (deadRuns() > runsBefore) Object.assign(task.meta, { ranProgram: true });
});
