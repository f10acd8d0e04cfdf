// Packs what was built into out/ (or the folder that is named), installs the package into an empty folder and uses it
// there: npm run pack. Prints the path of the package.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = resolve(process.argv[2] ?? join(root, 'out'));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Runs a program and returns its stdout; throws with all of its output unless it ends with `code`. */
function run(file, args, { code = 0, ...options } = {}) {
  const shell = process.platform === 'win32';
  const ended = spawnSync(file, args, { cwd: root, encoding: 'utf8', shell, ...options });
  const { status, stdout, stderr, error } = ended;
  if (error) throw error;
  assert.equal(status, code, `${[file, ...args].join(' ')}\n${stdout}${stderr}`);
  return stdout;
}

mkdirSync(out, { recursive: true });
const packing = ['pack', '--json', '--ignore-scripts', '--pack-destination', out];
const [{ filename, size, files }] = JSON.parse(run('npm', packing));
const tarball = join(out, filename);
const stray = files.filter(({ path }) => /^(?:src|test|scripts)\/|\.map$/.test(path));
assert.deepEqual(stray, []);

const folder = mkdtempSync(join(tmpdir(), 'social package ü-'));
try {
  run('npm', [
    'install',
    '--offline',
    '--omit=optional',
    '--ignore-scripts',
    '--prefix',
    folder,
    tarball,
  ]);
  const env = { ...process.env, HOME: folder, USERPROFILE: folder };
  for (const name of Object.keys(env)) if (name.startsWith('SOCIAL_')) delete env[name];
  const bin = join(folder, 'node_modules/.bin/social');
  const social = (line, options) => run(bin, line.split(' '), { cwd: folder, env, ...options });
  assert.equal(social('--version'), `${version}\n`);
  assert.match(social('--help'), /^Usage: social <command>/m);
  assert.match(run(bin, ['__complete', 'social posts re'], { cwd: folder, env }), /^retry\tRetry/m);
  const post = JSON.parse(social('-q -C sandbox posts get PostSpringLaunch --json'));
  assert.equal(post.id, 'PostSpringLaunch');
  const retry = social('-q -C sandbox posts retry PostSpringLaunch --failed -o table');
  assert.match(retry, /publishing/);
  const list = { input: 'PostSpringLaunch\nPostAutumnRecaps\n' };
  const batch = social('-q -C sandbox posts get --from - --fields id,status', list);
  assert.equal(batch.trimEnd().split('\n').length, 2);
  social('posts get PostSpringL4unch', { code: 2 });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.error(
  `ok: ${size} bytes, ${files.length} files, installed and used on Node ${process.version}`,
);
console.log(tarball);
