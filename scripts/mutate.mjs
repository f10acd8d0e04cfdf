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
  const all = { killed: 0, survived: 0 };
  for (const [path, { mutants }] of Object.entries(files)) {
    const counted = mutants.filter(({ status }) => !['Ignored', 'CompileError'].includes(status));
    const living = counted.filter(({ status }) => ['Survived', 'NoCoverage'].includes(status));
    all.killed += counted.length - living.length;
    all.survived += living.length;
    console.log(lineFor(path, counted.length - living.length, living.length));
    for (const { location, mutatorName, replacement, status } of living) {
      const what = `${mutatorName}${status === 'NoCoverage' ? ', no test' : ''}`;
      console.log(`    ${location.start.line}:${location.start.column} ${what}: ${replacement}`);
    }
  }
  console.log(lineFor('all', all.killed, all.survived));
}

const lineFor = (what, killed, survived) =>
  `${what}: ${killed} of ${killed + survived} killed, ${((100 * killed) / (killed + survived)).toFixed(1)} %`;

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
