// Names that must lead to this machine and nowhere else. The system resolves them; numbers resolve to themselves.

import type { LookupAddress, LookupOptions } from 'node:dns';
import { describe, expect, it } from 'vitest';
import type { Settings } from '../../../src/config/settings.ts';
import type { Runtime } from '../../../src/base/runtime.ts';
import { loopbackLookup } from '../../../src/client/transport/open-transport.ts';
import { connectionOptions } from '../../../src/client/transport/tls.ts';
import { NOT_THIS_MACHINE } from '../../../src/client/transport/network-errors.ts';

interface Found {
  readonly error: NodeJS.ErrnoException | null;
  readonly address: string | readonly LookupAddress[];
}

const resolve = (name: string, options: LookupOptions = {}) =>
  new Promise<Found>((done) =>
    loopbackLookup(name, options, (error, address) => done({ error, address })),
  );

describe('a name', () => {
  it.each(['localhost', '127.0.0.1', '127.9.8.7', '::1'])('%s leads here', async (name) => {
    const one = await resolve(name);
    expect(one.error).toBeNull();
    expect(one.address).toMatch(/^(?:127\.|::1$)/);
    const all = await resolve(name, { all: true });
    expect(all.error).toBeNull();
    expect(all.address).toContainEqual(
      expect.objectContaining({ address: expect.stringMatching(/^(?:127\.|::1$)/) as string }),
    );
  });

  it.each(['192.0.2.1', '10.0.0.1', '0.0.0.0', '2001:db8::1', '::2'])(
    '%s leads elsewhere, and no address of it is given',
    async (name) => {
      for (const options of [{}, { all: true }]) {
        const { error, address } = await resolve(name, options);
        expect(error).toMatchObject({ message: 'not this machine', code: NOT_THIS_MACHINE });
        expect(address).toBe('');
      }
      expect(NOT_THIS_MACHINE).toBe('NOT_THIS_MACHINE');
    },
  );

  it('that does not resolve ends with what the system says', async () => {
    const { error } = await resolve('no host has a name like this');
    expect(error?.code).toMatch(/^E/);
    expect(error?.code).not.toBe(NOT_THIS_MACHINE);
  });
});

const optionsFor = (url: string, env: Record<string, string>) =>
  connectionOptions(url, { timeoutMs: 1 } as Settings, { env } as Runtime, undefined);

it.each([
  ['http://localhost:4010', true],
  ['http://127.0.0.1', true],
  ['https://localhost:4010', false],
  ['https://api.test', false],
])('%s must lead to this machine: %s', async (url, isHeld) => {
  expect(await optionsFor(url, {})).toMatchObject({ loopbackOnly: isHeld });
});

it('a proxy is not even looked at for this machine, and elsewhere https_proxy goes first', async () => {
  for (const url of ['http://localhost:4010', 'https://127.0.0.1', 'https://[::1]:4010'])
    expect(await optionsFor(url, { HTTPS_PROXY: 'socks5://127.0.0.1:1' })).not.toHaveProperty(
      'proxy',
    );
  const both = { HTTPS_PROXY: 'http://b.test:1', https_proxy: 'http://a.test:1' };
  expect(await optionsFor('https://api.test', both)).toMatchObject({ proxy: { host: 'a.test:1' } });
});
