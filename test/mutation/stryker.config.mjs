// One area at a time, named by MUTATION_AREA.

import { areas } from './areas.mjs';

const area = process.env.MUTATION_AREA;
const file = `mutation/${area.replace(/\W+/g, '-')}`;

export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'test/mutation/vitest.config.mts', related: false },
  mutate: areas[area].mutate,
  // The words of a message are the business of the tests that read them.
  mutator: { excludedMutations: ['StringLiteral'] },
  coverageAnalysis: 'perTest',
  concurrency: Number(process.env.MUTATION_WORKERS ?? 2),
  timeoutMS: 5000,
  tsconfigFile: 'none.json',
  packageManager: 'npm',
  allowEmpty: false,
  incremental: true,
  incrementalFile: `${file}-incremental.json`,
  reporters: ['progress-append-only', 'json'],
  jsonReporter: { fileName: `${file}.json` },
};
