// URLs: which may be a base URL, and which may carry a token.

import { describe, expect, it } from 'vitest';
import {
  baseUrlFault,
  isLoopbackHost,
  mayCarryToken,
  proxyUrl,
  tokenUrlFault,
  versionHint,
  withoutEndSlashes,
  withoutVersion,
  withScheme,
} from '../../src/base/url.ts';

describe('a base URL', () => {
  const rule = 'must be https://host[:port][/path]';

  it.each(['https://a.example', 'HTTPS://a.example:8443/v1/', 'http://127.0.0.1:80/x'])(
    'may be %s',
    (url) => {
      expect(baseUrlFault(url)).toBeUndefined();
    },
  );

  it.each([
    ['', rule],
    ['a.example', rule],
    ['ftp://a.example', rule],
    ['xhttps://a.example', rule],
    ['https:///path', rule],
    ['//a.example', rule],
    ['https:a.example', rule],
    ['https://a:70000', rule],
    ['file:///x', rule],
    ['https://', rule],
    ['https://a b', rule],
    ['https://user@a.example', `${rule}, without a user name or password`],
    ['https://:secret@a.example', `${rule}, without a user name or password`],
    ['https://a.example?x=1', `${rule}, without a query or fragment`],
    ['https://a.example/#x', `${rule}, without a query or fragment`],
  ])('may not be %s', (url, fault) => {
    expect(baseUrlFault(url)).toBe(fault);
    expect(tokenUrlFault(url)).toBe(fault);
  });

  it.each([
    ['https://a.example', true],
    ['http://localhost:8080/v1', true],
    ['http://127.0.0.1', true],
    ['http://127.1', true],
    ['http://[::1]:80', true],
    ['http://a.example', false],
    ['http://127.0.0.1.a.example', false],
    ['http://localhost.a.example', false],
  ])('may be sent a token: %s, %s', (url, may) => {
    expect(mayCarryToken(new URL(url))).toBe(may);
    expect(tokenUrlFault(url)).toBe(may ? undefined : `${rule}, or http:// to this machine`);
  });

  it.each([
    [' a.example ', 'https://a.example'],
    ['a.example:8080/v1', 'https://a.example:8080/v1'],
    ['http://a.example', 'http://a.example'],
    ['HTTP://a.example', 'HTTP://a.example'],
    ['git+2-x.y://a', 'git+2-x.y://a'],
    ['2http://a', 'https://2http://a'],
    ['x?u=http://a', 'https://x?u=http://a'],
    ['  ', ''],
  ])('is corrected to %j', (typed, url) => {
    expect(withScheme(typed)).toBe(url);
  });

  it('has no slash at its end', () => {
    expect(withoutEndSlashes('https://a.example//b///')).toBe('https://a.example//b');
    expect(withoutEndSlashes('https://a.example/b')).toBe('https://a.example/b');
  });
});

it.each([
  ['localhost', true],
  ['[::1]', true],
  ['127.0.0.1', true],
  ['127.10.200.255', true],
  ['', false],
  ['[::2]', false],
  ['128.0.0.1', false],
  ['1127.0.0.1', false],
  ['127.0.0', false],
  ['127.0.0.1.example', false],
  ['a.localhost', false],
  ['localhost.', false],
  ['0.0.0.0', false],
  ['[::]', false],
])('the host %s is this machine: %s', (host, is) => {
  expect(isLoopbackHost(host)).toBe(is);
});

it.each([
  ['https://a.example/v1', 'https://a.example', '/v1'],
  ['HTTPS://A.example:443/V1/', 'https://a.example', '/V1/'],
  ['https://a.example:8443/api/v1', 'https://a.example:8443/api', '/v1'],
  ['https://a.example/v1/posts', 'https://a.example', '/v1/posts'],
])('the base URL %s has the version of the API in its path', (url, meant, end) => {
  expect(withoutVersion(url)).toBe(meant);
  expect(versionHint(url)).toBe(
    `the base URL ends in ${end}: the paths of the API already begin with /v1; did you mean ${meant}`,
  );
});

it.each([
  'https://a.example',
  'https://v1.example/',
  'https://a.example/v10',
  'https://a.example/v2',
])('the base URL %s has none', (url) => {
  expect(versionHint(url)).toBeUndefined();
});

it.each([
  ['proxy:3128', 'http://proxy:3128/'],
  ['user:word@proxy:3128', 'http://user:word@proxy:3128/'],
  ['https://proxy', 'https://proxy/'],
  ['socks5://proxy:1080', 'socks5://proxy:1080'],
])('the proxy %s is %s', (text, url) => {
  expect(proxyUrl(text).href).toBe(url);
});
