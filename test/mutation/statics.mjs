// The changes of what happens while a file is loaded: each is there from the start, so each has a process of its own
// in which the tests of the area are run until one fails.

import { appendFileSync } from 'node:fs';
import { createVitest } from 'vitest/node';

const [log, ...mutants] = process.argv.slice(2);
const note = (fact) => appendFileSync(log, `${JSON.stringify(fact)}\n`);

process.env.MUTATION_AT_LOAD = 'true';
const vitest = await createVitest('test', {
  config: 'test/mutation/vitest.config.mts',
  watch: false,
  bail: 1,
  reporters: [{}],
});
for (const mutant of mutants) {
  note({ tries: mutant, test: 'all' });
  vitest.state.filesMap.clear();
  vitest.state.errorsSet.clear();
  vitest.provide('mutant', mutant);
  await vitest.start().catch(() => undefined);
  const files = vitest.state.getFiles();
  const hasFailed = files.some((file) => file.result?.state === 'fail');
  note(hasFailed ? { noticed: mutant, test: 'all' } : { lived: mutant });
}
await vitest.close();
// A test that failed is what was asked for.
process.exitCode = 0;
