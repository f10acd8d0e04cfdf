// SOCIAL_DEAD_PROGRAM=1 npm run unit -- test/commands: the tests with a program that prints nothing and ends with 1, built
// and in process. A test that runs it and passes proves nothing of what its name says: each is listed, and the run fails.

import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Reporter, TestModule } from 'vitest/node';

const here = fileURLToPath(new URL('.', import.meta.url));

export const isDead = process.env['SOCIAL_DEAD_PROGRAM'] === '1';

/** Puts `support/dead-program.ts` in the place of `src/program.ts`. */
export const deadProgram = {
  name: 'dead-program',
  enforce: 'pre' as const,
  resolveId: (id: string) =>
    id.endsWith('/src/program.ts')
      ? fileURLToPath(new URL('support/dead-program.ts', import.meta.url))
      : undefined,
};

/** Tests that claim nothing of the program that they run, with the reason. */
const exempt: Readonly<Record<string, string>> = {};

export class DeadProgramReport implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) =>
      [...module.children.allTests()].map((test) => ({
        name: `${relative(here, module.moduleId).replaceAll('\\', '/')}: ${test.fullName}`,
        ran: 'ranProgram' in test.meta(),
        passed: test.result().state === 'passed',
      })),
    );
    const ran = tests.filter((test) => test.ran);
    const offenders = ran.filter(({ passed, name }) => passed && exempt[name] === undefined);
    for (const { name } of offenders) console.log(`passes with a dead program: ${name}`);
    console.log(`${ran.length} tests ran the program, ${offenders.length} passed without it`);
    process.on('exit', () => (process.exitCode = offenders.length > 0 ? 1 : 0));
  }
}
