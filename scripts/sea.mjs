// Builds a single-file executable with the program and Node in it, out/social, for this system, and uses it in an empty
// folder: npm run sea. Needs Node 25.5 or newer, which can build such a file by itself.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = join(root, 'out');
const built = join(out, process.platform === 'win32' ? 'social.exe' : 'social');
const [major, minor] = process.versions.node.split('.').map(Number);
assert.ok(major > 25 || (major === 25 && minor >= 5), 'npm run sea needs Node 25.5 or newer');

mkdirSync(out, { recursive: true });
const rolldown = join(root, 'node_modules/rolldown/bin/cli.mjs');
execFileSync(process.execPath, [rolldown, '-c', 'scripts/sea.config.mjs'], { cwd: root });
const config = join(out, 'sea.json');
const settings = {
  main: join(out, 'social.cjs'),
  output: built,
  disableExperimentalSEAWarning: true,
  useCodeCache: true,
  assets: { 'completion.json': join(root, 'dist/completion.json') },
};
writeFileSync(config, JSON.stringify(settings));
execFileSync(process.execPath, ['--build-sea', config], { stdio: 'inherit' });
if (process.platform === 'darwin') execFileSync('codesign', ['--sign', '-', '--force', built]);
for (const name of ['NOTICES.txt', 'sbom.cdx.json'])
  cpSync(join(root, 'dist', name), join(out, name));

const folder = mkdtempSync(join(tmpdir(), 'social alone ü-'));
try {
  const env = { HOME: folder, USERPROFILE: folder, LANG: 'C.UTF-8' };
  const run = (words) => execFileSync(built, words, { cwd: folder, env, encoding: 'utf8' });
  const social = (line) => run(line.split(' '));
  assert.match(social('--version'), /^\d/);
  assert.match(social('--help'), /^Usage: social <command>/m);
  assert.match(run(['__complete', 'social posts re']), /^retry\tRetry/m);
  const post = JSON.parse(social('-q -C sandbox posts get PostSpringLaunch --json'));
  assert.equal(post.id, 'PostSpringLaunch');
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`ok: ${built}, ${statSync(built).size} bytes`);
