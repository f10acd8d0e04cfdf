// Measures one run of a command, and starts the server that the commands ask.

import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Returns the ID of a post, with sixteen letters. */
export const idOf = (number, start = 'Bench') =>
  `${start}${Array.from({ length: 11 }, (_, at) => String.fromCodePoint(97 + (Math.floor(number / 26 ** at) % 26))).join('')}`;

/** Starts the server of posts in a home of the benchmark. */
export async function startServer(home) {
  const server = spawn(process.execPath, [here('post-server.mjs')], {
    env: { PATH: process.env.PATH, HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const origin = await new Promise((resolve) =>
    server.stdout.once('data', (chunk) => resolve(chunk.toString().trim())),
  );
  return { origin, stop: () => server.kill() };
}

/**
 * Returns the processor time of a command in milliseconds, user and system, from bash's `time`. Its output goes into a
 * pipe, as in a script. Throws when the command fails.
 */
export function cpuMs(argv, env) {
  const script = `TIMEFORMAT='%3U %3S'; { time "$@" 2>&3; } 3>/dev/null`;
  const { status, stderr } = spawnSync('bash', ['-c', script, 'bash', ...argv], {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (status !== 0) throw new Error(`${argv.join(' ')} ended with ${status}`);
  const [user, system] = stderr.trim().split('\n').at(-1).split(' ').map(Number);
  return (user + system) * 1000;
}

/**
 * Returns the peak of a command's memory in MiB from GNU time, or `undefined` if that is not installed. Throws when the
 * command fails.
 */
export function peakMiB(argv, env) {
  const { error, status, stderr } = spawnSync('/usr/bin/time', ['-f', '%M', ...argv], {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (error) return undefined;
  if (status !== 0) throw new Error(`${argv.join(' ')} ended with ${status}`);
  return Number(stderr.trim().split('\n').at(-1)) / 1024;
}

export const median = (numbers) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

export const isInstalled = (name) => spawnSync(name, ['--version']).status === 0;
