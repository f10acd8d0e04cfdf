// The system's keychain, asked by a program of its own. The package that it loads is found from a folder: here one of
// the test's, which keeps its entries in a file, or does what keychains do that are locked or damaged.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { temporaryFolder } from '../../support/temporary-folder.ts';
import { systemKeychain } from '../../../src/config/auth/keychain.ts';
import { Failure } from '../../../src/base/errors.ts';

const WORKING = `
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const path = process.env.STORE;
const all = () => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {});
const save = (entries) => writeFileSync(path, JSON.stringify(entries));
exports.Entry = class {
  constructor(service, name) { this.key = service + '/' + name; }
  getPassword() { return all()[this.key] ?? null; }
  setPassword(secret) { save({ ...all(), [this.key]: secret }); }
  deletePassword() { const { [this.key]: gone, ...rest } = all(); save(rest); }
};
writeFileSync(path + '.env', JSON.stringify([process.env, process.argv]));`;

function keychain(source: string, { signal }: { signal?: AbortSignal } = {}) {
  const folder = temporaryFolder();
  const place = join(folder, 'node_modules', '@napi-rs', 'keyring');
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'index.js'), source);
  const store = join(folder, 'store');
  const env = { PATH: process.env['PATH'], STORE: store, SOCIAL_TOKEN: 'a-token', OTHER: 'x' };
  const host = {
    node: process.execPath,
    folder,
    env,
    signal: signal ?? new AbortController().signal,
    monotonic: () => performance.now(),
  };
  return { store, chain: systemKeychain(host) };
}

describe('the keychain', () => {
  it('stores a secret under our service name, returns it, and deletes it', async () => {
    const { chain, store } = keychain(WORKING);
    expect(await chain.read('prod')).toBeUndefined();
    await chain.write('prod', 'a secret');
    expect(JSON.parse(readFileSync(store, 'utf8'))).toEqual({ 'social/prod': 'a secret' });
    expect(await chain.read('prod')).toBe('a secret');
    await chain.remove('prod');
    expect(await chain.read('prod')).toBeUndefined();
  });

  it('gets no secret as an argument, and not our token in its environment', async () => {
    const { chain, store } = keychain(WORKING);
    await chain.write('prod', 'a secret');
    const [env, argv] = JSON.parse(readFileSync(`${store}.env`, 'utf8')) as [object, string[]];
    expect(env).toMatchObject({ OTHER: 'x' });
    expect(env).not.toHaveProperty('SOCIAL_TOKEN');
    // The helper gets no variable of this process that it was not given.
    expect(env).not.toHaveProperty('VITEST');
    expect(argv.join(' ')).not.toContain('secret');
  });

  it('starts its helper without a debugger, whatever the environment asks for', async () => {
    const asked = `exports.Entry = class {
      getPassword() {
        process.kill(process.pid, 'SIGUSR1');
        for (const end = Date.now() + 300; Date.now() < end; );
        return 'debugger: ' + require('node:inspector').url();
      }
    };`;
    expect(await keychain(asked).chain.read('prod')).toBe('debugger: undefined');
  });

  it.each([
    [
      'that is locked',
      `exports.Entry = class { getPassword() { throw new Error('locked'); } };`,
      'locked',
    ],
    ['that cannot be opened', `throw new Error('no session bus');`, 'no session bus'],
    ['whose program ends early', 'process.exit(0);', 'the keychain cannot be used'],
    [
      'that prints something else',
      `exports.Entry = class { getPassword() { console.log('a secret'); return 'x'; } };`,
      'the keychain cannot be used',
    ],
  ])('%s is reported without quoting any output', async (_what, source, why) => {
    await expect(keychain(source).chain.read('prod')).rejects.toThrow(new Error(why));
  });

  it('may write to stderr', async () => {
    const noisy = `console.error('x'.repeat(200000));${WORKING}`;
    expect(await keychain(noisy).chain.read('prod')).toBeUndefined();
  });

  it('is not waited for once the command is interrupted', async () => {
    const stop = new AbortController();
    const silent = `require('node:fs').writeFileSync(process.env.STORE, ''); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20000);`;
    const { chain, store } = keychain(silent, { signal: stop.signal });
    const asked = chain.read('prod');
    await expect.poll(() => existsSync(store), { timeout: 5000 }).toBe(true);
    const cancelled = new Failure('interrupted', { what: 'cancelled' });
    stop.abort(cancelled);
    await expect(asked).rejects.toBe(cancelled);
  });
});
