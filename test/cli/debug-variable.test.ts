// SOCIAL_DEBUG, which a script sets to 0 where it wants no traces.

import { expect, it } from 'vitest';
import { testCli } from '../support/test-cli.ts';

it.each([
  ['1', true],
  ['yes', true],
  ['0', false],
  ['false', false],
  ['', false],
])('SOCIAL_DEBUG=%s: a stack trace is shown: %s', async (value, isTraced) => {
  const env = { SOCIAL_DEBUG: value };
  const { stderr } = await testCli().social(['posts', 'get', 'short'], { env });
  expect(stderr).toContain('error: post ID must be exactly 16 letters');
  expect(/^ {4}at /m.test(stderr)).toBe(isTraced);
});
