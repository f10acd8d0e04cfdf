// One line of input that the terminal does not echo. Leaves the terminal as it was, however it ends.

/** What arrow keys and their like send. */
const KEYS = /\u001b(?:\[[0-9;]*[A-Za-z~]|O?[A-Za-z])?/g;

/** Reads up to Enter; `cancelled` makes the error for Ctrl-C, Ctrl-D and an abort. */
export function readHidden(
  prompt: string,
  input: NodeJS.ReadStream,
  output: NodeJS.WriteStream,
  signal: AbortSignal,
  cancelled: () => Error,
): Promise<string> {
  // First: what is typed as soon as the prompt is seen must neither be echoed nor taken for the end of a line.
  input.setRawMode(true);
  output.write(prompt);
  input.resume();
  return new Promise((resolve, reject) => {
    let typed = '';
    const end = (settle: () => void) => {
      input.off('data', take);
      input.off('end', abort);
      signal.removeEventListener('abort', abort);
      input.setRawMode(false);
      input.pause();
      output.write('\n');
      settle();
    };
    const abort = () => end(() => reject(cancelled()));
    const take = (chunk: Buffer) => {
      for (const character of chunk.toString('utf8').replace(KEYS, '')) {
        if (character === '\r' || character === '\n') return end(() => resolve(typed));
        if (character === '\u0003' || character === '\u0004') return abort();
        if (character === '\u007f' || character === '\b')
          typed = Array.from(typed).slice(0, -1).join('');
        else if (character >= ' ') typed += character;
      }
    };
    input.on('data', take).once('end', abort);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
  });
}
