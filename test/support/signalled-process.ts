// Ends the built program by a signal, and reports how it ended, as a shell sees it, and how soon.

import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { execa, type Subprocess } from 'execa';
import { onTestFinished } from 'vitest';
import { assertNoToken } from './token-leak-check.ts';
import { launcher } from './launcher.ts';
import { bareEnv, freshHome } from './program.ts';
import { needsUnix } from './unix.ts';

export interface ProcessResult {
  readonly code: number | null;
  /** The signal that ended the process. */
  readonly by: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningProcess {
  readonly child: Subprocess;
  readonly ended: Promise<ProcessResult>;
  stderr(): string;
}

export interface ProcessOptions {
  readonly home?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts the program; its standard input stays open and silent. */
export function startProcess(
  argv: readonly string[],
  { home = freshHome(), env }: ProcessOptions = {},
): RunningProcess {
  const child = execa(process.execPath, [launcher, ...argv], {
    env: bareEnv(home, env),
    extendEnv: false,
    reject: false,
    stripFinalNewline: false,
    forceKillAfterDelay: false,
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stderr.on('data', (text) => void (said += String(text)));
  const ended = child.then(({ exitCode = null, signal = null, stdout, stderr }) => {
    assertNoToken({ argv, stdout, stderr });
    return { code: exitCode, by: signal, stdout, stderr };
  });
  return { child, ended, stderr: () => said };
}

export async function waitUntil(holds: () => boolean): Promise<void> {
  while (!holds()) await pause(5);
}

/** True so long after it was first asked, which is when the program handles its signals. */
export function after(ms: number): () => boolean {
  let start: number | undefined;
  return () => performance.now() - (start ??= performance.now()) > ms;
}

/** Waits until the program handles its signals; Node handles those that come before. */
async function signalHandlersReady({
  pid,
  exitCode,
}: {
  readonly pid?: number | undefined;
  readonly exitCode: number | null;
}): Promise<void> {
  needsUnix('signals');
  const status = `/proc/${pid}/status`;
  if (!existsSync(status)) return pause(exitCode === null ? 500 : 0);
  const hangUp = 1n << BigInt(constants.signals.SIGHUP - 1);
  await waitUntil(() => {
    const caught = /^SigCgt:\s*([0-9a-f]+)/m.exec(readFileSync(status, 'utf8'))?.[1] ?? '0';
    return (BigInt(`0x${caught}`) & hangUp) !== 0n;
  });
}

/** Sends the signal once `ready` is true. `ms` is the time from the signal to the end. */
export async function runAndSignal(
  argv: readonly string[],
  signal: NodeJS.Signals,
  ready: (running: RunningProcess) => boolean,
  setting: ProcessOptions = {},
): Promise<ProcessResult & { readonly ms: number }> {
  needsUnix('signals');
  const running = startProcess(argv, setting);
  await signalHandlersReady(running.child);
  await waitUntil(() => ready(running));
  const at = performance.now();
  running.child.kill(signal);
  const ended = await running.ended;
  return { ...ended, ms: performance.now() - at };
}
