// What the package scripts share: running a program to its end, the sandbox as a server, npm, and the Nodes that the
// registry brings.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** Runs a program and returns its output; throws with all of it when the program does not end with `code`. */
export function run(file, args, { cwd = root, env = process.env, input = '', code = 0 } = {}) {
  const { status, signal, stdout, stderr, error } = spawnSync(file, args, {
    cwd,
    env,
    input,
    encoding: 'utf8',
    timeout: 300_000,
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error) throw error;
  assert.equal(status ?? signal, code, `${[file, ...args].join(' ')}\n${stdout}${stderr}`);
  return { stdout, stderr };
}

/**
 * Runs npm: the one that runs this script, else the one on the path. With `node`, on that Node, which needs the former.
 */
export function runNpm(args, { node = process.execPath, ...options } = {}) {
  const script = process.env.npm_execpath;
  return script === undefined ? run('npm', args, options) : run(node, [script, ...args], options);
}

/**
 * Runs `social sandbox serve`, calls `use` with its address and token, and ends it by SIGTERM: it dies by the signal.
 */
export async function withSandbox(social, options, use, args = []) {
  const server = spawn(social, ['sandbox', 'serve', '--json', ...args], options);
  const ended = once(server, 'exit');
  try {
    const [line] = await once(server.stdout, 'data');
    await use(JSON.parse(String(line)));
  } finally {
    server.kill('SIGTERM');
  }
  assert.deepEqual(await ended, [null, 'SIGTERM']);
}

/** The folder of the executable of a Node (`22`, `20.19`), downloaded into out/nodes if missing. */
export const nodeFolder = (line) => fromRegistry('node', line);

/** The bin folder of a package of the registry, installed into out/nodes if missing. */
export function fromRegistry(name, line, ...how) {
  const folder = join(root, 'out', 'nodes', name === 'node' ? line : `${name}-${line}`);
  const bin = join(folder, 'node_modules', name, 'bin');
  if (!existsSync(bin)) {
    mkdirSync(folder, { recursive: true });
    const install = ['install', '--prefix', folder, '--no-save', ...how, `${name}@${line}`];
    runNpm(install, { cwd: folder });
  }
  return bin;
}
