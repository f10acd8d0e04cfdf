// One run of a command: processor time of user and system in milliseconds, and the most memory it held.

import { spawnSync } from 'node:child_process';

/**
 * Runs a command under bash's `time`, which tells milliseconds of processor time. Its output goes into a pipe, as in a
 * script. Throws when the command fails.
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

/** The peak of a command's memory in MiB, as GNU time tells it; nothing where that is not installed. */
export function peakMiB(argv, env) {
  const { error, stderr } = spawnSync('/usr/bin/time', ['-f', '%M', ...argv], {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const peak = Number(stderr?.trim().split('\n').at(-1));
  return error || Number.isNaN(peak) ? undefined : peak / 1024;
}

export const median = (numbers) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

export const isInstalled = (name) => spawnSync(name, ['--version']).status === 0;
