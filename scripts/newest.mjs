// Builds and tries the program with the newest majors of its libraries, in a copy, and prints what happened:
// npm run newest [-- commander=15 test/cli …]. Needs the registry, and brings a Node that all of them support.
// What this checkout is pinned to is the last of each line that supports the lowest Node of package.json.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { nodeFolder, root, run, runNpm } from './package-run.mjs';

const LINE = '22';
/** The libraries whose newest major has dropped the lowest Node, and that major. */
const newest = {
  commander: '15',
  undici: '8',
  conf: '16',
  chalk: '6',
  execa: '10',
  '@inquirer/prompts': '8',
  vitest: '5',
  // vitest 5 asks for them.
  '@types/node': '22',
};
/** The tests of the rooms that use these libraries, and the stories, which run the built program. */
const tests = ['cli', 'client', 'config', 'output', 'prompts', 'wait', 'stories/stories'].map(
  (each) => `test/${each}`,
);
const words = process.argv.slice(2);
if (words.some((word) => word.startsWith('test/')))
  tests.splice(0, Infinity, ...words.filter((word) => word.startsWith('test/')));
for (const word of words.filter((each) => !each.startsWith('test/'))) {
  const [name, major] = word.split('=');
  assert.ok(Object.hasOwn(newest, name) && major, `unknown library ${word}`);
  newest[name] = major;
}

const bin = nodeFolder(LINE);
const node = join(bin, 'node');
const env = {
  ...process.env,
  PATH: [bin, process.env.PATH].join(delimiter),
  // `npm run -s` would keep npm's errors back.
  npm_config_loglevel: 'error',
};
const copy = mkdtempSync(join(tmpdir(), 'social-newest-'));

/** Runs a step in the copy on the newer Node; prints and returns whether it passed. */
function step(what, args) {
  const start = performance.now();
  const { status, stdout, stderr } = spawnSync(node, args, {
    cwd: copy,
    env,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${status === 0 ? 'ok    ' : 'failed'}  ${what} (${seconds} s)`);
  if (status !== 0) console.log(`${stdout}${stderr}`.split('\n').slice(-60).join('\n'));
  return status === 0;
}

try {
  const { stdout: tracked } = run('git', ['ls-files', '-z']);
  for (const path of tracked.split('\0').filter(Boolean))
    cpSync(join(root, path), join(copy, path), { verbatimSymlinks: true });
  const file = join(copy, 'package.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  const pinned = { ...manifest.devDependencies };
  for (const [name, major] of Object.entries(newest)) manifest.devDependencies[name] = `^${major}`;
  writeFileSync(file, `${JSON.stringify(manifest, undefined, 2)}\n`);
  rmSync(join(copy, 'package-lock.json'));
  runNpm(['install', '--ignore-scripts', '--no-audit', '--no-fund'], { node, cwd: copy, env });

  console.log(`Node ${run(node, ['--version']).stdout.trim()}`);
  for (const name of Object.keys(newest)) {
    const { version } = JSON.parse(
      readFileSync(join(copy, 'node_modules', name, 'package.json'), 'utf8'),
    );
    console.log(`        ${name} ${pinned[name]} -> ${version}`);
  }
  const modules = join(copy, 'node_modules');
  const passed = [
    step('build', [join(modules, 'rolldown/bin/cli.mjs'), '-c', 'scripts/rolldown.config.mjs']),
    step('prepared files', ['scripts/warm.mjs']),
    step('types', [join(modules, 'typescript/bin/tsc'), '-p', '.']),
    step(`tests: ${tests.join(', ')}`, [
      join(modules, 'vitest/vitest.mjs'),
      'run',
      '--config',
      'test/vitest.config.mts',
      '--reporter=dot',
      ...tests,
    ]),
  ];
  if (passed.includes(false)) process.exitCode = 1;
} finally {
  rmSync(copy, { recursive: true, force: true });
}
