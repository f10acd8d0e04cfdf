// The system's keychain, called in a child process that can be killed: in this process a call that hangs could not be
// cancelled, and its thread would keep the program alive. A keychain that is absent, locked, denied or silent rejects:
// a login then stores its token in a file, and a call that needs the token fails.

import { execa } from 'execa';
import { ownJson } from '../../base/json.ts';
import type { Keychain } from '../../base/runtime.ts';

const TIMEOUT_MS = 3000;

/** The environment in which the child process starts. */
interface KeychainHost {
  readonly node: string;
  /** A folder from which the keychain's package can be resolved. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/**
 * The program of the child. It reads its request from standard input, never from an argument. With a handler for
 * SIGUSR1, Node opens no debugger in a process that holds a secret.
 */
const CHILD_PROGRAM = `
process.on('SIGUSR1', () => {});
let text = '';
process.stdin.on('data', (chunk) => (text += chunk)).on('end', () => {
  let response;
  try {
    const { Entry } = require('@napi-rs/keyring');
    const { act, name, secret } = JSON.parse(text);
    const entry = new Entry('social', name);
    if (act === 'write') entry.setPassword(secret);
    else if (act === 'remove') entry.deletePassword();
    response = { value: act === 'read' ? entry.getPassword() : null };
  } catch (error) {
    response = { error: error.message };
  }
  process.stdout.write(JSON.stringify(response));
});`;

/** The keychain of this user's session. Each call rejects after 3 seconds without a response. */
export function systemKeychain({ node, folder, env, signal }: KeychainHost): Keychain {
  const ask = async (act: 'read' | 'write' | 'remove', name: string, secret?: string) => {
    const { stdout, timedOut } = await execa(node, ['-e', CHILD_PROGRAM], {
      cwd: folder,
      input: JSON.stringify({ act, name, secret }),
      reject: false,
      cancelSignal: signal,
      timeout: TIMEOUT_MS,
      killSignal: 'SIGKILL',
      stderr: 'ignore',
      extendEnv: false,
      // The child needs no token.
      env: { ...env, SOCIAL_TOKEN: undefined },
    });
    signal.throwIfAborted();
    if (timedOut) throw new Error(`the keychain did not respond within ${TIMEOUT_MS / 1000}s`);
    // A response that is not JSON is not quoted, because it may contain a secret.
    const { value, error } = (ownJson(stdout) ?? { error: 'the keychain cannot be used' }) as {
      readonly value?: string | null;
      readonly error?: string;
    };
    if (error !== undefined) throw new Error(error);
    return value ?? undefined;
  };
  return {
    read: (name) => ask('read', name),
    write: async (name, secret) => void (await ask('write', name, secret)),
    remove: async (name) => void (await ask('remove', name)),
  };
}
