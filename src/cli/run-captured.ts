// Runs a command line inside another command, with streams of its own.

import type { Host, OutputStream, Runtime } from '../base/runtime.ts';
import type { TypedInput } from '../input/agent-input.ts';
import type { Program } from './command-spec.ts';

/** Runs a line. `host` has what differs from the runtime of the other command; `onStderr` receives each text at once. */
export async function runCaptured(
  { argv, stdin, env }: TypedInput,
  { program, runtime }: { readonly program: Program; readonly runtime: Runtime },
  host: Partial<Host>,
  onStderr: (text: string) => void,
) {
  let stdout = '';
  let stderr = '';
  const exitCode = await program.run(argv, {
    ...runtime,
    // Counted for each line.
    traffic: undefined,
    env: withHidden(runtime.env, env),
    stdin: {
      isTTY: false,
      async *chunks() {
        yield Buffer.from(stdin);
      },
    },
    stdout: sink((text) => void (stdout += text)),
    stderr: sink((text) => {
      stderr += text;
      onStderr(text);
    }),
    liveProgress: async () => undefined,
    ...host,
  });
  return { exitCode, stdout, stderr };
}

/** Adds variables that no child process gets, because they are not copied with the others. */
const withHidden = (env: Host['env'], hidden: TypedInput['env']): Host['env'] =>
  Object.entries(hidden).reduce(
    (all, [name, value]) => Object.defineProperty(all, name, { value }),
    { ...env },
  );

const sink = (write: (text: string) => void): OutputStream => ({
  isTTY: false,
  columns: undefined,
  write: async (text) => write(text),
});
