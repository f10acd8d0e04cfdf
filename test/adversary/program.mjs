// The built program as a process of its own: a home that is empty, an environment with nothing in it, every byte kept.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The program that is tried: of this tree, or of another one that `ADVERSARY_PROGRAM` names. */
export const launcher =
  process.env.ADVERSARY_PROGRAM ?? fileURLToPath(new URL('../../bin/social.js', import.meta.url));

/** After this long a run counts as one that does not end. */
const LONGEST_RUN_MS = 45_000;

/** A folder that `clear` takes away again. */
export function freshHome() {
  const home = mkdtempSync(join(tmpdir(), 'social-adversary-'));
  return { home, clear: () => rmSync(home, { recursive: true, force: true }) };
}

/** The environment of a fresh machine. */
export const bareEnv = (home, env = {}) => ({
  PATH: process.env.PATH,
  HOME: home,
  LANG: 'C.UTF-8',
  ...env,
});

/**
 * Starts the program. `ended` resolves with the exit code (128 and the number of a signal that ended it), how long it
 * took, and all that it wrote.
 */
export function start(argv, { home, env, input, cwd = home } = {}) {
  const began = performance.now();
  // No program can be given a NUL in its arguments.
  const words = argv.map((word) => word.replaceAll('\0', ''));
  const child = spawn(process.execPath, [launcher, ...words], {
    env: bareEnv(home, env),
    cwd,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const chunks = { stdout: [], stderr: [] };
  for (const name of ['stdout', 'stderr'])
    child[name].on('data', (chunk) => chunks[name].push(chunk));
  child.stdin.on('error', () => undefined);
  if (input !== 'open') child.stdin.end(input ?? '');
  let hung = false;
  const limit = setTimeout(() => {
    hung = true;
    child.kill('SIGKILL');
  }, LONGEST_RUN_MS);
  const ended = new Promise((resolve) =>
    child.once('close', (code, signal) => {
      clearTimeout(limit);
      const [stdout, stderr] = [Buffer.concat(chunks.stdout), Buffer.concat(chunks.stderr)];
      resolve({
        argv,
        code: code ?? 128 + constants.signals[signal],
        killed: signal === 'SIGKILL' && !hung,
        hung,
        ms: performance.now() - began,
        stdout: stdout.toString('utf8'),
        stderr: stderr.toString('utf8'),
        bytes: { stdout, stderr },
      });
    }),
  );
  const said = () => Buffer.concat([...chunks.stdout, ...chunks.stderr]).toString('utf8');
  return { child, ended, said };
}

/** The last line of a text as JSON, where it is some. */
export function lastObject(text) {
  const line = text.trimEnd().split('\n').at(-1) ?? '';
  try {
    const value = JSON.parse(line);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** Waits; with `ref` off it keeps the process from nothing. */
export const pause = (ms, { ref = true } = {}) =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    if (!ref) timer.unref();
  });

/** Waits until something is so, or the time is over; tells whether it is. */
export async function until(isSo, ms = 10_000) {
  const end = performance.now() + ms;
  while (!isSo()) {
    if (performance.now() > end) return false;
    await pause(5);
  }
  return true;
}
