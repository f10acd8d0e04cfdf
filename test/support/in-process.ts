// Runs the program in this process, on the files of a home: for the rows of a table that differ only in data, and to
// prepare a test. This takes a tenth of the time of a separate process.

import { setTimeout as pause } from 'node:timers/promises';
import type { Host } from '../../src/base/runtime.ts';
import { runProgram } from '../../src/program.ts';
import { configDirFrom, stateDirFrom } from '../../src/base/paths.ts';
import { freshHome, type Setting } from './program.ts';
import { testRuntime, type Outcome } from './test-cli.ts';
import { assertExitCodeIsListed, assertSuggestionsWork } from './suggestions.ts';
import { assertNoToken } from './token-leak-check.ts';

/** Returns the host of a program that uses the files of a home and the real clock; no sleep exceeds the limit. */
export function hostOf(
  { home, env, input = '' }: Setting & { readonly home: string },
  said: { stdout: string; stderr: string },
  longestSleepMs = Infinity,
): Host {
  const all = { PATH: process.env['PATH']!, HOME: home, LANG: 'C.UTF-8', ...env };
  return {
    ...testRuntime(home, { now: Date.now() }, { env: all, stdin: input }, said),
    now: Date.now,
    monotonic: () => performance.now(),
    sleep: (ms, signal) =>
      pause(Math.min(ms, longestSleepMs), undefined, { signal }).catch(() =>
        Promise.reject(signal.reason as Error),
      ),
    configDir: () => configDirFrom(all, () => home, process.platform),
    stateDir: () => stateDirFrom(all, () => home, process.platform),
    homeDir: () => home,
  };
}

interface Run extends Setting {
  /** By how much the clock is fast. */
  readonly aheadMs?: number;
  /** Stops the command. */
  readonly signal?: AbortSignal;
}

/** Runs the program as `social` of program.ts does. */
export async function socialInProcess(
  argv: readonly string[],
  { home = freshHome(), env, input = '', aheadMs = 0, signal }: Run = {},
): Promise<Outcome> {
  const said = { stdout: '', stderr: '' };
  const exitCode = await runProgram(argv, {
    ...hostOf({ home, env: env ?? {}, input }, said),
    now: () => Date.now() + aheadMs,
    signal: signal ?? new AbortController().signal,
  });
  assertNoToken({ argv, env, ...said });
  assertSuggestionsWork(argv, said.stderr);
  assertExitCodeIsListed(argv, exitCode);
  return { exitCode, ...said };
}
