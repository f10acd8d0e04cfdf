// A refusal of the sandbox has a status, an envelope, and a message for its user.

import { expect, it } from 'vitest';
import { openSandbox, START } from './sandbox.ts';

const GET = '/v1/posts/PostSpringLaunch';
const RETRY = `${GET}/retry`;
const DISABLE = '/v1/platform-app-credentials/CredentialSystem/disable';

it('every refusal has the error envelope and the sandbox header', async () => {
  const { call } = await openSandbox();
  const cases = [
    [401, await call('GET', GET, undefined, { authorization: undefined })],
    [404, await call('GET', '/v1/nowhere')],
    [404, await call('PATCH', GET)],
    [400, await call('POST', RETRY, '{')],
    [409, await call('POST', '/v1/posts/PostAutumnRecaps/retry', {})],
    [422, await call('POST', RETRY, { targetIds: [] })],
  ] as const;
  for (const [status, reply] of cases) {
    expect(reply.status).toBe(status);
    expect(reply.envelope).toEqual({
      ok: true,
      error: { code: expect.any(String), message: expect.any(String), details: expect.any(Array) },
    });
    expect(reply.headers).toMatchObject({
      'content-type': 'application/json',
      'x-social-sandbox': '1',
      date: expect.any(String),
    });
    expect(Object.keys(reply.headers).filter((name) => name.startsWith('access-control'))).toEqual(
      [],
    );
  }
});

it('a success has the envelope and nothing else, the sandbox header and the time', async () => {
  const { envelope, headers } = await (await openSandbox()).call('GET', GET);
  expect(Object.keys(envelope)).toEqual(['ok', 'data']);
  expect(envelope.ok).toBe(true);
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'x-social-sandbox': '1',
    date: new Date(START).toUTCString(),
  });
});

it('the sandbox requires its token', async () => {
  const { call, token } = await openSandbox();
  const statusWith = async (authorization: string | undefined) =>
    (await call('GET', GET, undefined, { authorization })).status;
  for (const header of [
    undefined,
    '',
    token,
    'Bearer',
    `Bearer${token}`,
    `Basic ${token}`,
    `x Bearer ${token}`,
    `Bearer ${token} x`,
    `Bearer ${token.slice(1)}`,
    `Bearer ${token}x`,
    `Bearer ${token.toLowerCase()}`,
  ])
    expect([header, await statusWith(header)]).toEqual([header, 401]);
  for (const header of [`bearer ${token}`, `Bearer   ${token}`])
    expect([header, await statusWith(header)]).toEqual([header, 200]);
  expect((await call('GET', '/v1/nowhere', undefined, { authorization: 'Bearer no' })).status).toBe(
    401,
  );
});

it('a path is decoded once, segment by segment', async () => {
  const { call } = await openSandbox();
  const code = async (segment: string) =>
    (await call('GET', `/v1/connect/telegram/access-code/${segment}`)).status;
  expect(await code('TG%2D482913')).toBe(200);
  expect(await code('TG%252D482913')).toBe(404);
  expect(await code('a%2Fb')).toBe(404);
  expect(await code('%zz')).toBe(400);
  expect(await code('%ff')).toBe(400);
  expect(await code('%00')).toBe(404);
  const inside = await call('GET', '/v1/connect/telegram/access-code/a%2Fb');
  expect(inside.envelope.error.message).toContain('a/b');
  for (const path of ['//v1/webhooks', '/v1//webhooks', '/v1/posts/', '/', '/v1/posts;a/b']) {
    expect([path, (await call('GET', path)).status]).toEqual([path, 404]);
  }
});

it('every invalid field is listed', async () => {
  const { call } = await openSandbox();
  const { status, envelope } = await call('POST', '/v1/webhooks', {
    url: 'http://example.com',
    events: ['post.nothing'],
    secret: 'short',
    extra: 1,
  });
  expect(status).toBe(422);
  const { details } = envelope.error;
  expect(details.map((one: { field: string }) => one.field).toSorted()).toEqual([
    'events.0',
    'extra',
    'secret',
    'url',
  ]);
  expect(JSON.stringify(details)).not.toContain('short');
  expect(await call('POST', '/v1/posts/short/retry', {})).toMatchObject({ status: 422 });
  expect(await call('POST', RETRY, { postId: 'PostAutumnRecaps' })).toMatchObject({ status: 422 });
  expect(await call('POST', RETRY, '{"__proto__":{"x":1}}')).toMatchObject({ status: 422 });
  expect(await call('POST', RETRY, '[]')).toMatchObject({ status: 422 });
  expect(await call('POST', RETRY, 'null')).toMatchObject({ status: 422 });
});

it('query names are read leniently, and query values strictly', async () => {
  const { call, samples } = await openSandbox();
  const pages = async (query: string) =>
    (await call('GET', `/v1/connect/facebook/pages${query}`)).status;
  expect(await pages(`?accountId=${samples.facebookAccountId}&unknown=1`)).toBe(200);
  expect(await pages('')).toBe(422);
  expect(await pages('?accountId=1')).toBe(422);
});

it('a body is accepted only where the operation has one', async () => {
  const { call } = await openSandbox();
  expect(await call('POST', DISABLE)).toMatchObject({ status: 200 });
  expect(await call('POST', DISABLE, {})).toMatchObject({ status: 200 });
  expect(await call('POST', DISABLE, { extra: 1 })).toMatchObject({ status: 422 });
  expect(await call('POST', RETRY)).toMatchObject({ status: 400 });
  const deep = `${'['.repeat(100)}${']'.repeat(100)}`;
  expect(await call('POST', RETRY, `{"targetIds":${deep}}`)).toMatchObject({ status: 400 });
});

it('refused requests are logged, without query or headers', async () => {
  const { call, notes } = await openSandbox();
  await call('GET', `${GET}?secret=1`, undefined, { authorization: 'Bearer guess' });
  expect(notes).toEqual([`sandbox: refused GET ${GET} (401 unauthorized)`]);
  await call('GET', '/v1/posts/PostUnknownAaaaa');
  expect(notes).toHaveLength(1);
});
