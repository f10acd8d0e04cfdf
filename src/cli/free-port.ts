// What to do about a port that a server cannot have.

import { Failure } from '../base/errors.ts';
import { commandLine, withFlagValue } from '../base/shell.ts';

/** Why a server cannot start; where its port cannot be had, with the line that takes any free one. */
export function withPortAdvice(error: unknown, argv: readonly string[]): unknown {
  if (!(error instanceof Failure) || !isOfPort(error.facts.cause)) return error;
  return new Failure(error.kind, {
    ...error.facts,
    hint: 'choose another port, or 0 for any free port',
    next: commandLine(withFlagValue(argv, '--port', '0')),
  });
}

const isOfPort = (cause: unknown): boolean =>
  (cause as Partial<NodeJS.ErrnoException> | undefined)?.syscall === 'listen';
