// Connections to this machine use no proxy, and over plain http they stay on it.

import { expect, it } from 'vitest';
import type { Runtime } from '../../../src/base/runtime.ts';
import {
  authorityAdvice,
  loopbackLookup,
  transportOptions,
} from '../../../src/client/transport/open-transport.ts';
import type { Settings } from '../../../src/config/settings.ts';

const optionsFor = (url: string, env: Record<string, string>) =>
  transportOptions(
    url,
    { timeoutMs: 1 } as Settings,
    { env, program: { node: '20.19.0' } } as unknown as Runtime,
  );

it.each([
  ['http://localhost:4010', true],
  ['http://127.0.0.1', true],
  ['https://localhost:4010', false],
  ['https://api.test', false],
])('%s must resolve to this machine: %s', (url, isHeld) => {
  expect(optionsFor(url, {}).lookup).toBe(isHeld ? loopbackLookup : undefined);
});

it('this machine is reached without reading the proxy; elsewhere https_proxy takes precedence', () => {
  for (const url of ['http://localhost:4010', 'https://127.0.0.1', 'https://[::1]:4010'])
    expect(optionsFor(url, { HTTPS_PROXY: 'socks5://127.0.0.1:1' }).proxy).toBeUndefined();
  const both = { HTTPS_PROXY: 'http://b.test:1', https_proxy: 'http://a.test:1' };
  const { proxy } = optionsFor('https://api.test', both);
  expect(proxy?.host).toBe('a.test:1');
});

it.each([
  ['20.19.0', false],
  ['22.14.0', false],
  ['22.15.0', true],
  ['23.7.0', false],
  ['23.8.0', true],
  ['24.0.0', true],
  ['26.1.0', true],
])('an authority can be one of the system on Node %s: %s', (node, can) => {
  const hint = authorityAdvice(false, node);
  expect(hint).toContain('--cacert FILE or NODE_EXTRA_CA_CERTS');
  expect(hint.includes('NODE_OPTIONS=--use-system-ca')).toBe(can);
  // With --cacert no other authority counts.
  expect(authorityAdvice(true, node)).not.toMatch(/NODE_|FILE/);
});
