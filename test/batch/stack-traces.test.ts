// Errors of a batch have no stacks, and nothing of it stays.

import { expect, it } from 'vitest';
import { disableStackTraces } from '../../src/batch/run-batch.ts';

it('errors of two batches at once have stacks again once both have ended', () => {
  const limit = (Error.stackTraceLimit = 10);
  const [first, second] = [disableStackTraces(), disableStackTraces()];
  first();
  second();
  expect(Error.stackTraceLimit).toBe(limit);
});

it('errors have no stack for as long as a batch runs', () => {
  const limit = (Error.stackTraceLimit = 10);
  const back = disableStackTraces();
  expect(new Error('words').stack).toBe('Error: words');
  back();
  expect(Error.stackTraceLimit).toBe(limit);
  expect(new Error('words').stack).toContain('stack-traces.test.ts');
});
