// The long run of the property tests and of the tests of cut answers, on demand: npm run torture. Takes about ten
// minutes.

import { spawnSync } from 'node:child_process';

const places = [
  ...['text', 'answers', 'config'].map((name) => `test/properties/${name}.test.ts`),
  ...['cut', 'config'].map((name) => `test/faults/${name}.test.ts`),
];
const { status } = spawnSync(
  process.execPath,
  [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--config',
    'test/vitest.config.mts',
    '--disable-console-intercept=true',
    ...places,
  ],
  { stdio: 'inherit', env: { ...process.env, TORTURE: '1' } },
);
process.exitCode = status ?? 1;
