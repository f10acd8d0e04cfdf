// Run before each file of tests: tells `needsUnix` which test it is in.

import { afterEach, beforeEach } from 'vitest';
import { setCurrentTest } from './support/unix.ts';

beforeEach((context) => setCurrentTest(context));
afterEach(() => setCurrentTest(undefined));
