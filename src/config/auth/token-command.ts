// Runs a context's token command, such as a password manager, without a shell.

import { labelledLine } from '../../base/shell.ts';
import { execa } from 'execa';
import { formatDuration } from '../../base/durations.ts';
import { type Failure, unsentFailure } from '../../base/errors.ts';
import { runReason } from '../../fs/io-errors.ts';
import type { Runtime } from '../../base/runtime.ts';
import { isUtf16 } from '../../base/utf8.ts';

const LIMIT_MS = 60_000;
/** A program that runs for this long is named: it may wait for an answer to a prompt that is not visible. */
const NOTE_AFTER_MS = 10_000;
/** A program that does not end on request is killed after this time. */
const GRACE_MS = 500;
/** No token is longer; a program that prints more is ended. */
const MAX_BYTES = 64 * 1024;

/**
 * Returns the one line that the program prints. The program may prompt the user on the terminal, and never gets
 * SOCIAL_TOKEN. Throws `Failure('local_io')` if it fails, takes more than a minute, or prints other than one line.
 */
export async function runTokenCommand(
  context: string,
  command: readonly string[],
  { env, note, signal, sleep, stdin }: Runtime,
): Promise<string> {
  const [program, ...args] = command;
  const [timeout, ended] = [new AbortController(), new AbortController()];
  const cancelSignal = AbortSignal.any([signal, timeout.signal]);
  const running = execa(program!, args, {
    reject: false,
    maxBuffer: MAX_BYTES,
    // As text, a byte order mark would be dropped silently.
    encoding: 'buffer',
    // Piped input is for this process.
    stdin: stdin.isTTY ? 'inherit' : 'ignore',
    stderr: 'inherit',
    extendEnv: false,
    env: { ...env, SOCIAL_TOKEN: undefined },
    cancelSignal,
    forceKillAfterDelay: GRACE_MS,
  });
  // A child of the program may keep its output open after the program has ended.
  cancelSignal.addEventListener('abort', () => running.stdout.destroy(), { once: true });
  const after = (ms: number, run: () => void) =>
    void sleep(ms, AbortSignal.any([signal, ended.signal])).then(run, () => undefined);
  const limit = formatDuration(LIMIT_MS);
  after(NOTE_AFTER_MS, () => note(`Waiting for the token command ${program}… (timeout ${limit})`));
  after(LIMIT_MS, () => timeout.abort());
  const { failed, stdout: bytes, exitCode, signal: killedBy, code } = await running;
  ended.abort();
  if (signal.aborted) throw signal.reason as Failure;
  if (failed) {
    const why = timeout.signal.aborted
      ? `did not finish within ${limit}`
      : exitCode === undefined && killedBy === undefined
        ? `cannot be run (${runReason(code)})`
        : `exited with ${exitCode ?? killedBy}`;
    throw commandFailure(context, program!, why);
  }
  if (isUtf16(bytes)) throw commandFailure(context, program!, 'printed UTF-16, not UTF-8');
  const stdout = Buffer.from(bytes).toString('utf8');
  if (stdout.trim() === '') throw commandFailure(context, program!, 'printed nothing');
  if (/[\r\n]/.test(stdout)) throw commandFailure(context, program!, 'printed more than one line');
  return stdout;
}

function commandFailure(context: string, program: string, why: string): Failure {
  return unsentFailure('local_io', {
    what: `the token command ${program} ${why}`,
    hint: `it must print the token alone, on one line; ${labelledLine('to see the command', ['social', 'context', 'show', context])}`,
  });
}
