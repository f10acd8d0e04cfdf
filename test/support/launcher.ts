// Where the built program is that the tests start.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));

export const launcher = join(root, 'bin/social.js');
