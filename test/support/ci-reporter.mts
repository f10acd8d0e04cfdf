// What a run in CI says at its end, beside vitest's own report: the skipped tests by name, which would otherwise be a
// number, and the time of each folder.

import { dirname } from 'node:path/posix';
import type { Reporter, TestModule } from 'vitest/node';

/** The lines of a finished run; the longest folders come first. */
function closingLines(modules: readonly TestModule[]): readonly string[] {
  const times = new Map<string, number>();
  const skipped: string[] = [];
  for (const module of modules) {
    const path = module.relativeModuleId.replaceAll('\\', '/');
    const folder = dirname(path);
    times.set(folder, (times.get(folder) ?? 0) + module.diagnostic().duration);
    for (const test of module.children.allTests('skipped'))
      skipped.push(`  ${path} > ${test.fullName}`);
  }
  const folders = [...times].toSorted(([, a], [, b]) => b - a);
  return [
    '',
    `Skipped: ${skipped.length === 0 ? 'no test' : skipped.length}`,
    ...skipped,
    'Seconds of tests by folder, several run at a time:',
    ...folders.map(([folder, time]) => `${(time / 1000).toFixed(1).padStart(7)}  ${folder}`),
    '',
  ];
}

export const ciReporter: Reporter = {
  onTestRunEnd(modules) {
    process.stdout.write(closingLines(modules).join('\n'));
  },
};
