// The words of an error that is not JSON, and of its headers; and pages, which are not of the service.

import { describe, expect, it } from 'vitest';
import { errorBodyOf } from '../../src/client/error-body.ts';

const read = (text: string, headers: Record<string, string> = {}, status = 403) => {
  const body = text.startsWith('{') ? (JSON.parse(text) as unknown) : undefined;
  const { codes: _, ...form } = errorBodyOf({ status, headers, body: text }, body);
  return form;
};
const html = { 'content-type': 'text/html; charset=utf-8' };

describe('an error', () => {
  it.each([
    ['Board\n closed', {}, { message: 'Board closed' }],
    ['Board closed', { 'content-type': 'text/plain' }, { message: 'Board closed' }],
    ['Board closed', { 'content-type': 'text/html' }, { message: 'Board closed' }],
    ['Board closed', { 'content-type': 'image/png' }, {}],
    [
      '',
      { 'www-authenticate': 'Bearer error=invalid_token, scope="a"' },
      { code: 'invalid_token' },
    ],
    ['', {}, {}],
    [
      '<?xml version="1.0"?><Error><Code>Closed</Code><Message>Board &amp; pin</Message></Error>',
      { 'content-type': 'application/xml' },
      { code: 'Closed', message: 'Board & pin' },
    ],
    [
      '',
      {
        'www-authenticate':
          'Bearer realm="a", error="invalid_token", error_description="It expired"',
      },
      { code: 'invalid_token', message: 'It expired' },
    ],
    [
      '{"message":"Unauthorized"}',
      { 'www-authenticate': 'Bearer error_description="It expired"' },
      { message: 'It expired' },
    ],
    [
      '{"message":"It was revoked"}',
      { 'www-authenticate': 'Bearer error_description="It expired"' },
      { message: 'It was revoked' },
    ],
    [
      '{"message":"Forbidden"}',
      { 'x-amzn-errortype': 'ForbiddenException:http://a' },
      { message: 'Forbidden', code: 'ForbiddenException' },
    ],
  ])('%j with %j', (text, headers, form) => {
    expect(read(text, headers)).toEqual({ code: undefined, message: undefined, ...form });
  });

  it('of the form of the document is of the service; of another form it is not', () => {
    expect(read('{"ok":true,"error":{"code":"c","message":"m"}}')).toMatchObject({
      sender: 'service',
      code: 'c',
      message: 'm',
    });
    for (const other of [
      '{"error":"m"}',
      '{"error":{"message":"m"}}',
      '{"code":"c","message":"m"}',
    ])
      expect(read(other).sender).toBeUndefined();
  });
});

describe('a page', () => {
  it.each([
    ['<!DOCTYPE html><html><head><title>Just a moment...</title>', html, 'Just a moment...'],
    ['<html><head><title>\n 502 Bad\n Gateway </title></head>', {}, '502 Bad Gateway'],
    ['<html><title>Sign in &middot; A&#38;B &lt;b&gt;</title>', html, 'Sign in · A&B <b>'],
    [
      '<html><head><title></title><style>p {}</style></head><p>Please</p> <p>log in</p>',
      html,
      'Please',
    ],
    ['<html><script>var a = "secret"', html, undefined],
    ['<html><!-- a comment', html, undefined],
    [`<title>${'word '.repeat(40)}</title><p>Blocked`, html, 'Blocked'],
    [`<p>${'word '.repeat(9000)}`, html, undefined],
    ['<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "x"><html><title>Denied</title>', {}, 'Denied'],
    ['', { 'x-amzn-waf-action': 'challenge' }, undefined],
    ['Web Page <b>Blocked</b>', html, 'Web Page'],
    ['<!-- a --><p>Blocked', {}, 'Blocked'],
    ['no healthy upstream', { 'content-type': 'text/plain' }, 'no healthy upstream'],
    [
      'upstream connect error or disconnect/reset before headers',
      {},
      'upstream connect error or disconnect/reset before headers',
    ],
    ['error code: 1020', { 'content-type': 'text/plain' }, 'error code: 1020'],
    ['{"a":1}', { 'cf-mitigated': 'challenge' }, '{"a":1}'],
  ])('%j is of a gateway, and only its title or first text is read', (text, headers, page) => {
    expect(read(text, headers)).toEqual({ sender: 'gateway', page });
  });

  it('without an end is read in a moment', () => {
    const start = performance.now();
    for (const part of ['<script', '<!--', '<title', '<', '&#'])
      read(`<html>${part.repeat(1_000_000)}`, html);
    expect(performance.now() - start).toBeLessThan(3000);
  });
});
