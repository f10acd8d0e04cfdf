// What npm runs after an install: the build. Not for `npm cit`, whose tests build as well: a second build takes five
// seconds.

import { spawnSync } from 'node:child_process';

if (process.env.npm_command !== 'install-ci-test')
  process.exitCode = spawnSync('npm run build', { shell: true, stdio: 'inherit' }).status ?? 1;
