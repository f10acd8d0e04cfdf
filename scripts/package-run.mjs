// What the package scripts share: running a program to its end, npm, and the Nodes that the registry brings.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** npm as a script that any Node can run. */
export const npm = process.env.npm_execpath ?? 'npm';

/** Runs a program and gives what it said; throws with all of it when it does not end with `code`. */
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

/** The folder with the program of a Node (`22`, `20.19`), fetched into out/nodes where it is not there yet. */
export function nodeFolder(line) {
  const folder = join(root, 'out', 'nodes', line);
  const bin = join(folder, 'node_modules', 'node', 'bin');
  if (!existsSync(join(bin, 'node'))) {
    mkdirSync(folder, { recursive: true });
    const install = ['install', '--prefix', folder, '--no-save', `node@${line}`];
    run(process.execPath, [npm, ...install], { cwd: folder });
  }
  return bin;
}
