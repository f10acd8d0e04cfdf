// The text of a token: what is sent as it is, and the forms in which shells, editors and secret stores leave one.

import { expect, it } from 'vitest';
import { parseToken } from '../../../src/config/auth/parse-token.ts';

const TOKEN = 'S3cret-token-of-m1ne';

it.each([
  [TOKEN, TOKEN],
  [`${TOKEN}\n`, TOKEN],
  [`${TOKEN}\r\n`, TOKEN],
  [`Bearer ${TOKEN}`, TOKEN],
  [`bearer   ${TOKEN}\n`, TOKEN],
  ...[
    `xBearer-${TOKEN}`,
    '!~',
    'x'.repeat(8192),
    // Base64, JSON web tokens, and tokens of known services.
    'YWJjZGVmZw==',
    'YWJj=',
    '/etcAbc+/run9==',
    'eyJhbGciOiJub25lIn0.eyJzdWIiOiJub25lIn0.c2ln',
    'sk_live_51-abc~x.y',
    '123456:ABC-DEF',
    '$2b$10$abcdefgh',
    'ghp_tokenTokenToken',
    'none-of-these',
    'nullable',
    '%41%42',
  ].map((token) => [token, token]),
])('%j becomes valid, and nothing else is changed', (given, token) => {
  expect(parseToken(given, 'f')).toBe(token);
  expect(parseToken(Buffer.from(given), 'f')).toBe(token);
});

const at = (position: number) => `contains a character that cannot be sent (position ${position})`;

it.each([
  ['is empty', ['', '\n', '   ', 'Bearer ', '\n\n']],
  ['is longer than 8192 bytes', ['x'.repeat(8193)]],
  [at(1), [`\u00e4${TOKEN}`, ` ${TOKEN}`]],
  [at(3), ['ab c', 'ab\tc', 'ab\u200bc']],
  [at(4), ['abc\u00a0', 'abc\0', 'abc\u007f', 'abc ', 'abc\u200d', 'abc\ufeff']],
  ['has more than one line', ['two\nlines', 'abc\n\n', 'a\r\nb\r\n']],
  ['ends with a carriage return', ['abc\r']],
  ['begins with a byte order mark', ['\ufeffabc', '\ufeffSOCIAL_TOKEN=abc']],
  ['is UTF-16', ['a\0b\0c\0', '\0a\0b\0c']],
  [
    'begins or ends with a quotation mark',
    ['"abc"', "'abc'", '`abc`', '“abc”', '‘abc’', '„abc“', '«abc»', '"abc', "abc'", 'Bearer "abc"'],
  ],
  [
    'is a line that sets a variable',
    [
      'export SOCIAL_TOKEN=abc',
      'export SOCIAL_TOKEN="abc"',
      'SOCIAL_TOKEN=abc',
      "SOCIAL_TOKEN='abc'",
      'SOCIAL_TOKEN = abc',
      'SOCIAL_TOKEN: abc',
      'set SOCIAL_TOKEN=abc',
      '$env:SOCIAL_TOKEN = "abc"',
      '- SOCIAL_TOKEN=abc',
      '# production\nSOCIAL_TOKEN=abc\n',
      'access_token=abc&token_type=bearer',
      'api_key=abc',
    ],
  ],
  ['is a whole header', ['Authorization: Bearer abc', '-H "authorization: Bearer abc"']],
  [
    'is the name of a variable, not its value',
    [
      '$SOCIAL_TOKEN',
      '${SOCIAL_TOKEN}',
      '${{ secrets.SOCIAL_TOKEN }}',
      '{{ token }}',
      '$(cat token)',
      '%SOCIAL_TOKEN%',
      'Bearer $TOKEN',
      '__SOCIAL_TOKEN__',
      '#{SocialToken}#',
    ],
  ],
  ['is JSON', ['{"access_token":"abc"}', '{\n  "access_token": "abc"\n}\n', '["abc"]']],
  [
    'is a reference to a secret, not the secret',
    [
      'op://Private/social/token',
      'vault:secret/data/x#token',
      'arn:aws:secretsmanager:x',
      'https://x',
    ],
  ],
  ['is the path of a file', ['/run/secrets/token', '~/.token', '@/home/me/token', 'C:\\token']],
  [
    'is a placeholder',
    [
      '<token>',
      '<your token>',
      'changeme',
      'CHANGE_ME',
      'your-token-here',
      '********',
      'null',
      'Bearer',
      '…',
    ],
  ],
])('%s, and is refused without being shown', (problem, texts) => {
  for (const text of texts) {
    const fault = parseToken(text, 'f');
    expect([text, fault]).toEqual([text, expect.objectContaining({ field: 'f', problem })]);
    const { fix = '' } = fault as { readonly fix?: string };
    for (const word of ['abc', 'secrets.', 'Private', 'two', TOKEN])
      expect(fix).not.toContain(word);
  }
});

it('invisible characters are named, others only by their position', () => {
  expect(parseToken('abc\u00a0', 'f')).toMatchObject({
    fix: 'it is a space that is not the usual one; remove it',
  });
  expect(parseToken('ab\u200bc', 'f')).toMatchObject({
    fix: 'it is an invisible character; remove it',
  });
  expect(parseToken('ab c', 'f')).toMatchObject({ fix: 'it is a space; remove it' });
  expect(parseToken('ab\u00e9c', 'f')).toMatchObject({ fix: undefined });
});

it.each([
  ['utf16le', Buffer.from(`\ufeff${TOKEN}\n`, 'utf16le'), 'is UTF-16'],
  ['UTF-16 without its mark', Buffer.from(TOKEN, 'utf16le'), 'is UTF-16'],
  ['UTF-8 with a mark', Buffer.from(`\ufeff${TOKEN}`), 'begins with a byte order mark'],
  ['latin1', Buffer.from('ab\u00e9', 'latin1'), at(3)],
])('bytes in %s are refused', (_what, bytes, problem) => {
  expect(parseToken(bytes, 'f')).toMatchObject({ field: 'f', problem });
});
