// Who may talk to the sandbox, judged on the raw headers alone: every reason to be turned away, by its status, its
// code and its words; and what counts as its token.

import { describe, expect, it } from 'vitest';
import { isAuthorized, rejectRequest } from '../../src/sandbox/origin-guard.ts';

const judge = (rawHeaders: readonly string[], { port = 4000, target = '/v1/posts' } = {}) =>
  rejectRequest({ url: target, rawHeaders: [...rawHeaders] }, port);

const own = ['Host', 'localhost:4000'];
const noHost = [400, 'bad_host', 'The request must have exactly one Host header.'];
const misdirected = [421, 'misdirected', 'The Host header does not name the sandbox.'];
const noPath = [400, 'bad_target', 'The request path must start with a slash.'];
const foreign = [403, 'foreign_origin', 'Web pages are not allowed to use the sandbox.'];

const reason = (rawHeaders: readonly string[], options = {}) => {
  const refusal = judge(rawHeaders, options);
  return refusal && [refusal.status, refusal.code, refusal.message];
};

describe('a request', () => {
  it.each([
    [[]],
    [['Accept', 'localhost:4000']],
    [[...own, ...own]],
    [[...own, 'HOST', 'localhost:4000']],
    // A value is no name.
    [['X-Name', 'host', 'localhost:4000', 'x']],
  ])('with the headers %j has not exactly one host', (headers) => {
    expect(reason(headers)).toEqual(noHost);
  });

  it.each([
    ['evil.example'],
    ['evil.example:4000'],
    ['localhost'],
    ['127.0.0.1'],
    ['[::1]'],
    ['localhost:80'],
    ['localhost:40000'],
    ['localhost:4000.evil.example'],
    ['xlocalhost:4000'],
    [''],
  ])('to the host "%s" is for somebody else', (host) => {
    expect(reason(['Host', host])).toEqual(misdirected);
  });

  it.each([['localhost:4000'], ['LocalHost:4000'], ['127.0.0.1:4000'], ['[::1]:4000']])(
    'to the host %s may go on',
    (host) => {
      expect(judge(['host', host])).toBeUndefined();
    },
  );

  it.each([['localhost'], ['127.0.0.1'], ['[::1]'], ['localhost:80']])(
    'to the host %s may go on where the port is the usual one',
    (host) => {
      expect(judge(['Host', host], { port: 80 })).toBeUndefined();
    },
  );

  it('to another host is for somebody else where the port is the usual one, too', () => {
    expect(reason(['Host', 'evil.example'], { port: 80 })).toEqual(misdirected);
  });

  it.each([['http://localhost:4000/v1/posts'], ['*'], ['localhost:4000'], [''], ['v1/posts/']])(
    'for "%s" names no path',
    (target) => {
      expect(reason(own, { target })).toEqual(noPath);
    },
  );

  it.each([
    ['https://evil.example'],
    ['null'],
    [''],
    ['http://localhost:4000.evil.example'],
    ['http://localhost'],
    ['https://localhost:4000'],
    ['localhost:4000'],
  ])('of the origin "%s" is a page’s', (origin) => {
    expect(reason([...own, 'Origin', origin])).toEqual(foreign);
    expect(reason([...own, 'Origin', 'http://localhost:4000', 'oRIGIN', origin])).toEqual(foreign);
  });

  it.each([['http://localhost:4000'], ['HTTP://LOCALHOST:4000'], ['http://127.0.0.1:4000']])(
    'of its own origin %s may go on',
    (origin) => {
      expect(judge([...own, 'Origin', origin])).toBeUndefined();
    },
  );

  it.each([['cross-site'], ['same-site'], ['Same-Origin'], ['']])(
    'that a browser says to be "%s" is a page’s',
    (site) => {
      expect(reason([...own, 'Sec-Fetch-Site', site])).toEqual(foreign);
      expect(reason([...own, 'Sec-Fetch-Site', 'none', 'sec-fetch-site', site])).toEqual(foreign);
    },
  );

  it.each([['same-origin'], ['none']])('that a browser says to be "%s" may go on', (site) => {
    expect(judge([...own, 'Sec-Fetch-Site', site])).toBeUndefined();
  });
});

describe('the token', () => {
  it.each([['Bearer secret'], ['bearer secret'], ['Bearer   secret'], ['Bearer secret  ']])(
    'is in "%s"',
    (header) => {
      expect(isAuthorized(header, 'secret')).toBe(true);
    },
  );

  it.each([
    [undefined],
    [''],
    ['secret'],
    ['Bearer'],
    ['Bearer '],
    ['Bearersecret'],
    ['Basic secret'],
    ['x Bearer secret'],
    ['Bearer secret x'],
    ['Bearer secre'],
    ['Bearer secrets'],
    ['Bearer Secret'],
  ])('is not in "%s"', (header) => {
    expect(isAuthorized(header, 'secret')).toBe(false);
  });

  it('is not what is said where nothing is', () => {
    expect(isAuthorized(undefined, 'undefined')).toBe(false);
    expect(isAuthorized('', '')).toBe(false);
  });
});
