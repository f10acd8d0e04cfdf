// Builds a single-file executable with the program and Node in it, out/sea/social, for this system; tries it alone in
// an empty folder; and packs it with its manual pages and completions for packaging/install.sh. npm run package:sea
// It needs Node 25.5 or newer, which can build such a file by itself; with an older one the npm package `node` brings
// it.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeFolder, root, run, runNpm, withSandbox } from './package-run.mjs';
import { manifest, out as packages, writeTree } from './package-tree.mjs';

const LINE = '26';
const out = join(packages, 'sea');
const built = join(out, process.platform === 'win32' ? 'social.exe' : 'social');
const { version } = manifest;

/** Bundles everything into one script and puts it into a copy of Node. */
function build() {
  fs.rmSync(out, { recursive: true, force: true });
  fs.mkdirSync(out, { recursive: true });
  run(process.execPath, [
    join(root, 'node_modules/rolldown/bin/cli.mjs'),
    '-c',
    'scripts/sea.config.mjs',
  ]);
  const [major, minor] = process.versions.node.split('.').map(Number);
  const isNew = major > 25 || (major === 25 && minor >= 5);
  const node = isNew ? process.execPath : join(nodeFolder(LINE), 'node');
  const slim = slimmed(node);
  const config = join(out, 'config.json');
  const settings = {
    main: join(out, 'social.cjs'),
    executable: slim,
    output: built,
    disableExperimentalSEAWarning: true,
    useCodeCache: true,
    assets: { 'completion.json': join(root, 'dist/completion.json') },
  };
  fs.writeFileSync(config, JSON.stringify(settings));
  run(node, ['--build-sea', config]);
  if (process.platform === 'darwin') run('codesign', ['--sign', '-', '--force', built]);
  for (const part of [slim, config, join(out, 'social.cjs')]) if (part !== node) fs.rmSync(part);
  fs.copyFileSync(join(root, 'LICENSE'), join(out, 'LICENSE'));
  fs.copyFileSync(join(root, 'dist/NOTICES.txt'), join(out, 'NOTICES.txt'));
}

/** A copy of Node without its debugging symbols, a fifth smaller; Node itself where that cannot be done. */
function slimmed(node) {
  if (process.platform !== 'linux') return node;
  const copy = join(out, 'node');
  fs.copyFileSync(node, copy);
  return spawnSync('strip', [copy]).status === 0 ? copy : node;
}

/** Uses the file where there is nothing else: no Node on the path, no packages, an empty home. */
async function smoke() {
  const folder = fs.mkdtempSync(join(tmpdir(), 'social alone ü-'));
  try {
    const social = join(folder, 'social');
    fs.copyFileSync(built, social);
    const env = { HOME: folder, LANG: 'C.UTF-8', PATH: '/nowhere' };
    const use = (line, more = {}) => run(social, line.split(' '), { cwd: folder, env, ...more });
    const quiet = (line, more) => {
      const { stdout, stderr } = use(line, more);
      assert.equal(stderr, '', line);
      return stdout;
    };
    // Files beside it are not read.
    fs.writeFileSync(join(folder, 'help.txt'), 'another help\n');
    assert.equal(quiet('--version'), `${version}\n`);
    assert.match(quiet('--help'), /^Usage: social <command>/m);
    const get = 'posts get PostSpringLaunch --json';
    assert.equal(JSON.parse(quiet(`-q -C sandbox ${get}`)).id, 'PostSpringLaunch');
    assert.match(
      quiet('-q -C sandbox posts retry PostSpringLaunch --failed -o table'),
      /publishing/,
    );
    assert.equal(use('posts get x', { code: 2 }).stdout, '');
    const shipped = fs.readFileSync(join(root, 'completions/social.bash'), 'utf8');
    assert.equal(use('completion bash').stdout, shipped);
    assert.match(quiet('__complete 1 posts re'), /^words\tcommand\n(?:.*\n)*retry\tRetry/);
    const batch = '-q -C sandbox posts get --from - --fields id,status';
    const list = 'PostSpringLaunch\nPostAutumnRecaps\n';
    assert.equal(quiet(batch, { input: list }).trimEnd().split('\n').length, 2);
    const jq = '-q -C sandbox posts get PostSpringLaunch --jq .status';
    assert.match(use(jq, { code: 2 }).stderr, /--jq needs a package/);
    // Native packages are not inside: a token is kept in a private file instead of the keychain.
    use('auth login --base-url https://api.example.com', { input: 'a-token-of-the-smoke-test\n' });
    assert.match(use('auth status').stdout, /file/);
    await withSandbox(social, { cwd: folder, env }, ({ url, token }) => {
      const at = { ...env, SOCIAL_BASE_URL: url, SOCIAL_TOKEN: token };
      assert.equal(JSON.parse(quiet(get, { env: at })).id, 'PostSpringLaunch');
    });
    assert.ok(!fs.existsSync(join(folder, '.cache')), 'it keeps no cache of compiled files');
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** The archive that packaging/install.sh unpacks. It holds the list of its files, for the removal. */
function archive() {
  const name = `social-${version}-${process.platform}-${process.arch}`;
  const tree = join(packages, 'tree');
  const list = 'share/social/files';
  const paths = [...writeTree(tree), list];
  fs.mkdirSync(join(tree, 'share/social'));
  fs.writeFileSync(join(tree, list), `${paths.join('\n')}\n`);
  const file = join(packages, `${name}.tar.gz`);
  run('tar', ['-czf', file, '-C', tree, ...paths]);
  fs.rmSync(tree, { recursive: true });
  return file;
}

runNpm(['run', '-s', 'build']);
build();
await smoke();
console.log(`ok  ${built}: ${fs.statSync(built).size} bytes`);
if (process.platform !== 'win32') {
  const file = archive();
  console.log(`ok  ${file}: ${fs.statSync(file).size} bytes`);
}
