// The system's keychain, where there is one that answers. Absent, locked, denied or silent all mean the same
// to the caller: not available. Loaded only when a token is kept there or is to be.

import type { Keychain } from '../world.ts';

const PATIENCE_MS = 3000;
const SERVICE = 'social';

async function entry(name: string) {
  const { AsyncEntry } = await import('@napi-rs/keyring');
  return new AsyncEntry(SERVICE, name);
}

/** The keychain of this user's session. Each call rejects within 3 seconds when it does not answer. */
export function systemKeychain(): Keychain {
  return {
    read: (name) =>
      within(async (signal) => (await (await entry(name)).getPassword(signal)) ?? undefined),
    write: (name, secret) =>
      within(async (signal) => (await entry(name)).setPassword(secret, signal)),
    remove: (name) =>
      within(async (signal) => void (await (await entry(name)).deletePassword(signal))),
  };
}

/** A call that a keychain may never answer: a locked one can wait for a dialogue that nobody sees. */
async function within<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      stop.abort();
      reject(new Error(`the keychain did not answer within ${PATIENCE_MS / 1000} s`));
    }, PATIENCE_MS);
  });
  try {
    return await Promise.race([call(stop.signal), tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
