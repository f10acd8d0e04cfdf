// Features of Unix-like systems only. On Windows a test that needs one is skipped: the report names the test and the
// reason.

import type { TestContext } from 'vitest';

/** With SOCIAL_TESTS_WITHOUT_UNIX=1 any system skips the tests that Windows skips. */
export const isUnix =
  process.platform !== 'win32' && process.env['SOCIAL_TESTS_WITHOUT_UNIX'] !== '1';

let current: TestContext | undefined;

/** Called before and after each test, by `test/setup.ts`. */
export function setCurrentTest(context: TestContext | undefined): void {
  current = context;
}

/** Skips the running test unless the system is Unix-like. */
export function needsUnix(what: string): void {
  if (!isUnix) current?.skip(`Windows has no ${what}`);
}
