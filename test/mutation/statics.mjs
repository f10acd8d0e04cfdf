// The changes of what happens while a file is loaded: each is there from the start, so each has a process of its own
// in which the tests of the area that use the file are run until one fails.

import { appendFileSync, readFileSync } from 'node:fs';
import { createVitest } from 'vitest/node';

const [log, ...mutants] = process.argv.slice(2);
const note = (fact) => appendFileSync(log, `${JSON.stringify(fact)}\n`);

/** The test files that run through the code of each mutated file, by the id of each of its mutants. */
function users() {
  const mutated = JSON.parse(readFileSync(log.replace(/l$/, ''), 'utf8'));
  const fileOf = new Map(mutated.map(({ id, file }) => [id, file]));
  const found = new Map(mutated.map(({ file }) => [file, new Set()]));
  for (const line of readFileSync(log, 'utf8').split('\n').filter(Boolean)) {
    const { test, reached = [] } = JSON.parse(line);
    for (const id of reached) found.get(fileOf.get(id))?.add(test.split(' > ')[0]);
  }
  return (id) => [...(found.get(fileOf.get(id)) ?? [])];
}

const usersOf = users();
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
  await vitest.start(usersOf(mutant)).catch(() => undefined);
  const files = vitest.state.getFiles();
  const hasFailed = files.some((file) => file.result?.state === 'fail');
  note(hasFailed ? { noticed: mutant, test: 'all' } : { lived: mutant });
}
await vitest.close();
// A test that failed is what was asked for.
process.exitCode = 0;
