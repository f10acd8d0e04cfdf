// Signals. The first SIGINT, SIGTERM or SIGHUP ends the command in order, a second one ends it at once, and both ways
// the process dies of the signal itself: a shell sees that, and ends the loop that the command stands in. SIGUSR1
// asks how far the command is; left to Node, it would open a debugger to every user of the machine.

import { spawnSync } from 'node:child_process';
import { fstatSync } from 'node:fs';
import { isatty } from 'node:tty';
import { Failure, failureKinds, signalOf, type SignalKind } from './base/errors.ts';
import type { Runtime } from './base/runtime.ts';

const signalOfKind = {
  interrupted: 'SIGINT',
  terminated: 'SIGTERM',
  hung_up: 'SIGHUP',
} as const satisfies Record<SignalKind, NodeJS.Signals>;

/** `timeout` sends its signal to the process and to its group, a closed terminal by way of the shell too: one meant. */
const SAME_MS = 50;
/** Milliseconds that a command gets at the second signal, where it has something to save and to say. */
const LAST_MS = 1000;

export interface Signals extends Pick<Runtime, 'signal' | 'onQuestion' | 'onUrgent'> {
  /** Ends the command in order, as a signal would. */
  abort(why: Failure): void;
  /** Ends the process by the signal that came, or that the exit code stands for; nothing where there is neither. */
  endOf(exitCode: number): (() => never) | undefined;
}

/** Takes the signals of the process over. `say` writes a line for the user; `elapsed` is how long it has run. */
export function catchSignals(say: (line: string) => void, elapsed: () => number): Signals {
  const interruption = new AbortController();
  const questions = new Set<() => string>();
  const urgent = new Set<() => void>();
  let came: { readonly kind: SignalKind; readonly at: number } | undefined;
  let isLast = false;

  const take = (kind: SignalKind) => {
    const before = came;
    const at = elapsed();
    if (before?.kind === kind && at - before.at < SAME_MS) return;
    came = { kind, at };
    if (before === undefined) {
      // Who sends something in spite of it says so instead.
      const what = 'cancelled; nothing was sent';
      return interruption.abort(new Failure(kind, { what, sent: false, retryable: false }));
    }
    // It ends in a moment anyway, and has something to say.
    if (isLast) return;
    if (urgent.size === 0) return endBy(kind);
    isLast = true;
    for (const stop of urgent) stop();
    setTimeout(() => endBy(kind), LAST_MS);
  };
  for (const kind of Object.keys(signalOfKind) as SignalKind[])
    process.on(signalOfKind[kind], () => take(kind));
  process.on('SIGUSR1', () => {
    const tell = [...questions].at(-1);
    say(tell?.() ?? `running for ${Math.round(elapsed() / 1000)}s`);
  });

  return {
    signal: interruption.signal,
    abort: (why) => interruption.abort(why),
    onQuestion: (tell) => added(questions, tell),
    onUrgent: (stop) => added(urgent, stop),
    endOf(exitCode) {
      const kind = came?.kind ?? signalOf(exitCode);
      // Ctrl-C at a prompt is a key: the terminal would have sent it to all that runs in front.
      const to = came === undefined ? 0 : process.pid;
      return kind === undefined ? undefined : () => endBy(kind, to);
    },
  };
}

function added<T>(all: Set<T>, one: T): () => void {
  all.add(one);
  return () => void all.delete(one);
}

/** Leaves the terminal and pipes to others as they were. Node does so itself, but not when a signal is the end. */
function leaveStreams(): void {
  if (isatty(0) && process.stdin.isRaw) process.stdin.setRawMode(false);
  // A pipe is shared, and Node made it one that answers "try again" to others too. Starting any program on it undoes that.
  if ([0, 1, 2].some(isPipe)) spawnSync('true', { stdio: 'inherit', env: {}, timeout: 200 });
}

function isPipe(fd: number): boolean {
  try {
    const kind = fstatSync(fd);
    return kind.isFIFO() || kind.isSocket();
  } catch {
    return false;
  }
}

/** Never returns. The exit code is for systems without signals. */
function endBy(kind: SignalKind, to = process.pid): never {
  process.once('exit', () => {
    if (process.platform === 'win32') return;
    leaveStreams();
    const signal = signalOfKind[kind];
    process.removeAllListeners(signal);
    process.kill(to, signal);
  });
  process.exit(failureKinds[kind].exitCode);
}
