// Questions at a terminal, drawn on stderr so that stdout stays the result's. Loaded when one is put.

import { confirm } from '@inquirer/prompts';
import { Failure } from '../errors.ts';
import type { Ask } from '../world.ts';

/** Prompts on the given streams. Ctrl-C ends the command as an interrupt. */
export function prompts(
  input: NodeJS.ReadStream,
  output: NodeJS.WriteStream,
  signal: AbortSignal,
): Ask {
  const context = { input, output, signal, clearPromptOnDone: false };
  return {
    confirm: (message) => interruptible(confirm({ message, default: false }, context)),
  };
}

async function interruptible<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    const { name } = error as Error;
    if (name !== 'ExitPromptError' && name !== 'AbortPromptError') throw error;
    throw new Failure('interrupted', { what: 'cancelled; nothing was sent', sent: false });
  }
}
