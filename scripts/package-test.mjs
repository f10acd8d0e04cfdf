// Tests the package as a user gets it: packs it, prints its size and content, installs it into an empty folder on every
// supported Node, uses it there, and installs it in the other ways of npm. Run before a release:
// npm run package:test [-- 22 26]. Needs the registry for the Nodes (some 190 MB each, kept in out/nodes) and the
// optional dependencies.

import assert from 'node:assert/strict';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { pack } from './pack.mjs';
import { nodeFolder, root, run, runNpm, withSandbox } from './package-run.mjs';

const { version, name, optionalDependencies } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
);

/** The oldest supported Node, and the newest of each line. */
const usual = ['20.19', '20', '22', '24', '26'];
const wanted = process.argv.slice(2);
const MAX_BYTES = 680_000;

/** An environment without variables of npm or of the program. */
const bare = (home, ...path) => ({
  HOME: home,
  LANG: 'C.UTF-8',
  PATH: [...path, '/usr/bin', '/bin'].join(delimiter),
});

/** Packs what was built, and prints what is in it. */
function packed() {
  const { filename, size, unpackedSize, files, tarball } = pack();
  const groups = new Map();
  for (const { path, size: bytes } of files) {
    const group = path.includes('/') ? `${path.split('/')[0]}/` : path;
    const [count, sum] = groups.get(group) ?? [0, 0];
    groups.set(group, [count + 1, sum + bytes]);
  }
  console.log(`${filename}: ${size} bytes packed, ${unpackedSize} unpacked, ${files.length} files`);
  for (const [group, [count, sum]] of groups)
    console.log(
      `  ${group.padEnd(14)} ${String(count).padStart(4)} files ${String(sum).padStart(9)} bytes`,
    );
  assert.ok(size <= MAX_BYTES, `the package has ${size} bytes, more than ${MAX_BYTES}`);
  const paths = files.map(({ path }) => path);
  for (const needed of [
    'bin/social.js',
    'dist/start.cjs',
    'dist/completion.json',
    'dist/NOTICES.txt',
    'LICENSE',
    'README.md',
  ])
    assert.ok(paths.includes(needed), `${needed} is missing`);
  const stray = paths.filter((path) =>
    /(^|\/)(src|test|scripts|cache|node_modules)\/|chunks\.json|\.map$/.test(path),
  );
  assert.deepEqual(stray, []);
  const manifest = JSON.parse(run('tar', ['-xOzf', tarball, 'package/package.json']).stdout);
  for (const key of ['scripts', 'devDependencies', 'dependencies'])
    assert.equal(manifest[key], undefined, `the manifest of the package has ${key}`);
  return tarball;
}

/** Installs the package with a Node and uses it. */
async function tryOn(tarball, line) {
  const bin = nodeFolder(line);
  const node = join(bin, 'node');
  const work = mkdtempSync(join(tmpdir(), 'social package ü-'));
  try {
    for (const optional of [true, false])
      await useInstalled({
        tarball,
        bin,
        node,
        work: join(work, optional ? 'with' : 'without'),
        optional,
      });
    console.log(`ok  Node ${run(node, ['--version']).stdout.trim()}`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function useInstalled({ tarball, bin, node, work, optional }) {
  const home = join(work, 'home');
  const folder = join(work, 'empty');
  mkdirSync(home, { recursive: true });
  mkdirSync(folder);
  const install = [
    'install',
    tarball,
    '--engine-strict',
    '--no-audit',
    '--no-fund',
    ...(optional ? [] : ['--omit=optional']),
  ];
  runNpm(install, {
    node,
    cwd: folder,
    // The registry may need this user's settings and proxy.
    env: { ...process.env, PATH: [bin, process.env.PATH].join(delimiter) },
  });
  checkTree(join(folder, 'node_modules'), optional);
  const env = bare(home, join(folder, 'node_modules', '.bin'), bin);
  const social = (line, more = {}) => run('social', line.split(' '), { cwd: folder, env, ...more });
  // Nothing unexpected on stderr: no warning of a newer or older Node.
  const quiet = (line, more) => {
    const { stdout, stderr } = social(line, more);
    assert.equal(stderr, '', line);
    return stdout;
  };

  assert.equal(quiet('--version'), `${version}\n`);
  assert.match(quiet('--help'), /^Usage: social <command>/m);
  const get = 'posts get PostSpringLaunch --json';
  assert.equal(JSON.parse(quiet(`-q -C sandbox ${get}`)).id, 'PostSpringLaunch');
  const retry =
    '-q -C sandbox posts retry PostSpringLaunch --target TargetSpringLink --wait --interval 1s --json';
  assert.equal(JSON.parse(quiet(retry)).targets[1].status, 'published');
  const batch = '-q -C sandbox posts get --from - --fields id,status';
  assert.equal(
    quiet(batch, { input: 'PostSpringLaunch\nPostAutumnRecaps\n' }).trimEnd().split('\n').length,
    2,
  );
  const jq = '-q -C sandbox posts get PostSpringLaunch --jq .status';
  if (optional) assert.equal(quiet(jq), 'partial\n');
  else assert.match(social(jq, { code: 2 }).stderr, /--jq needs a package/);
  const mistake = social('posts get PostSpringL4unch', { code: 2 });
  assert.match(mistake.stderr, /^error: post ID must be exactly 16 letters/);
  assert.equal(mistake.stdout, '');
  const { url } = JSON.parse(quiet(`--base-url https://api.example.com ${get} --dry-run`));
  assert.equal(url, 'https://api.example.com/v1/posts/PostSpringLaunch');
  checkCompletion(social, join(folder, 'node_modules', name, 'completions'), env);
  await checkServer({ env, cwd: folder, quiet, get });
  const cache = join(home, '.cache', 'social');
  if (existsSync(cache)) assert.equal(statSync(cache).mode & 0o077, 0, 'the code cache is private');
}

/** The package installs only itself and the optional dependencies. */
function checkTree(folder, optional) {
  const names = readdirSync(folder).filter((each) => !each.startsWith('.'));
  const packages = names.flatMap((each) =>
    each.startsWith('@') ? readdirSync(join(folder, each)).map((own) => `${each}/${own}`) : [each],
  );
  // The keychain comes with a native part for this system.
  const expected = [name, ...(optional ? Object.keys(optionalDependencies) : [])];
  const native = (each) => each.startsWith('@napi-rs/keyring-');
  assert.deepEqual(new Set(packages.filter((each) => !native(each))), new Set(expected));
}

function checkCompletion(social, shipped, env) {
  const files = {
    bash: 'social.bash',
    zsh: '_social',
    fish: 'social.fish',
    powershell: 'social.ps1',
  };
  for (const [shell, file] of Object.entries(files))
    assert.equal(social(`completion ${shell}`).stdout, readFileSync(join(shipped, file), 'utf8'));
  const complete = `. "${join(shipped, 'social.bash')}"; COMP_WORDS=(social posts re); COMP_CWORD=2; COMP_LINE='social posts re'; COMP_POINT=15; _social; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = run('bash', ['-c', complete], { env });
  assert.deepEqual(
    stdout
      .trim()
      .split('\n')
      .map((each) => each.trim())
      .toSorted(),
    ['reply', 'retry'],
  );
}

/** Calls the sandbox over the network: each change is sent once. */
async function checkServer({ env, cwd, quiet, get }) {
  const record = join(cwd, 'requests.ndjson');
  const use = ({ url, token }) => {
    // A home of its own: the first start of all, without any cache, and one after it.
    const home = join(cwd, 'another home');
    mkdirSync(home);
    const at = { ...env, HOME: home, SOCIAL_BASE_URL: url, SOCIAL_TOKEN: token };
    for (const when of ['first', 'second']) {
      const reply = ['posts', 'reply', 'PostAutumnRecaps', '--target', 'TargetAutumnMast'];
      const { stdout } = run('social', [...reply, '--text', when, '--json'], { cwd, env: at });
      assert.equal(stdout.trimEnd().split('\n').length, 1, 'one result');
      assert.equal(JSON.parse(quiet(get, { env: at })).id, 'PostSpringLaunch');
    }
    const lines = readFileSync(record, 'utf8').trimEnd().split('\n');
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).body?.text ?? null),
      ['first', null, 'second', null],
    );
  };
  await withSandbox('social', { env, cwd }, use, ['--record', record]);
}

/** A line that shows that an installed program works, and what it prints. */
const PROOF = '-q -C sandbox posts get PostSpringLaunch --fields id --json'.split(' ');
const PROVED = '{"id":"PostSpringLaunch"}\n';

/** Installs the package globally, without network, and runs it by npx without an installation. */
function tryOtherWays(tarball) {
  const work = mkdtempSync(join(tmpdir(), 'social ways ü-'));
  const home = join(work, 'home');
  const prefix = join(work, 'prefix');
  const folder = join(work, 'folder');
  for (const each of [home, prefix, folder]) mkdirSync(each);
  // An npm that has seen nothing: no settings of the user, an empty cache.
  const env = { ...bare(home, dirname(process.execPath)), npm_config_cache: join(work, 'cache') };
  const npm = (...args) => runNpm(args, { cwd: folder, env });
  const proves = (file, cwd, args = PROOF) => {
    const { stdout, stderr } = run(file, args, { cwd, env });
    assert.deepEqual({ stdout, stderr }, { stdout: PROVED, stderr: '' });
  };
  try {
    const aside = ['--ignore-scripts', '--no-audit', '--no-fund'];
    npm('install', '--offline', ...aside, tarball);
    checkTree(join(folder, 'node_modules'), false);
    proves(join(folder, 'node_modules/.bin/social'), folder);
    console.log('ok  npm install --offline, nothing in the cache');

    const globally = ['--global', '--prefix', prefix];
    npm('install', '--offline', ...globally, ...aside, tarball);
    const installed = join(prefix, 'lib/node_modules', name);
    assert.ok(!lstatSync(installed).isSymbolicLink());
    proves(join(prefix, 'bin/social'), work);
    npm('uninstall', ...globally, name);
    assert.ok(!existsSync(join(prefix, 'bin/social')) && !existsSync(installed));
    console.log('ok  npm install --global, npm uninstall --global');

    const { stdout } = npm(
      'exec',
      '--offline',
      '--yes',
      `--package=${tarball}`,
      '--',
      'social',
      ...PROOF,
    );
    assert.equal(stdout, PROVED);
    console.log('ok  npx');
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

runNpm(['run', '-s', 'build']);
const tarball = packed();
for (const line of wanted.length > 0 ? wanted : usual) await tryOn(tarball, line);
tryOtherWays(tarball);
