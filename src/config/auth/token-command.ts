// Runs a context's token command: a password manager, say, started without a shell.

import { execa } from 'execa';
import { formatDuration } from '../../base/durations.ts';
import { type Failure, unsentFailure } from '../../base/errors.ts';
import { runReason } from '../../fs/io-errors.ts';
import type { Runtime } from '../../base/runtime.ts';

const LIMIT_MS = 60_000;
/** A program that is silent for so long is named: it may wait for an answer that nobody sees it ask for. */
const SILENCE_MS = 10_000;
/** Until a program that does not end when asked is killed. */
const GRACE_MS = 500;
const MAX_BYTES = 64 * 1024;

/**
 * The one line that the program prints. It may prompt the user on the terminal, and never sees SOCIAL_TOKEN.
 * Throws `Failure('local_io')` when it fails, takes more than a minute, or prints anything but one line.
 */
export async function runTokenCommand(
  context: string,
  command: readonly string[],
  { env, note, signal, sleep, stdin }: Runtime,
): Promise<string> {
  const [program, ...args] = command;
  const [late, over] = [new AbortController(), new AbortController()];
  const cancelSignal = AbortSignal.any([signal, late.signal]);
  const running = execa(program!, args, {
    reject: false,
    maxBuffer: MAX_BYTES,
    // Piped input is for this process.
    stdin: stdin.isTTY ? 'inherit' : 'ignore',
    stderr: 'inherit',
    extendEnv: false,
    env: { ...env, SOCIAL_TOKEN: undefined },
    cancelSignal,
    forceKillAfterDelay: GRACE_MS,
  });
  // A child of the program may hold its output open long after it.
  cancelSignal.addEventListener('abort', () => running.stdout.destroy(), { once: true });
  const after = (ms: number, run: () => void) =>
    void sleep(ms, AbortSignal.any([signal, over.signal])).then(run, () => undefined);
  const limit = formatDuration(LIMIT_MS);
  after(SILENCE_MS, () => note(`Waiting for the token command ${program}… (timeout ${limit})`));
  after(LIMIT_MS, () => late.abort());
  const { failed, stdout, exitCode, signal: by, code } = await running;
  over.abort();
  if (signal.aborted) throw signal.reason as Failure;
  if (failed) {
    const why = late.signal.aborted
      ? `did not finish within ${limit}`
      : exitCode === undefined && by === undefined
        ? `cannot be run (${runReason(code)})`
        : `exited with ${exitCode ?? by}`;
    throw commandFailure(context, program!, why);
  }
  if (stdout.trim() === '') throw commandFailure(context, program!, 'printed nothing');
  if (/[\r\n]/.test(stdout)) throw commandFailure(context, program!, 'printed more than one line');
  return stdout;
}

function commandFailure(context: string, program: string, why: string): Failure {
  return unsentFailure('local_io', {
    what: `the token command ${program} ${why}`,
    hint: `to see the command: social context show ${context}`,
  });
}
