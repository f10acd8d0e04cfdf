// The program that `test/dead-program.mts` runs the tests with: it prints nothing, ends with 1, and counts its runs.

import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let inProcess = 0;
let folder: string | undefined;

/** Replaces `runProgram` of `src/program.ts`: @public */
export async function runProgram(): Promise<number> {
  inProcess += 1;
  return 1;
}

/** Returns the launcher of a dead program, which records each run beside itself. */
export function deadLauncher(): string {
  if (folder === undefined) {
    const made = mkdtempSync(join(tmpdir(), 'social-dead-'));
    process.once('exit', () => rmSync(made, { recursive: true, force: true }));
    mkdirSync(join(made, 'bin'));
    writeFileSync(
      join(made, 'bin/social.js'),
      `process.exitCode = 1; require('node:fs').appendFileSync(__dirname + '/runs', '.');\n`,
    );
    folder = made;
  }
  return join(folder, 'bin/social.js');
}

/** Returns the number of times that the dead program ran in this worker. */
export function deadRuns(): number {
  const runs = join(folder ?? '', 'bin/runs');
  return inProcess + (folder !== undefined && existsSync(runs) ? statSync(runs).size : 0);
}
