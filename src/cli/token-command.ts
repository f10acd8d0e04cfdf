// Asks a password manager for the token: a program of the user's choice, started without a shell.

import { execa } from 'execa';
import { Failure } from '../errors.ts';
import type { World } from '../world.ts';

const LIMIT_MS = 60_000;
const MAX_BYTES = 64 * 1024;

/**
 * The one line that the program prints. It may talk to the user on the terminal, and gets no token of ours.
 * Throws `Failure('local_io')` when it fails, takes more than a minute, or prints anything but one line.
 */
export async function runTokenCommand(
  command: readonly string[],
  { env, signal, stdin }: World,
): Promise<string> {
  const [program, ...args] = command;
  const { failed, stdout, exitCode, timedOut, code } = await execa(program!, args, {
    reject: false,
    timeout: LIMIT_MS,
    maxBuffer: MAX_BYTES,
    // What is piped in is for this program.
    stdin: stdin.isTTY ? 'inherit' : 'ignore',
    stderr: 'inherit',
    extendEnv: false,
    env: { ...env, SOCIAL_TOKEN: undefined },
    cancelSignal: signal,
  });
  if (signal.aborted) throw signal.reason as Failure;
  if (failed) {
    const why = timedOut
      ? `took longer than ${LIMIT_MS / 1000} s`
      : exitCode === undefined
        ? `cannot be run (${code})`
        : `ended with ${exitCode}`;
    throw told(program!, why);
  }
  if (stdout.trim() === '') throw told(program!, 'printed nothing');
  if (/[\r\n]/.test(stdout)) throw told(program!, 'printed more than one line');
  return stdout;
}

function told(program: string, why: string): Failure {
  return new Failure('local_io', {
    what: `the token command ${program} ${why}`,
    hint: 'social context show names the command',
    sent: false,
    retryable: false,
  });
}
