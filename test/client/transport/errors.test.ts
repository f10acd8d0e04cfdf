// The words for what undici and Node say went wrong. Whether the request had been sent, and whether another attempt can
// help, are the facts that count.

import { headed } from '../../../src/base/errors.ts';
import { describe, expect, it } from 'vitest';
import {
  networkFailure,
  NOT_THIS_MACHINE,
  ProxyFault,
} from '../../../src/client/transport/errors.ts';

const error = (code: string, more: object = {}) =>
  Object.assign(new Error('words'), { code, ...more });

type Facts = Parameters<typeof networkFailure>[1];

const unsent: Facts = {
  sent: false,
  url: new URL('https://api.example:8443/v1/posts/x'),
  connectMs: 10_000,
  proxyHost: undefined,
  arrived: undefined,
  hasSpoken: false,
  authorityHint: 'name it',
};
const sent = { sent: true };

/** The facts of a failure, without its cause. */
function factsOf(cause: Error, more: Partial<Facts> = {}) {
  const { kind, facts } = networkFailure(cause, { ...unsent, ...more });
  const { cause: _cause, ...rest } = facts;
  return { kind, ...rest };
}

describe('a failure before anything was sent', () => {
  it.each<readonly [code: string, what: string, retryable: boolean]>([
    ['ENOTFOUND', 'cannot resolve host api.example (DNS)', false],
    ['EAI_AGAIN', 'DNS did not respond for api.example', true],
    ['ECONNREFUSED', 'connection refused by api.example:8443', true],
    ['CONNECT_TIMEOUT', 'no connection to api.example:8443 within 10s', true],
    ['ECONNRESET', 'the connection to api.example:8443 was lost', true],
    ['EPIPE', 'the connection to api.example:8443 was lost', true],
    ['UND_ERR_SOCKET', 'the connection to api.example:8443 was lost', true],
    ['EPROTO', 'no TLS connection to api.example:8443 (EPROTO)', false],
    ['ERR_SSL_X', 'no TLS connection to api.example:8443 (ERR_SSL_X)', false],
    ['EHOSTUNREACH', 'no connection to api.example:8443 (EHOSTUNREACH)', true],
    ['', 'no connection to api.example:8443', true],
  ])('%s is reported with the host', (code, what, retryable) => {
    expect(factsOf(error(code))).toMatchObject({ kind: 'no_answer', what, sent: false, retryable });
  });

  it.each<readonly [code: string, words: string]>([
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed '],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'signed by an unknown authority '],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'signed by an unknown authority '],
    ['CERT_HAS_EXPIRED', 'expired '],
    ['CERT_NOT_YET_VALID', 'not yet valid '],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'issued for another host '],
    ...['CERT_REVOKED', 'HOSTNAME_MISMATCH', 'INVALID_CA', 'INVALID_PURPOSE'].map(
      (code) => [code, ''] as const,
    ),
    ['PATH_LENGTH_EXCEEDED', ''],
    // A key that is too small.
    ['UNSPECIFIED', ''],
  ])('a certificate with %s is not trusted', (code, words) => {
    expect(factsOf(error(code))).toMatchObject({
      what: `certificate of api.example is not trusted: ${words}(${code})`,
      // Another authority does not help against the wrong host or time.
      hint: /^self|^signed/.test(words) ? 'name it' : undefined,
      sent: false,
      retryable: false,
    });
  });

  it('at a service behind a proxy names the proxy and the timeout', () => {
    expect(
      factsOf(error('CONNECT_TIMEOUT'), { proxyHost: 'proxy:3128', connectMs: 1500 }).what,
    ).toBe('no connection to api.example:8443 behind proxy proxy:3128 within 1.5s');
  });

  it('for an unknown host name is an error of the user', () => {
    const url = new URL('http://localhost:80');
    expect(factsOf(error(NOT_THIS_MACHINE), { url })).toEqual({
      kind: 'usage',
      what: 'localhost does not resolve to this machine; not sending a token over http',
      sent: false,
      retryable: false,
    });
  });

  it('uses the first code, wherever Node put it, and keeps its error as the cause', () => {
    const inner = error('ECONNREFUSED');
    const wrapped = new Error('outer', { cause: inner });
    const several = new AggregateError([new Error('no code'), inner, error('ETIMEDOUT')]);
    for (const cause of [wrapped, several, inner]) {
      const { facts } = networkFailure(cause, unsent);
      expect(facts.what).toBe('connection refused by api.example:8443');
      expect(facts.cause).toBe(inner);
    }
    expect(factsOf(new AggregateError([])).what).toBe('no connection to api.example:8443');
  });
});

describe('a proxy', () => {
  const about = (fault: ProxyFault) => factsOf(fault, { proxyHost: 'proxy:3128' });

  it.each([
    [407, false],
    [499, false],
    [500, true],
  ])('that responds %i may be retried: %s', (status, retryable) => {
    expect(about(new ProxyFault('no tunnel', status))).toMatchObject({
      what: `no connection to api.example:8443: proxy proxy:3128 returned HTTP ${status}`,
      sent: false,
      retryable,
    });
  });

  it.each([
    ['unreachable', 'ENOTFOUND', 'cannot resolve host proxy proxy:3128 (DNS)', false],
    ['unreachable', 'ECONNREFUSED', 'connection refused by proxy proxy:3128', true],
    ['unreachable', 'CONNECT_TIMEOUT', 'no connection to proxy proxy:3128 within 10s', true],
    [
      'unreachable',
      'CERT_HAS_EXPIRED',
      'certificate of proxy proxy:3128 is not trusted: expired (CERT_HAS_EXPIRED)',
      false,
    ],
    ['no tunnel', 'CONNECT_TIMEOUT', 'proxy proxy:3128 opened no tunnel within 10s', true],
    ['no tunnel', 'EPIPE', 'proxy proxy:3128 opened no tunnel (EPIPE)', true],
    ['no tunnel', '', 'proxy proxy:3128 opened no tunnel', true],
  ] as const)('that is %s, with %s, is named', (problem, code, words, retryable) => {
    expect(about(new ProxyFault(problem, undefined, error(code)))).toMatchObject({
      what: `no connection to api.example:8443: ${words}`,
      sent: false,
      retryable,
    });
  });
});

describe('a failure after a request was sent', () => {
  it.each([
    ['ECONNRESET', headed('no response', '', 'the connection was lost')],
    ['ETIMEDOUT', headed('no response', '', 'the connection was lost (ETIMEDOUT)')],
    ['UND_ERR_HEADERS_OVERFLOW', headed('the response', ' has headers that are too large')],
    ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', headed('the response', ' is not valid HTTP')],
  ])('%s is never retried at this level', (code, words) => {
    const expected = { kind: 'no_answer', ...words, sent: true, retryable: false };
    expect(factsOf(error(code), sent)).toEqual(expected);
  });

  it('with part of the response says how much had come', () => {
    const { what } = factsOf(error('EPIPE'), { ...sent, arrived: '11 of 50 bytes' });
    expect(what).toBe('the response was cut off after 11 of 50 bytes');
  });
});
