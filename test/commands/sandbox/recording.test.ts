// The line that a recording keeps of a request: all that helps, and nothing that lets anybody in.

import { describe, expect, it } from 'vitest';
import { exchangeLine } from '../../../src/commands/sandbox/recording.ts';
import { secretPlaces } from '../../../src/output/credentials.ts';
import type { SandboxExchange } from '../../../src/sandbox/http-exchange.ts';

const places = await secretPlaces();
const session = 'ab12'.repeat(16);

function line(
  request: Partial<SandboxExchange['request']>,
  more: Partial<SandboxExchange> = {},
): string {
  const whole = { method: 'GET', url: '/v1/posts/PostSpringLaunch', headers: {}, ...request };
  const calm = { time: 0, status: 200, fault: undefined, delayMs: 0 };
  return exchangeLine({ ...calm, ...more, request: whole }, places);
}
const recorded = (...parts: Parameters<typeof line>) =>
  JSON.parse(line(...parts)) as Record<string, unknown>;

it('has time, request, status and fault, always under the same names', () => {
  const url = '/v1/connect/reddit/flairs?accountId=AccountRedditAaa&x=1&x=2';
  expect(recorded({ url })).toEqual({
    time: '1970-01-01T00:00:00.000Z',
    method: 'GET',
    path: '/v1/connect/reddit/flairs',
    query: { accountId: 'AccountRedditAaa', x: ['1', '2'] },
    body: null,
    status: 200,
    fault: null,
    delayMs: 0,
  });
  const cut = { status: undefined, fault: 'lost', delayMs: 12 } as const;
  expect(recorded({}, cut)).toMatchObject({ status: null, fault: 'lost', delayMs: 12 });
  expect(recorded({}, { status: 429, fault: 429 })).toMatchObject({ status: 429, fault: '429' });
});

it('keeps a body with its numbers as they were sent', () => {
  const body = '{"text":"Thank you!","n":9007199254740993}';
  expect(line({ method: 'POST', body })).toContain(
    '"body":{"text":"Thank you!","n":9007199254740993}',
  );
});

it('keeps an address without its query, and a text with one', () => {
  const body = { url: 'https://a.example/hook?k=1', text: 'https://a.example/?k=1' };
  expect(recorded({ method: 'POST', body: JSON.stringify(body) })['body']).toEqual({
    url: 'https://a.example/hook?[redacted]',
    text: 'https://a.example/?k=1',
  });
});

describe('masks', () => {
  it.each([
    ['a webhook’s secret', { body: '{"name":"x","secret":"hunter2hunter2"}' }],
    ['the values of its headers', { body: '{"customHeaders":{"X-Key":"hunter2hunter2"}}' }],
    ['a secret inside something', { body: '{"a":[{"secret":["hunter2hunter2"]}]}' }],
    ['a field that is called like a secret', { body: '{"apiToken":"hunter2hunter2"}' }],
    ['a query that is called like one', { url: '/v1/posts/x?access_token=hunter2hunter2' }],
    ['a query that came twice', { url: '/v1/posts/x?token=hunter2hunter2&token=hunter2hunter2' }],
    ['the query of an address', { body: '{"url":"https://a.example/hook?id=hunter2hunter2"}' }],
    ['the user of an address', { body: '{"url":"https://hunter2hunter2@a.example/hook"}' }],
    ['a body that is no JSON', { body: 'secret=hunter2hunter2' }],
    ['a body cut off', { body: '{"secret":"hunter2hunter2' }],
    ['an access code', { url: '/v1/connect/telegram/access-code/hunter2hunter2' }],
    ['one with more behind it', { url: '/v1/connect/telegram/access-code/hunter2hunter2/x' }],
    ['one with an escaped word', { url: '/v1/connect/telegram/access%2Dcode/hunter2hunter2' }],
    ['one with capitals', { url: '/V1/Connect/Telegram/Access-Code/hunter2hunter2' }],
    [
      'a token of another service, wherever it is repeated',
      {
        headers: { authorization: 'Bearer hunter2hunter2' },
        url: '/v1/posts/hunter2hunter2?a=hunter2hunter2',
        body: '{"text":"it is hunter2hunter2","hunter2hunter2":1}',
      },
    ],
  ])('%s', (_what, request) => {
    expect(line({ method: 'POST', ...request })).not.toContain('hunter2');
  });

  it('a pairing’s session, and any token of a sandbox', () => {
    const url = `/v1/connect/telegram/business/session/${session}`;
    expect(recorded({ url })['path']).toBe('/v1/connect/telegram/business/session/[redacted]');
    const token = `sandbox-${'x'.repeat(32)}`;
    expect(line({ url: `/v1/posts/${token}`, body: `{"text":"${token}"}` })).not.toContain(token);
  });

  it('no null, which clears, and no name of a header', () => {
    const body = '{"id":"WebhookAlertsOps","secret":null,"customHeaders":{"X-Team":"ops"}}';
    expect(recorded({ method: 'PATCH', body })['body']).toEqual({
      id: 'WebhookAlertsOps',
      secret: null,
      customHeaders: { 'X-Team': '[redacted]' },
    });
  });
});

it('is one line, and shows nothing that drives a terminal', () => {
  const text = line({ method: 'POST', body: '{"text":"a\\nb\\u202e\\u009b"}', url: '/a\u0085b' });
  expect(text).not.toMatch(/[\n\u202e\u009b\u0085]/);
});
