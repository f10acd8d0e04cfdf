// Credentials that are known by the name of a field or by their place in a path.

import { describe, expect, it } from 'vitest';
import { parseJson } from '../../src/base/json.ts';
import {
  isSecretName,
  maskNamed,
  secretPlaces,
  secretTexts,
} from '../../src/output/redact-by-name.ts';
import { MASK } from '../../src/output/redact.ts';

describe('a field name', () => {
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
    'passwd',
    'session_token',
    'X-Key',
    'x-auth',
  ])('like %s is a secret', (name) => {
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
    'author',
    'code',
    'sessionIds',
    'apikeys',
    'id',
    '',
  ])('like %s is not a secret', (name) => {
    expect(isSecretName(name)).toBe(false);
  });

  it.each(['customHeaders', 'sessionId', 'session_id', 'session-id', 'mySessionID'])(
    '%s is a credential',
    async (name) => {
      const isSecret = (await secretPlaces()).isSecretAt('/v1/anything');
      expect(maskNamed({ [name]: { a: ['x', 1] }, b: 'y' }, isSecret)).toEqual({
        [name]: { a: [MASK, 1] },
        b: 'y',
      });
    },
  );

  it.each(['sessionIds', 'session.id', 'sessionXid', 'customHeader'])(
    '%s is not a credential',
    async (name) => {
      const isSecret = (await secretPlaces()).isSecretAt('/v1/anything');
      expect(maskNamed({ [name]: 'x' }, isSecret)).toEqual({ [name]: 'x' });
    },
  );
});

describe('a value', () => {
  const exact = parseJson('9007199254740993');
  const value = { a: 'x', list: [{ secret: 'y', n: 5 }, 'z'], token: ['u', null, exact], n: exact };

  it('lists its secret texts, and is shown with a mask for each', () => {
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

  it('may have secrets in fields that an operation declares for its path', async () => {
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
});

describe('a credential in a path', () => {
  it('of a pairing, or an access code, is masked with all that follows', async () => {
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
    expect(places.textsIn('/v1/connect/telegram/access-code/%zz')).toEqual(['%zz', '%zz']);
  });

  it.each([
    '/v1/posts/PostSpringLaunch',
    '/v1/connect/telegram/business/session',
    '/v1/connect/telegram',
    '/business/session/abc',
    '',
    '/',
  ])('is not assumed in "%s"', async (path) => {
    const places = await secretPlaces();
    expect(places.maskPath(path)).toBe(path);
    expect(places.textsIn(path)).toEqual([]);
  });
});
