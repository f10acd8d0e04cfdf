// Tokens that `auth login` keeps: in the system's keychain, or in a private file. Each is kept with the origin
// it was given for, and is never handed out for another.

import { isUtf8 } from 'node:buffer';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { Failure } from '../errors.ts';
import { withFileLock } from '../files/file-lock.ts';
import { checkPlace, readPrivate } from '../files/private.ts';
import { saveFile } from '../files/save.ts';
import type { World } from '../world.ts';
import { own } from '../json.ts';

export interface StoredToken {
  readonly token: string;
  /** `https://api.example:8443` */
  readonly origin: string;
}

export type TokenHome = 'keychain' | 'file';

const MAX_BYTES = 1024 * 1024;
const Entry = z.object({ token: z.string(), origin: z.string() });
const Entries = z.record(z.string(), Entry);

/** Where tokens are kept that no keychain took. */
export const credentialsPath = (world: World): string =>
  join(world.configDir(), 'credentials.json');

/** The token of a context, `undefined` where there is none. Throws `Failure('local_io')` when its home cannot be read. */
export async function loadToken(
  context: string,
  home: TokenHome,
  world: World,
): Promise<StoredToken | undefined> {
  if (home === 'file') return own(readEntries(world), context);
  try {
    const text = await (await world.keychain()).read(context);
    return text === undefined ? undefined : Entry.parse(JSON.parse(text));
  } catch (error) {
    world.signal.throwIfAborted();
    throw new Failure('local_io', {
      what: `the keychain does not give the token of ${context}: ${(error as Error).message}`,
      hint: 'unlock it, or keep the token in a file: social auth login --insecure-storage',
      sent: false,
      cause: error,
    });
  }
}

/** Keeps a token, in the keychain unless it does not answer or the file is asked for. Tells where it went, and why. */
export async function keepToken(
  context: string,
  entry: StoredToken,
  fileOnly: boolean,
  world: World,
): Promise<{ home: TokenHome; why: string }> {
  if (!fileOnly) {
    try {
      const keychain = await world.keychain();
      await keychain.write(context, JSON.stringify(entry));
      // A keychain that is not there may swallow a write: only what can be read back was kept.
      if ((await keychain.read(context)) === JSON.stringify(entry)) {
        await changeEntries(world, (entries) => without(entries, context));
        return { home: 'keychain', why: 'the system’s keychain' };
      }
    } catch {
      world.signal.throwIfAborted();
      // Said below: the user learns that the file was used because no keychain answered.
    }
  }
  await changeEntries(world, (entries) => ({ ...entries, [context]: entry }));
  const path = credentialsPath(world);
  return {
    home: 'file',
    why: fileOnly ? `${path}, as asked` : `${path}, for no keychain answered`,
  };
}

/** Removes a token from both homes and reads back that it is gone. Throws `Failure('local_io')` when it is not. */
export async function dropToken(
  context: string,
  home: TokenHome | undefined,
  world: World,
): Promise<void> {
  await changeEntries(world, (entries) => without(entries, context));
  if (home !== 'keychain') return;
  try {
    const keychain = await world.keychain();
    await keychain.remove(context);
    if ((await keychain.read(context)) === undefined) return;
  } catch (error) {
    throw new Failure('local_io', {
      what: `nobody knows whether the keychain still holds the token of ${context}`,
      hint: (error as Error).message,
      sent: false,
      cause: error,
    });
  }
  throw new Failure('local_io', {
    what: `the keychain still holds the token of ${context}`,
    sent: false,
  });
}

type Entries = z.output<typeof Entries>;

function readEntries(world: World): Entries {
  const path = credentialsPath(world);
  const bytes = readPrivate(path, MAX_BYTES);
  if (bytes === undefined) return {};
  try {
    if (!isUtf8(bytes)) throw new SyntaxError('not UTF-8');
    return Entries.parse(JSON.parse(bytes.toString('utf8')));
  } catch {
    // The parser would quote what it read, and that is a token.
    throw new Failure('local_io', {
      what: `${path} is damaged`,
      hint: 'move it away, and run: social auth login',
      sent: false,
    });
  }
}

async function changeEntries(world: World, change: (entries: Entries) => Entries): Promise<void> {
  const path = credentialsPath(world);
  checkPlace(world.configDir());
  const save = () => {
    const before = readEntries(world);
    const after = change(before);
    if (JSON.stringify(after) !== JSON.stringify(before))
      saveFile(path, `${JSON.stringify(after, null, 2)}\n`);
  };
  await withFileLock(path, save, world);
}

function without(entries: Entries, context: string): Entries {
  return Object.fromEntries(Object.entries(entries).filter(([name]) => name !== context));
}
