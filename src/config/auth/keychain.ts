// The system's keychain, asked in a process of its own: one that hangs or crashes must not take the command along.

import { execa } from 'execa';
import { setRunningTimeout } from '../../base/running-clock.ts';
import type { Keychain } from '../../base/runtime.ts';

// The system's keychain, where there is one that answers. Absent, locked, denied or silent all mean the same
// to the caller: not available. A program of its own asks it, for a call that is never answered cannot be taken back:
// its thread would keep the process from ending.

const PATIENCE_MS = 3000;

/** Where the program is, and what runs it. */
export interface KeychainHost {
  readonly node: string;
  /** A folder from which the keychain's package is found. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Nobody waits for an answer any more once it has aborted. */
  readonly signal: AbortSignal;
}

/** What the other program does: the question comes in on its standard input, never as an argument. */
const ASK = `
process.on('SIGUSR1', () => {});
let text = '';
process.stdin.on('data', (chunk) => (text += chunk)).on('end', () => {
  let answer;
  try {
    const { Entry } = require('@napi-rs/keyring');
    const { act, name, secret } = JSON.parse(text);
    const entry = new Entry('social', name);
    if (act === 'write') entry.setPassword(secret);
    else if (act === 'remove') entry.deletePassword();
    answer = { value: act === 'read' ? entry.getPassword() : null };
  } catch (error) {
    answer = { error: error.message };
  }
  process.stdout.write(JSON.stringify(answer));
});`;

/** The keychain of this user's session. Each call rejects within 3 seconds when it does not answer. */
export function systemKeychain(host: KeychainHost): Keychain {
  return {
    read: async (name) => (await put({ act: 'read', name }, host)) ?? undefined,
    write: async (name, secret) => void (await put({ act: 'write', name, secret }, host)),
    remove: async (name) => void (await put({ act: 'remove', name }, host)),
  };
}

interface Question {
  readonly act: 'read' | 'write' | 'remove';
  readonly name: string;
  readonly secret?: string;
}

async function put(
  question: Question,
  { node, folder, env, signal }: KeychainHost,
): Promise<string | null> {
  const late = new AbortController();
  const cancel = setRunningTimeout(PATIENCE_MS, () => late.abort());
  const { stdout, isCanceled } = await execa(node, ['-e', ASK], {
    cwd: folder,
    input: JSON.stringify(question),
    reject: false,
    cancelSignal: AbortSignal.any([signal, late.signal]),
    killSignal: 'SIGKILL',
    stderr: 'ignore',
    extendEnv: false,
    env: { ...env, SOCIAL_TOKEN: undefined },
  });
  cancel();
  signal.throwIfAborted();
  if (isCanceled) throw new Error(`the keychain did not answer within ${PATIENCE_MS / 1000} s`);
  const { value, error } = answerIn(stdout);
  if (error !== undefined) throw new Error(error);
  return value ?? null;
}

/** What the other program said; it may hold a secret, so nothing of it is quoted. */
function answerIn(text: string): { readonly value?: string | null; readonly error?: string } {
  try {
    return JSON.parse(text) as { value?: string | null; error?: string };
  } catch {
    return { error: 'the keychain cannot be asked' };
  }
}
