// The path of the built program that the tests start.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deadLauncher } from './dead-program.ts';

export const root = fileURLToPath(new URL('../../', import.meta.url));

export const launcher =
  process.env['SOCIAL_DEAD_PROGRAM'] === '1' ? deadLauncher() : join(root, 'bin/social.js');
