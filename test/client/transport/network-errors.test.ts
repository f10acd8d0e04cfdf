// What undici and Node say went wrong, and the words that are made of it: whether it had been sent, and whether asking
// again can help, are the facts that count.

import { describe, expect, it } from 'vitest';
import {
  networkFailure,
  ProxyFault,
  NOT_THIS_MACHINE,
} from '../../../src/client/transport/network-errors.ts';

const error = (code: string, more: object = {}) =>
  Object.assign(new Error('words'), { code, ...more });
const unsent = {
  sent: false,
  isConnected: false,
  url: 'https://api.example:8443/v1/posts/x',
  connectMs: 10_000,
  proxyHost: undefined,
  arrived: undefined,
};

/** The facts of a failure, less its cause and its brief form, which is the same without the host. */
function factsOf(cause: Error, more: Partial<Parameters<typeof networkFailure>[1]> = {}) {
  const { kind, facts } = networkFailure(cause, { ...unsent, ...more });
  const { cause: _cause, brief = facts.what, ...rest } = facts;
  const host =
    / (?:(?:by|to|for|of) )?(?:api\.example|127\.0\.0\.1)(?::\d+)?(?: behind proxy \S+)?/;
  expect([facts.what, facts.what.replace(host, '')]).toContain(brief);
  return { kind, ...rest };
}

const failed = (what: string, more: object = {}) => ({
  kind: 'no_answer',
  what,
  sent: false,
  retryable: true,
  ...more,
});
const forGood = { retryable: false };
const lost = (what: string, lead?: string) =>
  failed(what, { sent: true, retryable: false, ...(lead === undefined ? {} : { lead }) });
const ofResponse = (problem: string) => lost(`the response ${problem}`, 'the response');

type Expected = readonly [code: string, facts: ReturnType<typeof failed>];

describe('before anything was sent', () => {
  it.each<Expected>([
    ['ENOTFOUND', failed('cannot resolve host api.example (DNS)', forGood)],
    ['EAI_AGAIN', failed('DNS did not respond for api.example')],
    ['ECONNREFUSED', failed('connection refused by api.example:8443')],
    ['CONNECT_TIMEOUT', failed('no connection to api.example:8443 within 10s')],
    ['ECONNRESET', failed('the connection to api.example:8443 was lost')],
    ['EPIPE', failed('the connection to api.example:8443 was lost')],
    ['UND_ERR_SOCKET', failed('the connection to api.example:8443 was lost')],
    ['EPROTO', failed('api.example:8443 does not speak HTTPS; check http:// or https://', forGood)],
    [
      'ERR_SSL_WRONG_VERSION_NUMBER',
      failed('api.example:8443 does not speak HTTPS; check http:// or https://', forGood),
    ],
    ...[
      'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
      'ERR_SSL_UNSUPPORTED_PROTOCOL',
      'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
    ].map(
      (code) => [code, failed(`no TLS connection to api.example:8443 (${code})`, forGood)] as const,
    ),
    ['EHOSTUNREACH', failed('no connection to api.example:8443 (EHOSTUNREACH)')],
    ['', failed('no connection to api.example:8443')],
  ])('%s', (code, expected) => {
    expect(factsOf(error(code))).toStrictEqual(expected);
  });

  it('an error without a code is told without one', () => {
    expect(factsOf(new Error('words'))).toStrictEqual(failed('no connection to api.example:8443'));
  });

  it('a refusal by this machine asks whether the sandbox is running, and one by a proxy names it', () => {
    expect(factsOf(error('ECONNREFUSED'), { url: 'http://127.0.0.1:9' })).toStrictEqual(
      failed('connection refused by 127.0.0.1:9', {
        hint: 'is the sandbox running? social sandbox serve',
      }),
    );
    const ofProxy = new ProxyFault({ problem: 'unreachable' }, error('ECONNREFUSED'));
    expect(factsOf(ofProxy, { proxyHost: 'proxy:3128' })).toStrictEqual(
      failed('no connection to api.example:8443: connection refused by proxy proxy:3128'),
    );
  });

  it.each([
    [407, false],
    [403, false],
    [499, false],
    [500, true],
    [502, true],
  ])('a proxy that answers %i may be asked again: %s', (status, retryable) => {
    expect(factsOf(new ProxyFault({ status }), { proxyHost: 'proxy:3128' })).toStrictEqual(
      failed(`no connection to api.example:8443: proxy proxy:3128 returned HTTP ${status}`, {
        retryable,
      }),
    );
  });

  it.each([
    [
      'unreachable',
      'ENOTFOUND',
      failed('no connection to api.example:8443: cannot resolve proxy proxy:3128 (DNS)', forGood),
    ],
    [
      'unreachable',
      'EAI_AGAIN',
      failed('no connection to api.example:8443: DNS did not respond for proxy proxy:3128'),
    ],
    [
      'unreachable',
      'CONNECT_TIMEOUT',
      failed('no connection to api.example:8443: no connection to proxy proxy:3128 within 10s'),
    ],
    [
      'unreachable',
      'ECONNRESET',
      failed('no connection to api.example:8443: the connection to proxy proxy:3128 was lost'),
    ],
    [
      'unreachable',
      'EPROTO',
      failed(
        'no connection to api.example:8443: proxy proxy:3128 does not speak HTTPS; check http:// or https://',
        forGood,
      ),
    ],
    [
      'unreachable',
      'CERT_HAS_EXPIRED',
      failed(
        'no connection to api.example:8443: certificate of proxy proxy:3128 is not trusted: expired (CERT_HAS_EXPIRED)',
        {
          ...forGood,
          hint: 'specify its authority with --cacert FILE or NODE_EXTRA_CA_CERTS',
        },
      ),
    ],
    [
      'unreachable',
      'EHOSTUNREACH',
      failed('no connection to api.example:8443: no connection to proxy proxy:3128 (EHOSTUNREACH)'),
    ],
    [
      'silent',
      'CONNECT_TIMEOUT',
      failed('no connection to api.example:8443: proxy proxy:3128 did not respond within 10s'),
    ],
    [
      'silent',
      'EPIPE',
      failed(
        'no connection to api.example:8443: proxy proxy:3128 closed the connection instead of opening a tunnel',
      ),
    ],
  ] as const)('a proxy that is %s, with %s, is named', (problem, code, expected) => {
    const fault = new ProxyFault({ problem }, error(code));
    expect(factsOf(fault, { proxyHost: 'proxy:3128' })).toStrictEqual(expected);
  });

  it.each([
    ['not HTTP', 'proxy proxy:3128 does not speak HTTP'],
    ['too large', 'the headers of proxy proxy:3128 are too large'],
    ['talkative', 'proxy proxy:3128 sent data before the tunnel was used'],
  ] as const)('a proxy that is %s is not asked again', (problem, words) => {
    expect(factsOf(new ProxyFault({ problem }), { proxyHost: 'proxy:3128' })).toStrictEqual(
      failed(`no connection to api.example:8443: ${words}`, forGood),
    );
  });

  it('the time for a connection is the one that it had', () => {
    const facts = factsOf(error('CONNECT_TIMEOUT'), { connectMs: 1500 });
    expect(facts.what).toBe('no connection to api.example:8443 within 1.5s');
  });

  it('a service that cannot be reached through a proxy is named with it', () => {
    const facts = factsOf(error('CONNECT_TIMEOUT'), { proxyHost: 'proxy:3128' });
    expect(facts.what).toBe('no connection to api.example:8443 behind proxy proxy:3128 within 10s');
  });

  it('a name of another machine is a mistake of the user’s', () => {
    const facts = factsOf(error(NOT_THIS_MACHINE), { url: 'http://localhost:80' });
    expect(facts).toStrictEqual({
      kind: 'usage',
      what: 'localhost does not resolve to this machine; not sending a token over http',
      sent: false,
      retryable: false,
    });
  });

  it('a lack of memory is told as that, and nothing gets better by asking again', () => {
    expect(factsOf(new RangeError('Out of memory'))).toStrictEqual(
      failed('there is not enough memory for a connection', forGood),
    );
  });

  it.each([
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed '],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'signed by an unknown authority '],
    ['UNABLE_TO_GET_ISSUER_CERT', 'signed by an unknown authority '],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'signed by an unknown authority '],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'signed by an unknown authority '],
    ['CERT_HAS_EXPIRED', 'expired '],
    ['CERT_NOT_YET_VALID', 'not yet valid '],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'issued for another host '],
    ['CERT_REVOKED', ''],
    ['HOSTNAME_MISMATCH', ''],
    ['INVALID_CA', ''],
    ['INVALID_PURPOSE', ''],
    ['PATH_LENGTH_EXCEEDED', ''],
    // What Node says of a key that is too small.
    ['UNSPECIFIED', ''],
  ])('a certificate with %s', (code, words) => {
    expect(factsOf(error(code))).toStrictEqual(
      failed(`certificate of api.example is not trusted: ${words}(${code})`, {
        ...forGood,
        hint: 'specify its authority with --cacert FILE or NODE_EXTRA_CA_CERTS',
      }),
    );
  });

  it('the first code counts, wherever Node has put it, and its error is the cause', () => {
    const inner = error('ECONNREFUSED');
    const wrapped = new Error('outer', { cause: inner });
    const several = new AggregateError([new Error('no code'), inner, error('ETIMEDOUT')]);
    for (const cause of [wrapped, several]) {
      const { facts } = networkFailure(cause, unsent);
      expect(facts.what).toBe('connection refused by api.example:8443');
      expect(facts.cause).toBe(inner);
    }
    const own = error('ECONNRESET', { cause: inner });
    expect(networkFailure(own, unsent).facts.cause).toBe(own);
    const plain = new Error('words');
    expect(networkFailure(plain, unsent).facts.cause).toBe(plain);
    expect(networkFailure(new AggregateError([]), unsent).facts.what).toBe(
      'no connection to api.example:8443',
    );
  });
});

describe('after a request was sent', () => {
  const sent = { sent: true, isConnected: true };
  it.each<Expected>([
    ['ECONNRESET', lost('no response: the connection was lost', 'no response')],
    ['UND_ERR_SOCKET', lost('no response: the connection was lost', 'no response')],
    ['UND_ERR_HEADERS_OVERFLOW', ofResponse('has headers that are too large')],
    ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', ofResponse('is not valid HTTP')],
    ['HPE_INVALID_CONSTANT', ofResponse('is not valid HTTP')],
    ...['ETIMEDOUT', 'EHOSTUNREACH', 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'].map(
      (code) =>
        [code, lost(`no response: the connection was lost (${code})`, 'no response')] as const,
    ),
    ['', lost('no response: the connection was lost', 'no response')],
  ])('%s is never tried again from here', (code, expected) => {
    expect(factsOf(error(code), sent)).toStrictEqual(expected);
  });

  it('a second connection that was refused is told as that, though the first had carried it', () => {
    expect(factsOf(error('ECONNREFUSED'), { sent: true })).toStrictEqual(
      lost('connection refused by api.example:8443'),
    );
  });

  it.each(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'])(
    'and a part of the answer had come: %s says how much',
    (code) => {
      expect(
        factsOf(error(code), { ...sent, arrived: { bytes: 11, declared: '50' } }),
      ).toStrictEqual(ofResponse('was cut off after 11 of 50 bytes'));
      const open = { bytes: 11, declared: undefined };
      expect(factsOf(error(code), { ...sent, arrived: open })).toStrictEqual(
        ofResponse('was cut off after 11 bytes'),
      );
    },
  );

  it('a parser’s error without a code is known by its name', () => {
    const cause = Object.assign(new Error('words'), { name: 'HTTPParserError' });
    expect(factsOf(cause, sent)).toStrictEqual(ofResponse('is not valid HTTP'));
  });

  it.each(['bad upgrade', 'bad response'])(
    '%s is a protocol answer that nobody asked for',
    (words) => {
      expect(factsOf(new Error(words), sent)).toStrictEqual(
        lost('unexpected protocol response', 'unexpected protocol response'),
      );
      for (const other of [`very ${words}`, `${words}s`])
        expect(factsOf(new Error(other), sent).what).toBe('no response: the connection was lost');
    },
  );
});
