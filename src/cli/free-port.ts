// What to do about a port that a server cannot have.

import { Failure } from '../base/errors.ts';
import { commandLine, withFlagValue } from '../base/shell.ts';

/** Starts a server; where its port cannot be had, the failure names the line that takes any free one. */
export async function withPortAdvice<T>(
  argv: readonly string[],
  start: () => Promise<T>,
): Promise<T> {
  try {
    return await start();
  } catch (error) {
    if (!(error instanceof Failure) || !isOfPort(error.facts.cause)) throw error;
    throw new Failure(error.kind, {
      ...error.facts,
      hint: 'choose another port, or 0 for any free port',
      next: commandLine(withFlagValue(argv, '--port', '0')),
    });
  }
}

const isOfPort = (cause: unknown): boolean =>
  (cause as Partial<NodeJS.ErrnoException> | undefined)?.syscall === 'listen';
