// Mutation testing, by hand: node scripts/mutate.mjs. Works on a copy in a temporary folder, where Stryker is
// installed: the project itself never gets it. Prints the score of each file and what survived.

import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const VERSION = '9.6.1';
const root = fileURLToPath(new URL('..', import.meta.url));
const copy = mkdtempSync(join(tmpdir(), 'social-mutation-'));

const run = (program, ...args) => {
  const { status } = spawnSync(program, args, { cwd: copy, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}`);
};

/** What became of the mutants of each file, and where those are that no test noticed. */
function report() {
  const { files } = JSON.parse(readFileSync(join(copy, 'mutation.json'), 'utf8'));
  const all = { killed: 0, late: 0, survived: 0 };
  for (const [path, { mutants }] of Object.entries(files)) {
    const count = (...kinds) => mutants.filter(({ status }) => kinds.includes(status));
    const living = count('Survived', 'NoCoverage');
    const here = {
      killed: count('Killed', 'RuntimeError').length,
      late: count('Timeout').length,
      survived: living.length,
    };
    for (const key of Object.keys(all)) all[key] += here[key];
    console.log(lineFor(path, here));
    for (const { location, mutatorName, replacement, status } of living) {
      const what = `${mutatorName}${status === 'NoCoverage' ? ', no test' : ''}`;
      console.log(`    ${location.start.line}:${location.start.column} ${what}: ${replacement}`);
    }
  }
  console.log(lineFor('all', all));
}

/** A mutant whose tests never end is noticed as well. */
function lineFor(what, { killed, late, survived }) {
  const total = killed + late + survived;
  const share = ((100 * (killed + late)) / total).toFixed(1);
  return `${what}: ${killed + late} of ${total} noticed (${late} by tests that never ended), ${share} %`;
}

try {
  const listed = execFileSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    { cwd: root, encoding: 'utf8' },
  );
  for (const file of [...listed.split('\0').filter(Boolean), 'node_modules'])
    cpSync(join(root, file), join(copy, file), { recursive: true, verbatimSymlinks: true });
  const packages = ['core', 'vitest-runner'].map((name) => `@stryker-mutator/${name}@${VERSION}`);
  run('npm', 'install', '--no-save', '--no-package-lock', '--ignore-scripts', ...packages);
  const only = process.argv.slice(2);
  const mutate = only.length === 0 ? [] : ['--mutate', only.join(',')];
  run('node_modules/.bin/stryker', 'run', 'test/mutation/stryker.json', ...mutate);
  report();
} finally {
  rmSync(copy, { recursive: true, force: true });
}
