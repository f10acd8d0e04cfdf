// Each part of the redactor by itself: which names and places hold a credential, where
// a mask begins and ends.

import { describe, expect, it } from 'vitest';
import { createRedactor, MASK, redactFailure, maskSecretFields } from '../../src/output/redact.ts';
import {
  isSecretName,
  secretTexts,
  maySecretName,
  maskNamed,
  secretPlaces,
} from '../../src/output/credentials.ts';
import { mapTexts, parseJson } from '../../src/base/json.ts';
import { Failure } from '../../src/base/errors.ts';
import type { Field } from '../../src/api/operations/fields.ts';
import { proxySecrets, plainTexts } from '../../src/client/transport/proxy.ts';
import { stripControls, sanitizeLine } from '../../src/base/sanitize.ts';

describe('a secret', () => {
  const mask = createRedactor(['tok en+/', 'four', 'abc']);

  it.each([
    ['as it is', 'x tok en+/ y', `x ${MASK} y`],
    ['of four letters', 'a four b', `a ${MASK} b`],
    ['twice', 'fourfour', `${MASK}${MASK}`],
    ['as base64', `Basic ${Buffer.from('tok en+/').toString('base64')}`, `Basic ${MASK}`],
  ])('%s is masked', (_what, text, shown) => {
    expect(mask(text)).toBe(shown);
  });

  it.each([
    ['of three letters', 'abc'],
    ['before a dot', 'tok e.'],
  ])('%s is none', (_what, text) => {
    expect(mask(text)).toBe(text);
  });

  it('is called a secret by its mask alone', () => {
    expect(MASK).toBe('[redacted]');
    expect(createRedactor([])('four')).toBe('four');
  });
});

describe('a name', () => {
  it.each([
    'secret',
    'clientSecret',
    'client_secret',
    'password',
    'userPassword',
    'token',
    'access_token',
    'x-token',
    'accessToken',
    'refreshtoken',
    'apiToken',
    'authToken',
    'BearerToken',
    'apiKey',
    'api_key',
    'api-key',
    'accesskey',
    'private_key',
    'privateKey',
    'cookie',
    'Set-Cookie',
    'cookies',
    'authorization',
    'Proxy-Authorization',
  ])('like %s is a secret’s', (name) => {
    expect(isSecretName(name)).toBe(true);
    expect(secretTexts({ [name]: 'x' })).toEqual(['x']);
  });

  it.each([
    'secretary',
    'passwordHint',
    'tokens',
    'tokenCount',
    'nextpagetoken',
    'stoken',
    'monkey',
    'keyboard',
    'publickey',
    'apikeys',
    'id',
    '',
  ])('like %s is not', (name) => {
    expect(isSecretName(name)).toBe(false);
  });

  it.each([
    'pageToken',
    'secretary',
    'passwd',
    'author',
    'mySession',
    'code',
    'keyboard',
    'signature',
  ])('like %s may be one, for what is given to others', (name) => {
    expect(maySecretName(name)).toBe(true);
    expect(maySecretName(name.toUpperCase())).toBe(true);
  });

  it('like title may not', () => {
    expect(maySecretName('title')).toBe(false);
  });

  it.each(['customHeaders', 'sessionId', 'session_id', 'session-id', 'mySessionID'])(
    '%s holds what only its owner may know',
    async (name) => {
      const isSecret = (await secretPlaces()).isSecretAt('/v1/anything');
      expect(maskNamed({ [name]: { a: ['x', 1] }, b: 'y' }, isSecret)).toEqual({
        [name]: { a: [MASK, 1] },
        b: 'y',
      });
    },
  );

  it.each(['sessionIds', 'session.id', 'sessionXid', 'customHeader'])(
    '%s does not',
    async (name) => {
      const isSecret = (await secretPlaces()).isSecretAt('/v1/anything');
      expect(maskNamed({ [name]: 'x' }, isSecret)).toEqual({ [name]: 'x' });
    },
  );
});

describe('a value', () => {
  const exact = parseJson('9007199254740993');
  const value = { a: 'x', list: [{ secret: 'y', n: 5 }, 'z'], token: ['u', null, exact], n: exact };

  it('gives the texts of its secrets, and has them redactJson', () => {
    expect(secretTexts(value)).toEqual(['y', 'u']);
    expect(secretTexts('x')).toEqual([]);
    expect(secretTexts(null)).toEqual([]);
    expect(secretTexts(5)).toEqual([]);
    expect(secretTexts(['x', { password: 'p' }])).toEqual(['p']);
    expect(maskNamed(value)).toEqual({
      a: 'x',
      list: [{ secret: MASK, n: 5 }, 'z'],
      token: [MASK, null, exact],
      n: exact,
    });
    expect([maskNamed('x'), maskNamed(null), maskNamed(['x'])]).toEqual(['x', null, ['x']]);
  });

  it('may have secrets under the names that an operation declares for its path', async () => {
    const { isSecretAt } = await secretPlaces();
    const also = isSecretAt('/v1/connect/telegram/access-code/TG-1');
    expect(secretTexts({ ...value, code: 'x' }, also)).toEqual(['y', 'u', 'x']);
    expect(isSecretAt('/v1/posts/PostSpringLaunch')('code')).toBe(false);
    expect(maskNamed({ code: 'x', b: 'y', secret: 'z' }, also)).toEqual({
      code: MASK,
      b: 'y',
      secret: MASK,
    });
  });

  it('is redactJson with its keys', () => {
    const shout = (text: string) => text.toUpperCase();
    expect(mapTexts({ a: ['b', { c: 'd' }], n: 1, e: null, f: exact }, shout)).toEqual({
      A: ['B', { C: 'D' }],
      N: 1,
      E: null,
      F: exact,
    });
  });
});

describe('a failure', () => {
  it('is redactJson in each of its texts, and in nothing else', () => {
    const shout = (text: string) => text.toUpperCase();
    const facts = {
      what: 'a',
      message: 'b',
      why: ['c', 'd'],
      hint: 'e',
      next: 'f',
      code: 'g',
      details: { h: ['i'] },
      requestId: 'j',
      status: 422,
      host: 'k',
    } as const;
    expect(redactFailure(new Failure('refused', facts), shout)).toMatchObject({
      kind: 'refused',
      facts: {
        what: 'A',
        message: 'B',
        why: ['C', 'D'],
        hint: 'E',
        next: 'F',
        code: 'G',
        details: { H: ['I'] },
        requestId: 'J',
        status: 422,
        host: 'k',
      },
    });
    expect(redactFailure(new Failure('refused', { what: 'a' }), shout).facts).toEqual({
      what: 'A',
    });
  });
});

describe('a place in a path', () => {
  it('of a pairing, or of a code, is redactJson with all that follows', async () => {
    const places = await secretPlaces();
    const path = '/v1/connect/telegram/business/session/abc%20d/more';
    const shown = `/v1/connect/telegram/business/session/${MASK}`;
    expect(places.maskPath(path)).toBe(shown);
    expect(places.maskPath(`https://a.example/base${path}`)).toBe(`https://a.example/base${shown}`);
    expect(places.maskPath(path.replace('session', 'SESSION').replace('v1', '%761'))).toContain(
      MASK,
    );
    expect(places.maskPath('/v1/connect/telegram/access-code/TG-1?x=1')).toBe(
      `/v1/connect/telegram/access-code/${MASK}`,
    );
    expect(places.textsIn(path)).toEqual(['abc%20d', 'abc d', 'more', 'more']);
    expect(places.namesAt(path)).toEqual(['sessionId']);
    expect(places.namesAt('/v1/connect/telegram/access-code/TG-1')).toEqual(['code']);
    expect(places.maskWords(`GET ${path} and ${path}`)).toBe(`GET ${shown} and ${shown}`);
    expect(places.textsIn('/v1/connect/telegram/access-code/%zz')).toEqual(['%zz', '%zz']);
  });

  it.each([
    '/v1/posts/PostSpringLaunch',
    '/v1/connect/telegram/business/session',
    '/v1/connect/telegram',
    '/business/session/abc',
    '',
    '/',
  ])('of anything else stays: "%s"', async (path) => {
    const places = await secretPlaces();
    expect(places.maskPath(path)).toBe(path);
    expect(places.textsIn(path)).toEqual([]);
    expect(places.maskWords(`a ${path} b`)).toBe(`a ${path} b`);
  });
});

describe('an input', () => {
  const field = (name: string, secret: boolean) => ({ name, secret }) as unknown as Field;
  const fields = [field('a', true), field('map', true), field('b', false), field('none', true)];

  it('is shown with a mask for each secret that it has', () => {
    const input = { a: 'x', map: { one: '1', two: '2' }, b: 'y' };
    expect(maskSecretFields(fields, input)).toEqual({
      a: MASK,
      map: { one: MASK, two: MASK },
      b: 'y',
    });
    expect(maskSecretFields(fields, { a: null, b: 'y' })).toEqual({ a: null, b: 'y' });
    expect(maskSecretFields(fields, { map: 'text', a: 5 })).toEqual({ map: MASK, a: MASK });
    expect(input.a).toBe('x');
  });
});

describe('the password of a proxy', () => {
  const secrets = (env: Record<string, string>) => proxySecrets({ env });

  it('is secret as it stands, and as it is meant', () => {
    expect(secrets({ https_proxy: 'http://u:p%40ss@h.example:1' })).toEqual(['p%40ss', 'p@ss']);
    expect(secrets({ HTTPS_PROXY: 'http://u:word@h.example:1' })).toEqual(['word', 'word']);
    expect(
      secrets({ https_proxy: 'http://u:one@h.example', HTTPS_PROXY: 'http://u:two@h.example' }),
    ).toEqual(['one', 'one', 'two', 'two']);
    expect(secrets({ https_proxy: 'http://u:a%zz@h.example' })).toEqual(['a%zz']);
  });

  it('is none where there is no proxy, or none that can be read', () => {
    expect(secrets({})).toEqual([]);
    expect(secrets({ https_proxy: 'no address' })).toEqual([]);
    expect(plainTexts('%zz')).toEqual([]);
    expect(plainTexts('a%20b')).toEqual(['a b']);
  });
});

describe('what reaches a terminal', () => {
  it.each<readonly [text: string, passes: boolean]>([
    ['\r\u001b[2K', true],
    ...['0', '1', '2', '22', '39', '30', '37', '38;5;7', '38;5;255'].map(
      (code) => [`\u001b[${code}m`, true] as const,
    ),
    ...['3', '4', '8', '23', '40', '38', '38;5;', '38;5;1234', '38;5;x', ''].map(
      (code) => [`\u001b[${code}m`, false] as const,
    ),
    ['\u001b[2J', false],
    ['\u001b[2K', false],
    ['\u001b]0;title\u0007', false],
  ])('%j passes the fence: %s', (text, passes) => {
    expect(stripControls(`a${text}b`).includes('\u001b')).toBe(passes);
    expect(stripControls(`a${text}b`)).toBe(passes ? `a${text}b` : stripControls(`a${text}b`));
  });

  it('shows what cannot be seen as its number, and leaves the rest', () => {
    expect(sanitizeLine('a\u0007b\u200bc\u202ed')).toBe('a\\u{7}b\\u{200b}c\\u{202e}d');
    for (const fine of ['plain', 'é日本', '🎉', 'a b'])
      expect([sanitizeLine(fine), stripControls(fine)]).toEqual([fine, fine]);
  });
});
