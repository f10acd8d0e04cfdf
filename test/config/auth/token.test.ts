// Tokens that cannot be used, and where tokens are stored. The origins that get them are in faults/token-sources.test.ts
// and faults/credentials.test.ts, the order of the sources in terminal/contexts.test.ts. The files and programs are real;
// the keychain is part of the test, because the machines that run it have none.

import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

import { temporaryFolder } from '../../support/temporary-folder.ts';
import type { Keychain, Runtime } from '../../../src/base/runtime.ts';
import { adviceOnRefusedToken, findToken } from '../../../src/config/auth/token.ts';
import type { StoredContext } from '../../../src/config/file.ts';
import { Failure } from '../../../src/base/errors.ts';
import {
  credentialsPath,
  type StoredToken,
  storeToken,
  loadToken,
  deleteToken,
} from '../../../src/config/auth/token-store.ts';
import { runTokenCommand } from '../../../src/config/auth/token-command.ts';
import { checkToken } from '../../../src/client/token-probe.ts';
import { resolveSettings } from '../../../src/config/settings.ts';
import { needsUnix } from '../../support/unix.ts';

const ORIGIN = 'https://api.example';
const TOKEN = 'S3cret-token-of-m1ne';

interface Scene {
  readonly env?: Readonly<Record<string, string>>;
  readonly keychain?: Keychain;
  readonly signal?: AbortSignal;
  readonly isTTY?: boolean;
}

function worldOf({ env = {}, keychain, signal, isTTY = false }: Scene = {}): Runtime {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'config'), { mode: 0o700 });
  return {
    env: { PATH: process.env['PATH'], ...env },
    stdin: { isTTY },
    stderr: { isTTY: false, write: async () => undefined },
    signal: signal ?? new AbortController().signal,
    now: Date.now,
    monotonic: () => performance.now(),
    random: () => 0.5,
    note: () => undefined,
    sleep: (ms: number, until: AbortSignal) => pause(ms, undefined, { signal: until, ref: false }),
    configDir: () => join(folder, 'config'),
    keychain: async () => keychain ?? Promise.reject(new Error('no keychain on this machine')),
  } as unknown as Runtime;
}

/** A keychain in memory, of which parts may be broken. */
function keychainOf(held: Record<string, string> = {}, broken: Partial<Keychain> = {}) {
  const keychain: Keychain = {
    read: async (name) => held[name],
    write: async (name, secret) => void (held[name] = secret),
    remove: async (name) => void delete held[name],
    ...broken,
  };
  return { held, keychain };
}

const failing = (kind: string, facts: object) =>
  expect.objectContaining({ kind, facts: expect.objectContaining(facts) as unknown }) as unknown;

describe('the token in use', () => {
  const prod = { baseUrl: ORIGIN } as StoredContext;

  it.each<readonly [what: string, env: Record<string, string>, context: object, why: object]>([
    [
      'of no file',
      { SOCIAL_TOKEN_FILE: '/no/such/file' },
      {},
      { kind: 'local_io', what: 'SOCIAL_TOKEN_FILE: /no/such/file does not exist' },
    ],
    [
      'of a command that prints what cannot be sent',
      {},
      { tokenCommand: [process.execPath, '-p', '"a b"'] },
      {
        kind: 'local_io',
        what: 'the token command’s output contains a character that cannot be sent (position 2)',
      },
    ],
    [
      'nowhere',
      {},
      {},
      {
        kind: 'unauthorized',
        what: `no token for ${ORIGIN} in context prod`,
        why: ['set SOCIAL_TOKEN, or log in; -C sandbox needs none'],
        next: ['social', 'auth', 'login', '-C', 'prod'],
        retryable: false,
      },
    ],
    [
      'that was to be stored and is not',
      {},
      { tokenIn: 'file' },
      { kind: 'unauthorized', what: `no token for ${ORIGIN} in context prod` },
    ],
  ])('%s is rejected before anything is sent', async (_what, env, context, why) => {
    const { kind, ...facts } = why as { kind: string };
    await expect(
      findToken('prod', { ...prod, ...context }, ORIGIN, worldOf({ env })),
    ).rejects.toEqual(failing(kind, { ...facts, sent: false }));
  });

  it('when missing or of another origin: the suggested command keeps the path of the base URL', async () => {
    const context = { ...prod, tokenCommand: ['false'] } as StoredContext;
    const there = 'https://b.example/api/v2;x';
    await expect(findToken('prod', context, there, worldOf())).rejects.toEqual(
      failing('unauthorized', {
        what: `the token command belongs to ${ORIGIN} and is not sent to https://b.example`,
        next: ['social', 'auth', 'login', '-C', { gap: '<name>' }, '--base-url', there],
      }),
    );
    // A login in the context would go to its own service.
    await expect(findToken('prod', prod, there, worldOf())).rejects.toEqual(
      failing('unauthorized', {
        what: 'no token for https://b.example in context prod',
        next: ['social', 'auth', 'login', '-C', { gap: '<name>' }, '--base-url', there],
      }),
    );
    await expect(findToken(undefined, undefined, there, worldOf())).rejects.toEqual(
      failing('unauthorized', {
        what: 'no token for https://b.example',
        next: ['social', 'auth', 'login', '--base-url', there],
      }),
    );
  });

  it('of a file that is too large or damaged is reported with its place', async () => {
    const path = join(temporaryFolder(), 'token');
    writeFileSync(path, 'x'.repeat(16 * 1024 + 1), { mode: 0o600 });
    const env = { SOCIAL_TOKEN_FILE: path };
    await expect(findToken(undefined, undefined, ORIGIN, worldOf({ env }))).rejects.toEqual(
      failing('local_io', { what: `${path} is larger than 16384 bytes` }),
    );
    writeFileSync(path, 'x'.repeat(16 * 1024));
    await expect(findToken(undefined, undefined, ORIGIN, worldOf({ env }))).rejects.toEqual(
      failing('local_io', { what: `the token in ${path} is longer than 8192 bytes` }),
    );
    const runtime = worldOf();
    writeFileSync(
      credentialsPath(runtime),
      JSON.stringify({ prod: { token: 'a b', origin: ORIGIN } }),
      { mode: 0o600 },
    );
    const context = { baseUrl: ORIGIN, tokenIn: 'file' } as StoredContext;
    await expect(findToken('prod', context, ORIGIN, runtime)).rejects.toEqual(
      failing('local_io', {
        what: 'the stored token contains a character that cannot be sent (position 2)',
      }),
    );
  });
});

describe('a token command', () => {
  const run = (line: string, scene?: Scene) => {
    needsUnix('Unix shell');
    return runTokenCommand('prod', ['sh', '-c', line], worldOf(scene));
  };

  it('gives its output, and runs without our token in its environment', async () => {
    expect(await run('printf a-token')).toBe('a-token');
    expect(await run('echo "<$SOCIAL_TOKEN>"', { env: { SOCIAL_TOKEN: TOKEN } })).toBe('<>');
    expect(await run('echo "$OTHER"', { env: { OTHER: 'x' } })).toBe('x');
    // A byte order mark stays, so that it is refused and not dropped.
    expect(await run('printf "\\357\\273\\277x"')).toBe('\ufeffx');
  });

  it('does not read standard input', async () => {
    expect(await run('cat; echo end')).toBe('end');
  });

  it.each([
    ['true', 'printed nothing'],
    ['echo; echo', 'printed nothing'],
    ['echo "  "', 'printed nothing'],
    ['echo a; echo b', 'printed more than one line'],
    ['printf "a\\rb"', 'printed more than one line'],
    ['printf "\\377\\376a\\000"', 'printed UTF-16, not UTF-8'],
    ['exit 3', 'exited with 3'],
    ['echo a; exit 1', 'exited with 1'],
    ['kill -TERM $$', 'exited with SIGTERM'],
  ])('that does `%s` is rejected', async (line, why) => {
    await expect(run(line)).rejects.toEqual(
      failing('local_io', {
        what: `the token command sh ${why}`,
        hint: 'it must print the token alone, on one line; to see the command: social context show prod',
        sent: false,
        retryable: false,
      }),
    );
  });

  it('that does not exist, or prints without end, is rejected', async () => {
    needsUnix('devices and no /proc');
    await expect(runTokenCommand('prod', ['/no/such/program'], worldOf())).rejects.toEqual(
      failing('local_io', { what: 'the token command /no/such/program cannot be run (not found)' }),
    );
    await expect(run('yes')).rejects.toThrow('the token command sh ');
    expect((await run(`head -c 60000 /dev/zero | tr '\\0' x`)).length).toBe(60_000);
  });
});

describe('a stored token', () => {
  const entry: StoredToken = { token: TOKEN, origin: ORIGIN };
  const other: StoredToken = { token: 'another', origin: 'https://b.example' };

  it('is in the keychain when it can be read back, and then in no file', async () => {
    const { held, keychain } = keychainOf();
    const runtime = worldOf({ keychain });
    await storeToken('prod', other, true, runtime);
    expect(await storeToken('prod', entry, false, runtime)).toEqual({
      home: 'keychain',
      message: 'token stored in the system’s keychain',
    });
    expect(held).toEqual({ prod: JSON.stringify(entry) });
    expect(await loadToken('prod', 'keychain', runtime)).toEqual(entry);
    expect(await loadToken('prod', 'file', runtime)).toBeUndefined();
  });

  it.each<readonly [what: string, keychain: Partial<Keychain> | undefined]>([
    ['there is none', undefined],
    ['it swallows what is written', { write: async () => undefined }],
    ['it gives back another', { read: async () => JSON.stringify(other) }],
    ['it cannot be written', { write: async () => Promise.reject(new Error('locked')) }],
    ['it cannot be read', { read: async () => Promise.reject(new Error('locked')) }],
  ])('is in a private file when %s', async (_what, broken) => {
    needsUnix('owners and modes');
    const scene = broken === undefined ? {} : { keychain: keychainOf({}, broken).keychain };
    const runtime = worldOf(scene);
    await storeToken('b', other, true, runtime);
    const path = credentialsPath(runtime);
    expect(await storeToken('prod', entry, false, runtime)).toEqual({
      home: 'file',
      message: `no keychain available; token stored in ${path}`,
    });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ b: other, prod: entry });
    expect(await loadToken('prod', 'file', runtime)).toEqual(entry);
    expect(await loadToken('b', 'file', runtime)).toEqual(other);
    expect(await loadToken('constructor', 'file', runtime)).toBeUndefined();
  });

  it('is only in the file when requested', async () => {
    const { held, keychain } = keychainOf();
    const runtime = worldOf({ keychain });
    expect(await storeToken('prod', entry, true, runtime)).toEqual({
      home: 'file',
      message: `token stored in ${credentialsPath(runtime)}`,
    });
    expect(held).toEqual({});
  });

  it('is not stored once the command was interrupted', async () => {
    const stop = new AbortController();
    const { keychain } = keychainOf(
      {},
      {
        write: async () => {
          stop.abort(new Failure('interrupted', { what: 'cancelled' }));
          throw new Error('locked');
        },
      },
    );
    const runtime = worldOf({ keychain, signal: stop.signal });
    await expect(storeToken('prod', entry, false, runtime)).rejects.toMatchObject({
      kind: 'interrupted',
    });
    expect(await loadToken('prod', 'file', runtime)).toBeUndefined();
  });

  it('that the keychain does not return, or that is invalid, is a failure with a fix', async () => {
    const locked = worldOf({
      keychain: keychainOf({}, { read: async () => Promise.reject(new Error('locked')) }).keychain,
    });
    await expect(loadToken('prod', 'keychain', locked)).rejects.toEqual(
      failing('local_io', {
        what: 'cannot read the token of prod: locked',
        hint: 'unlock the keychain, or store the token in a file: social auth login --insecure-storage',
        sent: false,
      }),
    );
    const odd = worldOf({
      keychain: keychainOf({ a: '{}', b: 'no json', c: '{"token":"x"}' }).keychain,
    });
    for (const name of ['a', 'b', 'c'])
      await expect(loadToken(name, 'keychain', odd)).rejects.toMatchObject({ kind: 'local_io' });
    expect(await loadToken('none', 'keychain', odd)).toBeUndefined();
  });

  it('is deleted from keychain and file', async () => {
    const { held, keychain } = keychainOf({ prod: JSON.stringify(entry), b: 'x' });
    const runtime = worldOf({ keychain });
    await storeToken('prod', entry, true, runtime);
    await storeToken('b', other, true, runtime);
    await deleteToken('prod', 'keychain', runtime);
    expect(held).toEqual({ b: 'x' });
    expect(await loadToken('prod', 'file', runtime)).toBeUndefined();
    expect(await loadToken('b', 'file', runtime)).toEqual(other);
    await deleteToken('b', 'file', runtime);
    expect(held).toEqual({ b: 'x' });
    const untouched = worldOf();
    await deleteToken('nobody', undefined, untouched);
    expect(existsSync(credentialsPath(untouched))).toBe(false);
  });

  it('that remains in the keychain, or may, is reported', async () => {
    const stays = worldOf({
      keychain: keychainOf({ prod: 'x' }, { remove: async () => undefined }).keychain,
    });
    await expect(deleteToken('prod', 'keychain', stays)).rejects.toEqual(
      failing('local_io', {
        what: 'the keychain may still contain the token of prod',
        sent: false,
      }),
    );
    await expect(deleteToken('prod', 'keychain', worldOf())).rejects.toEqual(
      failing('local_io', {
        what: 'the keychain may still contain the token of prod',
        hint: 'no keychain on this machine',
        sent: false,
      }),
    );
  });

  it.each([
    '',
    '{',
    '[]',
    '{"prod":{}}',
    '{"prod":{"token":1,"origin":"x"}}',
    '\xff',
    '{"prod":{"token":"\xff","origin":"x"}}',
  ])('in a damaged file is not read, and the file is not quoted: %j', async (text) => {
    const runtime = worldOf();
    const path = credentialsPath(runtime);
    writeFileSync(path, Buffer.from(text, 'latin1'), { mode: 0o600 });
    for (const act of [
      () => loadToken('prod', 'file', runtime),
      () => storeToken('prod', entry, true, runtime),
      () => deleteToken('prod', 'file', runtime),
    ])
      await expect(act()).rejects.toEqual(
        failing('local_io', {
          what: `${path} is damaged`,
          hint: 'rename it, then run: social auth login',
          sent: false,
        }),
      );
    expect(readFileSync(path, 'latin1')).toBe(text);
  });
});

describe('the advice', () => {
  it.each([
    ['sandbox', 'prod', ORIGIN, {}],
    ['file', 'prod', ORIGIN, { next: ['social', 'auth', 'login', '-C', 'prod'] }],
    ['keychain', undefined, undefined, { next: ['social', 'auth', 'login'] }],
    ['SOCIAL_TOKEN', 'prod', ORIGIN, { hint: `set SOCIAL_TOKEN to a valid token of ${ORIGIN}` }],
    [
      'file',
      'prod',
      'https://b.example',
      { hint: 'set SOCIAL_TOKEN to a valid token of https://b.example' },
    ],
    ['file', 'prod', undefined, { hint: 'set SOCIAL_TOKEN to a valid token of this service' }],
  ])('after a rejected token of %s', (source, context, baseUrl, advice) => {
    const settings = { context, baseUrl, stored: { baseUrl: ORIGIN } as StoredContext };
    const given = context === undefined ? { ...settings, stored: undefined } : settings;
    expect(adviceOnRefusedToken(given as never, {}, source)).toEqual(advice);
  });

  it('names the CA file of the call', () => {
    const settings = { context: 'prod', baseUrl: ORIGIN, stored: { baseUrl: ORIGIN } };
    const { next } = adviceOnRefusedToken(settings, { cacert: 'ours.pem' }, 'file');
    expect(next!.slice(3)).toEqual(['-C', 'prod', '--cacert', 'ours.pem']);
  });
});

it('a check of a token that fails by a bug says nothing about the service', async () => {
  const thrown = new TypeError('a fault');
  const send = () => Promise.reject(thrown);
  const service = { baseUrl: ORIGIN, source: 'file', send, close: () => undefined } as const;
  const { settings } = resolveSettings({}, {});
  await expect(checkToken(service, settings, worldOf())).rejects.toBe(thrown);
});
