// Tokens that `auth login` stores: in the system's keychain, or in a private file. Each is stored with its origin, and
// is never returned for another.

import { join } from 'node:path';
import * as z from 'zod/mini';
import { unsentFailure } from '../../base/errors.ts';
import { ownProperty, without } from '../../base/json.ts';
import { fileNames } from '../../base/paths.ts';
import type { Runtime } from '../../base/runtime.ts';
import { readIfPresent } from '../../fs/safe-read.ts';
import { decodeUtf8 } from '../../base/utf8.ts';
import { changeFile } from '../file.ts';

export type TokenHome = 'keychain' | 'file';

const MAX_BYTES = 1024 * 1024;
/** A token with the origin of its service, `https://api.example:8443`. */
const entrySchema = z.object({ token: z.string(), origin: z.string() });
const entriesSchema = z.record(z.string(), entrySchema);

export type StoredToken = Readonly<z.output<typeof entrySchema>>;
type Entries = z.output<typeof entriesSchema>;

/** The file for tokens that are not in the keychain. */
export const credentialsPath = (runtime: Runtime): string =>
  join(runtime.configDir(), fileNames.credentials);

/** Loads the token of a context; `undefined` if there is none. Throws `Failure('local_io')` if it cannot be read. */
export async function loadToken(
  context: string,
  home: TokenHome,
  runtime: Runtime,
): Promise<StoredToken | undefined> {
  if (home === 'file') return ownProperty(readEntries(runtime), context);
  try {
    const text = await (await runtime.keychain()).read(context);
    return text === undefined ? undefined : entrySchema.parse(JSON.parse(text));
  } catch (error) {
    runtime.signal.throwIfAborted();
    throw unsentFailure('local_io', {
      what: `cannot read the token of ${context}: ${(error as Error).message}`,
      hint: 'unlock the keychain, or store the token in a file: social auth login --insecure-storage',
      cause: error,
    });
  }
}

/** Stores a token in the keychain; in a file if there is none or `fileOnly`. Returns the place and a message. */
export async function storeToken(
  context: string,
  entry: StoredToken,
  fileOnly: boolean,
  runtime: Runtime,
): Promise<{ home: TokenHome; message: string }> {
  if (!fileOnly && (await writeToKeychain(context, JSON.stringify(entry), runtime))) {
    await changeEntries(runtime, (entries) => without(entries, context));
    return { home: 'keychain', message: 'token stored in the system’s keychain' };
  }
  await changeEntries(runtime, (entries) => ({ ...entries, [context]: entry }));
  const path = credentialsPath(runtime);
  return {
    home: 'file',
    message: `${fileOnly ? '' : 'no keychain available; '}token stored in ${path}`,
  };
}

/** Writes a secret to the keychain. True only if it can be read back: a broken keychain may lose it silently. */
async function writeToKeychain(name: string, secret: string, runtime: Runtime): Promise<boolean> {
  try {
    const keychain = await runtime.keychain();
    await keychain.write(name, secret);
    return (await keychain.read(name)) === secret;
  } catch {
    runtime.signal.throwIfAborted();
    return false;
  }
}

/**
 * Deletes a token from the file, and from its keychain if it is there, and checks that it is gone. Throws
 * `Failure('local_io')` if it is not.
 */
export async function deleteToken(
  context: string,
  home: TokenHome | undefined,
  runtime: Runtime,
): Promise<void> {
  await changeEntries(runtime, (entries) => without(entries, context));
  if (home !== 'keychain') return;
  let hint: string | undefined;
  try {
    const keychain = await runtime.keychain();
    await keychain.remove(context);
    if ((await keychain.read(context)) === undefined) return;
  } catch (error) {
    hint = (error as Error).message;
  }
  const what = `the keychain may still contain the token of ${context}`;
  throw unsentFailure('local_io', { what, hint });
}

function readEntries(runtime: Runtime): Entries {
  const path = credentialsPath(runtime);
  const bytes = readIfPresent(path, MAX_BYTES, 'private');
  if (bytes === undefined) return {};
  try {
    return entriesSchema.parse(JSON.parse(decodeUtf8(bytes) ?? ''));
  } catch {
    // The parser's own error would quote the text, which contains a token.
    throw unsentFailure('local_io', {
      what: `${path} is damaged`,
      hint: 'rename it, then run: social auth login',
    });
  }
}

const changeEntries = (runtime: Runtime, change: (entries: Entries) => Entries): Promise<void> =>
  changeFile(credentialsPath(runtime), runtime, () => readEntries(runtime), change);
