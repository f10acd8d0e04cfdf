// Printed after the tests: the time of each folder, the slowest files, and the name of each test that was skipped.

import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Reporter, TestModule } from 'vitest/node';

const here = fileURLToPath(new URL('.', import.meta.url));
/** A run of fewer files is looked at test by test. */
const FEW_FILES = 10;
const SLOWEST = 10;

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
const largest = (times: Iterable<readonly [name: string, ms: number]>) =>
  [...times].toSorted(([, one], [, other]) => other - one);
const listed = (times: readonly (readonly [name: string, ms: number])[]) =>
  times.map(([name, ms]) => `${name} ${seconds(ms)}`).join(', ');

/** Workers run side by side, so the sums are several times the time that passes. */
export class FolderTimes implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length < FEW_FILES) return;
    const files = modules.map((module) => {
      const name = relative(here, module.moduleId).replaceAll('\\', '/');
      const tests = [...module.children.allTests()];
      const ms = tests.reduce((sum, test) => sum + (test.diagnostic()?.duration ?? 0), 0);
      return { name, ms, skipped: tests.filter((test) => test.result().state === 'skipped') };
    });
    const folders = new Map<string, number>();
    for (const { name, ms } of files) {
      const folder = name.includes('/') ? name.slice(0, name.indexOf('/')) : 'test';
      folders.set(folder, (folders.get(folder) ?? 0) + ms);
    }
    const slowest = largest(files.map(({ name, ms }) => [name, ms] as const)).slice(0, SLOWEST);
    const lines = [
      `time per folder: ${listed(largest(folders))}`,
      `slowest files: ${listed(slowest)}`,
      ...files.flatMap(({ name, skipped }) =>
        skipped.map((test) => {
          const { note } = test.result() as { readonly note?: string };
          return `skipped: ${name}: ${test.fullName}${note === undefined ? '' : ` (${note})`}`;
        }),
      ),
    ];
    console.log(`${lines.join('\n')}\n`);
  }
}
