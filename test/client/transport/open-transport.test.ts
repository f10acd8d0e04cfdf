// Connections to this machine use no proxy; others use the proxy of the environment, unless NO_PROXY names their host.

import { describe, expect, it } from 'vitest';
import type { Runtime } from '../../../src/base/runtime.ts';
import { loopbackLookup, transportOptions } from '../../../src/client/transport/open-transport.ts';
import { isProxyBypassed } from '../../../src/client/transport/proxy.ts';
import type { Settings } from '../../../src/config/settings.ts';

const optionsFor = (url: string, env: Record<string, string>) =>
  transportOptions(url, { timeoutMs: 1 } as Settings, { env } as Runtime);

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

const bypassed = (url: string, env: Record<string, string>) => isProxyBypassed(new URL(url), env);

describe('NO_PROXY', () => {
  it.each([
    ['api.example.com', 'https://api.example.com/v1'],
    ['API.Example.COM', 'https://api.example.com/v1'],
    ['example.com', 'https://api.example.com/v1'],
    ['example.com', 'https://a.b.example.com/v1'],
    ['.example.com', 'https://api.example.com/v1'],
    ['.example.com', 'https://example.com/v1'],
    ['*.example.com', 'https://api.example.com/v1'],
    ['*', 'https://api.example.com/v1'],
    [' * ', 'https://api.example.com/v1'],
    ['other.test,example.com', 'https://api.example.com/v1'],
    ['other.test, example.com', 'https://api.example.com/v1'],
    [',example.com,', 'https://api.example.com/v1'],
    ['example.com:443', 'https://api.example.com/v1'],
    ['example.com:0443', 'https://api.example.com/v1'],
    ['example.com:8443', 'https://api.example.com:8443/v1'],
    ['example.com', 'https://api.example.com:8443/v1'],
    ['127.0.0.1', 'https://127.0.0.1:4010/v1'],
    ['[::1]:4010', 'https://[::1]:4010/v1'],
    ['[2001:db8::1]', 'https://[2001:db8::1]/v1'],
    ['2001:DB8::1', 'https://[2001:db8::1]:8443/v1'],
  ])('"%s" excludes %s from the proxy', (list, url) => {
    expect(bypassed(url, { NO_PROXY: list })).toBe(true);
    expect(bypassed(url, { no_proxy: list })).toBe(true);
  });

  it.each([
    ['', 'https://api.example.com/v1'],
    [',', 'https://api.example.com/v1'],
    ['*.', 'https://api.example.com./v1'],
    ['ample.com', 'https://api.example.com/v1'],
    ['api.example.com.other', 'https://api.example.com/v1'],
    ['www.api.example.com', 'https://api.example.com/v1'],
    ['*example.com', 'https://api.example.com/v1'],
    ['x.example.com', 'https://xexample.com/v1'],
    ['example.com:80', 'https://api.example.com/v1'],
    ['example.com:443', 'https://api.example.com:8443/v1'],
    ['example.com:8443', 'https://api.example.com/v1'],
    ['example.com:4430', 'https://api.example.com/v1'],
    ['example.com:', 'https://api.example.com/v1'],
    ['2001:db8::1', 'https://[2001:db8::2]/v1'],
    ['[2001:db8::1]:80', 'https://[2001:db8::1]/v1'],
    [':443', 'https://api.example.com/v1'],
    ['other.test;example.com', 'https://api.example.com/v1'],
  ])('"%s" does not exclude %s', (list, url) => {
    expect(bypassed(url, { NO_PROXY: list })).toBe(false);
    expect(bypassed(url, { no_proxy: list })).toBe(false);
  });

  it('in lower case takes precedence, unless it is empty', () => {
    const url = 'https://api.example.com/v1';
    expect(bypassed(url, { no_proxy: 'other.test', NO_PROXY: 'example.com' })).toBe(false);
    expect(bypassed(url, { no_proxy: 'example.com', NO_PROXY: 'other.test' })).toBe(true);
    expect(bypassed(url, { no_proxy: '', NO_PROXY: 'example.com' })).toBe(true);
  });

  it('when unset excludes nothing', () => {
    expect(bypassed('https://api.example.com/v1', {})).toBe(false);
    expect(bypassed('https://undefined/v1', {})).toBe(false);
  });
});
