// Which hosts are reached without the proxy of the environment. The forms of NO_PROXY are those of curl, Go and Python
// together. What the proxy itself does is in test/faults/proxy.test.ts.

import { describe, expect, it } from 'vitest';
import { isProxyBypassed } from '../../../src/client/transport/proxy.ts';

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
    ['2001:0db8:0:0:0:0:0:1', 'https://[2001:db8::1]/v1'],
    ['localhost,*', 'https://api.example.com/v1'],
    ['*:443', 'https://api.example.com/v1'],
    ['example.com.', 'https://api.example.com/v1'],
    ['.example.com.', 'https://api.example.com./v1'],
    ['example.com', 'https://api.example.com./v1'],
    ['bücher.example', 'https://www.xn--bcher-kva.example/v1'],
    ['10.66.3.7', 'https://10.66.3.7/v1'],
    ['10.66.3.7:443', 'https://10.66.3.7/v1'],
    ['10.66.0.0/16', 'https://10.66.3.7/v1'],
    ['10.66.3.7/16', 'https://10.66.200.1/v1'],
    ['10.66.3.7/32', 'https://10.66.3.7:8443/v1'],
    ['0.0.0.0/0', 'https://10.66.3.7/v1'],
    ['10.66.0.0/16', 'https://[::ffff:10.66.3.7]/v1'],
    ['::ffff:10.66.3.7', 'https://10.66.3.7/v1'],
    ['fd00::/8', 'https://[fd12:3456::1]/v1'],
    ['[fd00::]/8', 'https://[fd12:3456::1]/v1'],
    ['other.test 192.168.0.0/24\t10.0.0.0/8', 'https://10.66.3.7/v1'],
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
    ['10.66.0.0/16', 'https://10.67.0.1/v1'],
    ['10.66.0.0/33', 'https://10.66.3.7/v1'],
    ['10.66.0.0/', 'https://10.66.0.0/v1'],
    ['10.66.0.0/1/2', 'https://10.66.0.0/v1'],
    ['10.66.0.0/16', 'https://10.66.3.7.example.com/v1'],
    ['10.66', 'https://10.66.3.7/v1'],
    ['3.7', 'https://10.66.3.7/v1'],
    ['.7', 'https://10.66.3.7/v1'],
    ['fd00::/8', 'https://[fe80::1]/v1'],
    ['0.0.0.0/0', 'https://[2001:db8::1]/v1'],
    ['10.66.3.7:80', 'https://10.66.3.7/v1'],
  ])('"%s" does not exclude %s', (list, url) => {
    expect(bypassed(url, { NO_PROXY: list })).toBe(false);
    expect(bypassed(url, { no_proxy: list })).toBe(false);
  });

  it.each([
    'localhost',
    'api.localhost',
    'localhost.',
    '127.0.0.1',
    '127.9.9.9',
    '[::1]',
    '[::ffff:127.0.0.1]',
  ])('need not name this machine: %s', (host) => {
    expect(bypassed(`https://${host}:8443/v1`, {})).toBe(true);
  });

  it.each(['localhosts', 'localhost.example', '128.0.0.1', '[::2]'])(
    'has to name any other: %s',
    (host) => {
      expect(bypassed(`https://${host}/v1`, {})).toBe(false);
    },
  );

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
