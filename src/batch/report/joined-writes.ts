// Standard output of a batch: all text that is added during a write is joined into the next one.

import { asFailure, Failure } from '../../base/errors.ts';
import type { OutputStream } from '../../base/runtime.ts';

const CLOSED = 'closed_pipe';

/** Makes the writer; `onBroken` is called once when stdout accepts nothing more: its reader has closed it, or a write failed. */
export function joinedWrites(stdout: OutputStream, onBroken: (why: Failure) => void) {
  let pending = '';
  let writing: Promise<void> | undefined;
  let broken: Failure | undefined;

  const breakOff = (why: Failure) => {
    broken = why;
    pending = '';
    onBroken(why);
  };
  const drain = async () => {
    await new Promise(setImmediate);
    for (let text = pending; text !== ''; text = pending) {
      pending = '';
      try {
        await stdout.write(text);
        if (stdout.gone === true) breakOff(readerGone());
      } catch (error) {
        breakOff(asFailure(error));
      }
    }
    writing = undefined;
  };
  return {
    push(text: string): void {
      if (broken !== undefined) return;
      pending += text;
      writing ??= drain();
    },
    written: async (): Promise<void> => writing,
    async end(): Promise<void> {
      await writing;
      // A reader that closes the pipe has seen enough.
      if (broken !== undefined && broken.facts.code !== CLOSED) throw broken;
    },
  };
}

const readerGone = () =>
  new Failure('local_io', {
    what: 'stopped: the output pipe was closed',
    code: CLOSED,
    retryable: false,
  });
