// Builds the `Host` from `process`, runs the program and sets the exit code. Only the files at the root of `src` use
// `process`, except that `src/fs/` reads its ID and its user.

import { fstatSync, writeFileSync } from 'node:fs';
import { isatty } from 'node:tty';
import { runProgram } from './program.ts';
import { iterateUntilAborted, sleep } from './base/abort.ts';
import { asFailure, Failure, ifPossible, internalFailure } from './base/errors.ts';
import { configDirFrom, stateDirFrom } from './base/paths.ts';
import { cannotAppend, codeOf } from './fs/io-errors.ts';
import { homeFolder } from './home.ts';
import { catchSignals, type Signals } from './signals.ts';
import type { Host, OutputStream } from './base/runtime.ts';

interface FlushableStream extends OutputStream {
  /** Resolves when everything has been written, or cannot be. */
  flushed(): Promise<void>;
}

/**
 * Opens stdout or stderr on first use: opening a terminal costs more than all of `--version`. A failed write to stdout
 * is a failure of the command, because its result is lost; one to stderr changes nothing that was done, and is ignored.
 */
function createStream(fd: 1 | 2, open: () => NodeJS.WriteStream): FlushableStream {
  const mustWrite = fd === 1;
  const stats = ifPossible(() => fstatSync(fd));
  const isFile = stats?.isFile() === true;
  let opened: NodeJS.WriteStream | undefined;
  let gone = false;
  let lastWrite: Promise<void> | undefined;
  // A closed pipe is not an error; without a listener Node would end with a stack trace.
  const stream = () => (opened ??= open().on('error', () => undefined));
  const writeToStream = (text: string) =>
    new Promise<void>((resolve, reject) => {
      stream().write(text, (error) => {
        gone ||= codeOf(error) === 'EPIPE';
        if (error == null || !mustWrite || gone) resolve();
        else reject(unwritable(error));
      });
    });
  const sizeOf = (side: 'columns' | 'rows') => (isFile ? undefined : stream()[side] || undefined);
  return {
    isPipe: stats?.isFIFO() === true,
    get isTTY() {
      // Node sets it to true on a terminal, and omits it elsewhere.
      return !isFile && 'isTTY' in stream() && stream().isTTY;
    },
    get columns() {
      return sizeOf('columns');
    },
    get rows() {
      return sizeOf('rows');
    },
    get gone() {
      return gone;
    },
    write: async (text) => {
      if (text === '') return;
      // Node's stream for a file takes a partial write on a full disk for a complete one.
      if (isFile) writeToFile(fd, text, mustWrite);
      else await (lastWrite = writeToStream(text));
    },
    // A stream writes in order, so the last write is the end of all.
    flushed: async () => lastWrite?.catch(() => undefined),
  };
}

/** Writes the whole text synchronously. */
function writeToFile(fd: number, text: string, mustWrite: boolean): void {
  try {
    // For bytes Node makes several writes if one is partial.
    writeFileSync(fd, Buffer.from(text));
  } catch (error) {
    if (mustWrite) throw unwritable(error as Error);
  }
}

function unwritable(error: Error): Failure {
  const { what } = cannotAppend('output', error).facts;
  return new Failure('local_io', { what, cause: error });
}

/**
 * Copies the environment. Windows accepts the name of a variable in any case (`Path`), but a copy does not, so it also
 * has each name in capitals.
 */
function copyOfEnvironment(): Record<string, string | undefined> {
  const copy = Object.create(null) as Record<string, string | undefined>;
  for (const [name, value] of Object.entries(process.env)) {
    copy[name] = value;
    if (process.platform === 'win32') copy[name.toUpperCase()] = value;
  }
  return copy;
}

function createHost(
  { signal, onUrgent }: Signals,
  [stdout, stderr]: readonly [OutputStream, OutputStream],
): Host {
  // The token is removed from the environment, because a child process or a diagnostic report of Node would show it to
  // others.
  const environment = copyOfEnvironment();
  // A dependency asks Node for the home folder when it is loaded. Without HOME, Node asks the system, and throws for a
  // user without one.
  if (process.platform !== 'win32') process.env['HOME'] = homeFolder();
  delete process.env['SOCIAL_TOKEN'];
  // Certificates are checked in spite of this variable, and Node would warn that they are not.
  delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
  // If both are set, Node ignores NO_COLOR and prints a warning; here NO_COLOR takes precedence.
  if (environment['NO_COLOR']) delete process.env['FORCE_COLOR'];
  return {
    program: {
      node: process.version,
      platform: process.platform,
      arch: process.arch,
      folder: __dirname,
    },
    env: environment,
    stdin: {
      get isTTY() {
        // isatty(0) is used because opening the stream of a file or of nothing costs 2 ms.
        return isatty(0);
      },
      // An interrupt must not wait for the end of the input.
      chunks: () => iterateUntilAborted(process.stdin as AsyncIterable<Uint8Array>, signal),
    },
    stdout,
    stderr,
    now: () => Date.now(),
    monotonic: () => performance.now(),
    random: () => Math.random(),
    sleep,
    signal,
    onUrgent,
    ask: async ({ accessible, colored }) => {
      const { stdin: input, stderr: output, env } = process;
      if (accessible || env['TERM'] === 'dumb')
        return (await import('./prompts/accessible.ts')).accessiblePrompts({
          input,
          output,
          signal,
        });
      // Node colours the prompts, by these two variables and by the type of stdout.
      delete env['NO_COLOR'];
      env['FORCE_COLOR'] = colored ? '1' : '0';
      const { terminalPrompts } = await import('./prompts/terminal.ts');
      return terminalPrompts({ input, output, signal });
    },
    liveProgress: async (as) => {
      const { stderr: stream, stdout: other, env } = process;
      const drawable = stream.isTTY && stream.columns > 0 && env['TERM'] !== 'dumb' && !env['CI'];
      if (!drawable) return undefined;
      const { liveBlock, liveLine } = await import('./output/progress.ts');
      return as === 'block' ? liveBlock(stream, other) : liveLine(stream);
    },
    keychain: async () => {
      const { systemKeychain } = await import('./config/auth/keychain.ts');
      const node = process.execPath;
      return systemKeychain({ node, folder: __dirname, env: environment, signal });
    },
    browse: async (url) => {
      const { default: open } = await import('open');
      await open(url);
    },
    configDir: () => configDirFrom(process.env, homeFolder, process.platform),
    stateDir: () => stateDirFrom(process.env, homeFolder, process.platform),
    homeDir: homeFolder,
  };
}

/**
 * An uncaught error also ends the command in order, so that sent requests are reported; a second one exits at once.
 */
function listenForFaults({ abort }: Signals): void {
  process.on('uncaughtException', (error) => {
    if (process.exitCode === 1) process.exit(1);
    process.exitCode = 1;
    abort(internalFailure(error));
  });
}

/** The maximum wait time, after a signal, for a reader that has stopped reading. */
const LAST_FLUSH_MS = 2_000;

/** Runs a command line (without node and script) in this process and sets the exit code. Never rejects. */
export async function main(argv: readonly string[]): Promise<void> {
  const stdout = createStream(1, () => process.stdout);
  const stderr = createStream(2, () => process.stderr);
  const signals = catchSignals();
  listenForFaults(signals);
  let exitCode: number;
  try {
    exitCode = await runProgram(argv, createHost(signals, [stdout, stderr]));
    if (exitCode !== 0) process.exitCode = exitCode;
    // A command that ended well in spite of an uncaught error has not reported that one.
    else if (process.exitCode === 1) throw signals.signal.reason;
  } catch (error) {
    // `runProgram` could not report this error itself.
    const failure = asFailure(error);
    const { what, hint } = failure.facts;
    process.exitCode = exitCode = failure.exitCode;
    process.stderr.write(`error: ${what}\n${hint === undefined ? '' : `  ${hint}\n`}`);
  }
  // After a signal this ends the process by the same signal; without one there is none.
  const end = signals.endOf(exitCode);
  // Node ends the process by itself, once both streams are written.
  if (end === undefined) return;
  const timeLimit = new Promise((resolve) => setTimeout(resolve, LAST_FLUSH_MS));
  await Promise.race([Promise.all([stdout.flushed(), stderr.flushed()]), timeLimit]);
  end();
}
