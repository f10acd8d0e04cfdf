// Signals. The first SIGINT, SIGTERM or SIGHUP ends the command in order, a second one ends it at once. Both ways the
// process dies of the signal itself, so that a shell ends the loop around the command. bin/ ignores SIGUSR1, because
// Node would open a debugger for every user of the machine.

import { fstatSync } from 'node:fs';
import { isatty } from 'node:tty';
import { Failure, failureKinds, ifPossible, type SignalKind, signalOf } from './base/errors.ts';
import type { Runtime } from './base/runtime.ts';

const signalOfKind = {
  interrupted: 'SIGINT',
  terminated: 'SIGTERM',
  hung_up: 'SIGHUP',
} as const satisfies Record<SignalKind, NodeJS.Signals>;

/**
 * `timeout` signals the process and its group, a closed terminal also through the shell: two signals within this time
 * are one.
 */
const SAME_SIGNAL_MS = 50;
/** The milliseconds for a command to save and report after the second signal. */
const URGENT_MS = 1000;

export interface Signals extends Pick<Runtime, 'signal' | 'onUrgent'> {
  /** Ends the command in order, as a signal would. */
  abort(why: Failure): void;
  /**
   * Returns a function that ends the process by the signal that came, or that the exit code stands for; `undefined` if
   * there is neither.
   */
  endOf(exitCode: number): (() => never) | undefined;
}

/** Handles the signals of the process. */
export function catchSignals(): Signals {
  const interruption = new AbortController();
  const urgent = new Set<() => void>();
  let latest: { readonly kind: SignalKind; readonly at: number } | undefined;
  let isEnding = false;

  const handle = (kind: SignalKind) => {
    const before = latest;
    const at = performance.now();
    if (before?.kind === kind && at - before.at < SAME_SIGNAL_MS) return;
    latest = { kind, at };
    if (before === undefined) {
      // Code that has sent a request replaces this message.
      const facts = {
        what: 'cancelled',
        nothingWas: 'sent',
        sent: false,
        retryable: false,
      } as const;
      interruption.abort(new Failure(kind, facts));
      // The second of two at once is heard when this is done, however long it takes on a busy machine.
      latest = { kind, at: performance.now() };
      return;
    }
    // A third signal: the process ends in a moment anyway.
    if (isEnding) return;
    if (urgent.size === 0) endBy(kind);
    isEnding = true;
    for (const stop of urgent) stop();
    setTimeout(() => endBy(kind), URGENT_MS);
  };
  for (const kind of Object.keys(signalOfKind) as SignalKind[])
    process.on(signalOfKind[kind], () => handle(kind));

  return {
    signal: interruption.signal,
    abort: (why) => interruption.abort(why),
    onUrgent(stop) {
      urgent.add(stop);
      return () => void urgent.delete(stop);
    },
    endOf(exitCode) {
      const kind = latest?.kind ?? signalOf(exitCode);
      // Ctrl-C at a prompt is only a key, so the signal is still to be sent to the whole group (0), as a terminal does.
      // A signal that came has reached the others already.
      const to = latest === undefined ? 0 : process.pid;
      return kind === undefined ? undefined : () => endBy(kind, to);
    },
  };
}

/** Restores the terminal and shared pipes. Node does so itself, except when it dies of a signal. */
function restoreStreams(): void {
  if (isatty(0) && process.stdin.isRaw) process.stdin.setRawMode(false);
  // Node made a shared pipe non-blocking for other processes too. Starting any program on it undoes that.
  if ([0, 1, 2].some(isPipe))
    process
      .getBuiltinModule('node:child_process')
      .spawnSync('true', { stdio: 'inherit', env: {}, timeout: 200 });
}

function isPipe(fd: number): boolean {
  const found = ifPossible(() => fstatSync(fd));
  return found !== undefined && (found.isFIFO() || found.isSocket());
}

/** Ends the process by a signal and never returns. The exit code is for systems without signals. */
function endBy(kind: SignalKind, to = process.pid): never {
  process.once('exit', () => {
    if (process.platform === 'win32') return;
    restoreStreams();
    const signal = signalOfKind[kind];
    process.removeAllListeners(signal);
    process.kill(to, signal);
  });
  process.exit(failureKinds[kind].exitCode);
}
