// What only systems like Unix have. On Windows a test that asks for it is skipped there and then: the report names the
// test with the reason.

import type { TestContext } from 'vitest';

/** SOCIAL_TESTS_WITHOUT_UNIX=1 shows elsewhere which tests are left for Windows. */
export const isUnix =
  process.platform !== 'win32' && process.env['SOCIAL_TESTS_WITHOUT_UNIX'] !== '1';

let current: TestContext | undefined;

/** Called before and after each test, by `test/setup.ts`. */
export function setCurrentTest(context: TestContext | undefined): void {
  current = context;
}

/** Goes on where the system is like Unix; else ends the running test as skipped. */
export function needsUnix(what: string): void {
  if (!isUnix) current?.skip(`Windows has no ${what}`);
}
