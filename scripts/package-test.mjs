// Tests the package as a user gets it: packs it, prints its size and content, installs it into an empty folder on every
// supported Node, and uses it there. Run before a release: npm run package:test [-- 22 26]. Needs the registry for the
// Nodes (some 190 MB each, kept in out/nodes) and the optional dependencies.

import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { nodeFolder, npm, root, run, withSandbox } from './package-run.mjs';

const out = join(root, 'out');
const { version, name, optionalDependencies } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
);

/** The oldest supported Node, and the newest of each line. */
const usual = ['20.19', '20', '22', '24', '26'];
const wanted = process.argv.slice(2);
const MAX_BYTES = 600_000;

/** An environment without variables of npm or of the program. */
const bare = (home, ...path) => ({
  HOME: home,
  LANG: 'C.UTF-8',
  PATH: [...path, '/usr/bin', '/bin'].join(delimiter),
});

/** Packs what was built, and prints what is in it. */
function pack() {
  mkdirSync(out, { recursive: true });
  const { stdout } = run(process.execPath, [
    npm,
    'pack',
    '--json',
    '--ignore-scripts',
    '--pack-destination',
    out,
  ]);
  const [{ filename, size, unpackedSize, files }] = JSON.parse(stdout);
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
  return join(out, filename);
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
  run(node, [npm, ...install], {
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
  assert.match(quiet('--help'), /Usage:\n {2}social <command>/);
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
  assert.match(mistake.stderr, /^error: post id must be exactly 16 letters/);
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
  const packages = readdirSync(folder).filter((each) => !each.startsWith('.'));
  const scopes = Object.keys(optionalDependencies).map((each) => each.split('/')[0]);
  const expected = optional ? [name, ...scopes] : [name];
  assert.deepEqual(new Set(packages), new Set(expected));
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

run(process.execPath, [npm, 'run', '-s', 'build']);
const tarball = pack();
for (const line of wanted.length > 0 ? wanted : usual) await tryOn(tarball, line);
