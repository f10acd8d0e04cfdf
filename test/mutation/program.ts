// Stands in for `test/support/program.ts` while mutants are judged: the same command line over the same real files,
// sockets and clock, but in this process, where the mutants are. A test that needs a process of its own (a shell,
// a signal, a program that is killed) says nothing here and is left out. One that looks like one of Windows is this
// one, for as long as the program runs.

import fs, { mkdtempSync, rmSync } from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import os, { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished, TestRunner } from 'vitest';

import { assertNoToken } from '../support/token-leak-check.ts';
import type { OutputStream, Host } from '../../src/base/runtime.ts';
import { runningClock, setRunningTimeout } from '../../src/base/running-clock.ts';
import { systemKeychain } from '../../src/config/auth/keychain.ts';
import { configDirFrom, stateDirFrom } from '../../src/base/paths.ts';
import { runProgram } from '../../src/program.ts';

export const root = fileURLToPath(new URL('../../', import.meta.url));
export const launcher = join(root, 'bin/social.js');

export function freshHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'social-home-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

export interface Setting {
  readonly home?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

/** Asked for by tests that start a process: these are left out. */
export function bareEnv(home: string, env: Setting['env'] = {}) {
  skipTest();
  return environment(home, env);
}

const environment = (home: string, env: Setting['env'] = {}): Env => ({
  PATH: process.env['PATH'],
  HOME: home,
  LANG: 'C.UTF-8',
  ...env,
});

function skipTest(): void {
  TestRunner.getCurrentTest()?.context.skip('needs a process of its own');
}

export function begin(): never {
  skipTest();
  throw new Error('needs a process of its own');
}

export function shell(): never {
  return begin();
}

/** Runs `social` to its end, in this process. Rejects only when it showed a token. */
export async function social(argv: readonly string[], setting: Setting = {}) {
  const home = setting.home ?? freshHome();
  const env = environment(home, setting.env);
  const isWindows = env['NODE_OPTIONS'] === `--require ${JSON.stringify(AS_WINDOWS)}`;
  // What else is said to Node itself is for a process of its own.
  const isForNode = (name: string) => /^(?:NODE_(?!TLS)|PEAK)/.test(name) && !isWindows;
  if (Object.keys(env).some(isForNode)) skipTest();
  const undo = [
    ...[...PASSED_ON, ...(isWindows ? PROFILE : [])]
      .filter((name) => env[name] !== undefined)
      .map((name) => setVariable(name, env[name])),
    ...(isWindows ? [becomeWindows()] : []),
  ];
  const undoAll = () => undo.splice(0).forEach((each) => each());
  // A run that a change keeps from ending does not come to its own end.
  onTestFinished(undoAll);
  try {
    return await inThisProcess(argv, setting, home, env);
  } finally {
    undoAll();
  }
}

type Env = Readonly<Record<string, string | undefined>>;
const AS_WINDOWS = fileURLToPath(new URL('../support/as-windows.cjs', import.meta.url));

/** Variables that Node reads while it runs. */
const PASSED_ON = ['TMPDIR', 'NODE_TLS_REJECT_UNAUTHORIZED'];
const PROFILE = ['HOME', 'APPDATA', 'LOCALAPPDATA'];

/** Sets a variable of this process, until the function that it returns is called. */
function setVariable(name: string, value: string | undefined): () => void {
  const before = process.env[name];
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
  return () => void setVariable(name, before);
}

/** Shows this process what Windows would, until the function that it returns is called. */
function becomeWindows(): () => void {
  const changed = [process, fs, os].map(
    (of) => [of, Object.getOwnPropertyDescriptors(of)] as const,
  );
  os.platform = () => 'win32';
  const require = createRequire(import.meta.url);
  delete require.cache[AS_WINDOWS];
  require(AS_WINDOWS);
  syncBuiltinESMExports();
  return () => {
    for (const [of, properties] of changed)
      for (const [name, property] of Object.entries(properties)) {
        const now = Object.getOwnPropertyDescriptor(of, name);
        if (now?.value !== property.value) Object.defineProperty(of, name, property);
      }
    syncBuiltinESMExports();
  };
}

async function inThisProcess(argv: readonly string[], setting: Setting, home: string, env: Env) {
  const said = { stdout: '', stderr: '' };
  const ended = new AbortController();
  const sink = (name: 'stdout' | 'stderr'): OutputStream => ({
    isTTY: false,
    columns: undefined,
    write: async (text) => void (said[name] += text),
  });
  const milliseconds = () => performance.now();
  const monotonic = runningClock(milliseconds);
  const runtime: Host = {
    program: {
      node: process.version,
      platform: process.platform,
      arch: process.arch,
      folder: join(root, 'dist'),
    },
    env,
    stdin: {
      isTTY: false,
      async *chunks() {
        if (setting.input) yield Buffer.from(setting.input);
      },
    },
    stdout: sink('stdout'),
    stderr: sink('stderr'),
    now: () => Date.now(),
    monotonic,
    random: () => Math.random(),
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const stop = () => {
          cancel();
          reject(signal.reason as Error);
        };
        const cancel = setRunningTimeout(
          ms,
          () => {
            signal.removeEventListener('abort', stop);
            resolve();
          },
          milliseconds,
        );
        if (signal.aborted) stop();
        else signal.addEventListener('abort', stop, { once: true });
      }),
    signal: ended.signal,
    onQuestion: () => () => undefined,
    onUrgent: () => () => undefined,
    onExit: (run) => run(),
    ask: () => Promise.reject(new Error('nobody is there to be asked')),
    liveProgress: async () => undefined,
    keychain: async () =>
      systemKeychain({
        node: process.execPath,
        folder: join(root, 'dist'),
        env,
        signal: ended.signal,
        monotonic,
      }),
    configDir: () => configDirFrom(env, () => home, process.platform),
    stateDir: () => stateDirFrom(env, () => home, process.platform),
  };
  const exitCode = await runProgram(argv, runtime);
  assertNoToken({ ...said, argv, env: setting.env });
  return { exitCode, ...said, signal: undefined, failed: exitCode !== 0, isTerminated: false };
}
