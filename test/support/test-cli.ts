// Runs the program in this process with captured streams, a clock that the test moves, and a temporary folder. Nothing is
// mocked: the sandbox uses a real file, and servers real sockets.

import { join } from 'node:path';
import { runProgram } from '../../src/program.ts';
import type { Prompts, Keychain, Progress, Host } from '../../src/base/runtime.ts';
import { assertExitCodeIsListed, assertSuggestionsWork } from './suggestions.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { assertNoToken } from './token-leak-check.ts';

export { temporaryFolder } from './temporary-folder.ts';

export interface RunOptions {
  env?: Record<string, string>;
  /** The width of the terminal; without it the streams are pipes. */
  columns?: number | undefined;
  readonly rows?: number | undefined;
  stdin?: string;
  ask?: Partial<Prompts>;
  /** The keychain of the system; without it there is none. */
  keychain?: Keychain;
  /** The clock, in milliseconds since 1970. */
  now?: number;
  /** The value of every random number, from 0 to 1. */
  random?: number;
  /** Real time counts too, for a service that does not respond. */
  inRealTime?: boolean;
  /** The progress line that is drawn in place; without it there is none. */
  live?: Progress;
  /** Called with the whole text of stderr after each write. */
  onStderr?: (text: string) => void;
  /** Stops the command. */
  signal?: AbortSignal;
}

export interface Outcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Every story runs at noon of this day. */
export const NOON = Date.UTC(2026, 2, 2, 12);

/** Returns a function that runs command lines with one folder and one clock. */
export function testCli(folder = temporaryFolder()) {
  const clock = { now: NOON };
  const social = async (argv: readonly string[], scene: RunOptions = {}): Promise<Outcome> => {
    const said = { stdout: '', stderr: '' };
    const exitCode = await runProgram(argv, testRuntime(folder, clock, scene, said));
    assertNoToken({ argv, env: scene.env, ...said });
    assertSuggestionsWork(argv, said.stderr);
    assertExitCodeIsListed(argv, exitCode);
    return { exitCode, ...said };
  };
  return { social, clock, folder };
}

/** Makes a runtime for the program; `said` collects its output. */
export function testRuntime(
  folder: string,
  clock: { now: number },
  scene: RunOptions,
  said: { stdout: string; stderr: string },
): Host {
  const isTTY = scene.columns !== undefined;
  const sink = (name: 'stdout' | 'stderr') => ({
    isTTY,
    columns: scene.columns,
    rows: scene.rows,
    write: async (text: string) => {
      said[name] += text;
      if (name === 'stderr') scene.onStderr?.(said.stderr);
    },
  });
  return {
    program: { node: 'v20.19.0', platform: 'linux', arch: 'x64', folder: join(folder, 'program') },
    env: { LANG: 'C.UTF-8', ...scene.env },
    stdin: {
      isTTY,
      async *chunks() {
        yield Buffer.from(scene.stdin ?? '');
      },
    },
    stdout: sink('stdout'),
    stderr: sink('stderr'),
    now: () => clock.now,
    monotonic: () => clock.now + (scene.inRealTime === true ? performance.now() : 0),
    random: () => scene.random ?? 0.5,
    sleep: async (ms) => void (clock.now += ms),
    signal: scene.signal ?? new AbortController().signal,
    onUrgent: () => () => undefined,
    ask: async () => scene.ask as Prompts,
    liveProgress: async () => scene.live,
    keychain: async () => scene.keychain ?? noKeychain,
    configDir: () => join(folder, 'config'),
    stateDir: () => join(folder, 'state'),
    homeDir: () => join(folder, 'home'),
  };
}

const absent = async () => Promise.reject(new Error('no keychain on this machine'));
const noKeychain: Keychain = { read: absent, write: absent, remove: absent };
