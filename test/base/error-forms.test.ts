// The message, the code and the details of an error, wherever a service, a gateway or a framework puts them.

import { describe, expect, it } from 'vitest';
import { errorIn, faultLines } from '../../src/base/error-forms.ts';

const CLOSED = 'The board is closed.';

interface Row {
  readonly message?: string;
  readonly code?: string;
  readonly details?: unknown;
}

const faults = (details: unknown, more: Row = {}): Row => ({ details, ...more });

describe('an error', () => {
  it.each<readonly [what: string, body: unknown, form: Row]>([
    ['a message', { message: CLOSED }, { message: CLOSED }],
    ['a message in capitals', { Message: CLOSED }, { message: CLOSED }],
    ['a text', CLOSED, { message: CLOSED }],
    ['an error that is a text', { error: CLOSED }, { message: CLOSED }],
    ['an error object', { error: { message: CLOSED } }, { message: CLOSED }],
    [
      'an error object and more',
      { message: 'Failed.', error: { message: CLOSED } },
      { message: CLOSED },
    ],
    ['a detail', { detail: CLOSED }, { message: CLOSED }],
    [
      'words beside a reason phrase',
      { error: 'Forbidden', status: 409, message: CLOSED },
      { message: CLOSED, code: 'Forbidden' },
    ],
    [
      'an exception',
      { status: 409, error: 'Conflict', exception: `#<Board: ${CLOSED}>` },
      { message: `#<Board: ${CLOSED}>`, code: 'Conflict' },
    ],
    ['an exception without words', { error: CLOSED, exception: 'BoardError' }, { message: CLOSED }],
    [
      'a message that is empty',
      { message: '', error: 'Not Found', path: '/v1' },
      { message: 'Not Found' },
    ],
    [
      'an OAuth error',
      { error: 'invalid_token', error_description: CLOSED },
      { message: CLOSED, code: 'invalid_token' },
    ],
    [
      'a type with its package',
      { __type: 'com.example.api#BoardClosed', message: CLOSED },
      { message: CLOSED, code: 'BoardClosed' },
    ],
    [
      'a problem',
      { type: 'https://a.example/closed', title: 'Closed.', status: 409, detail: CLOSED },
      { message: CLOSED },
    ],
    [
      'a problem without a detail',
      { type: 'about:blank', title: CLOSED, status: 409 },
      { message: CLOSED },
    ],
    [
      'a number for a code',
      { code: 5, message: CLOSED, details: [] },
      { message: CLOSED, code: '5' },
    ],
    [
      'the status as its code',
      { error: { code: 409, status: 'ABORTED', message: CLOSED } },
      { message: CLOSED, code: 'ABORTED' },
    ],
    ['a code of 0', { code: 0, message: CLOSED }, { message: CLOSED }],
    ['the word error for a code', { status: 'error', message: CLOSED }, { message: CLOSED }],
    [
      'a fault',
      { fault: { faultstring: CLOSED, detail: { errorcode: 'board.Closed' } } },
      { message: CLOSED, code: 'board.Closed' },
    ],
    [
      'a text under any name',
      { result: { info: CLOSED, id: 'PostSpringLaunch' } },
      { message: CLOSED },
    ],
    ['a word under a name for it', { errors: 'closed' }, { message: 'closed' }],
    ['data that is the error', { status: 'error', data: { message: CLOSED } }, { message: CLOSED }],
    [
      'data that has the error',
      { success: false, data: { error: { code: 'closed', message: CLOSED } } },
      { message: CLOSED, code: 'closed' },
    ],
    ['an error and data', { message: CLOSED, data: { message: 'x y' } }, { message: CLOSED }],
    ['data with a title', { ok: false, data: { title: 'My post' } }, {}],
    ['nothing but data', { ok: true, data: { text: CLOSED, tags: ['a b'] } }, {}],
    ['numbers', { a: 1, b: [2], c: null }, {}],
    ['nothing', null, {}],
    ['lines', { message: ' The board\n\tis closed. ' }, { message: CLOSED }],
    [
      'a list of texts',
      { statusCode: 409, message: ['text is long', 'tag is empty'], error: 'Bad Request' },
      faults(['text is long', 'tag is empty'], { message: 'text is long' }),
    ],
    [
      'a list of errors with codes',
      { errors: [{ message: CLOSED, path: ['a', 0], extensions: { code: 'CLOSED' } }], data: null },
      faults([{ message: CLOSED, path: ['a', 0], extensions: { code: 'CLOSED' } }], {
        message: `a.0: ${CLOSED}`,
        code: 'CLOSED',
      }),
    ],
    [
      'texts by field',
      { message: CLOSED, errors: { text: ['is long'] } },
      faults({ text: ['is long'] }, { message: CLOSED }),
    ],
    [
      'nothing but texts by field',
      { text: ['is long'], tag: { name: ['is empty'] } },
      faults({ text: ['is long'], tag: { name: ['is empty'] } }, { message: 'text: is long' }),
    ],
    [
      'a code of one field',
      { message: CLOSED, errors: [{ field: 'text', code: 'long', message: 'is long' }] },
      faults([{ field: 'text', code: 'long', message: 'is long' }], { message: CLOSED }),
    ],
  ])('with %s', (_what, body, { message, code, details }) => {
    const form = errorIn(body, 409);
    expect({ ...form, codes: undefined }).toEqual({ message, code, details });
  });

  it('has all codes, to recognise a limit', () => {
    const inner = { errors: [{ reason: 'rateLimitExceeded' }], message: 'Slow.' };
    expect(errorIn({ error: inner }, 403).codes).toEqual(['rateLimitExceeded']);
    expect(errorIn({ type: 'https://a.example/too-many-requests' }, 403).codes).toEqual([
      'https://a.example/too-many-requests',
    ]);
  });

  it('of great size is read in a moment', () => {
    const wide = { errors: Array.from({ length: 100_000 }, (_, i) => ({ x: { y: { z: i } } })) };
    const start = performance.now();
    expect(errorIn(wide, 400).code).toBeUndefined();
    expect(performance.now() - start).toBeLessThan(3000);
  });
});

it.each<readonly [details: unknown, lines: readonly string[]]>([
  [[{ field: 'text', message: 'is long' }], ['text: is long']],
  [[{ loc: ['body', 'text'], msg: 'is long', type: 'x' }], ['body.text: is long']],
  [[{ source: { pointer: '/text' }, title: 'Long.', detail: 'is long' }], ['/text: is long']],
  [[{ msg: 'is long', param: 'text', location: 'body' }], ['text: is long']],
  [[{ objectName: 'post', field: 'text', defaultMessage: 'is long' }], ['text: is long']],
  [[{ name: 'text', reason: 'is long' }], ['text: is long']],
  [
    [{ property: 'text', constraints: { max: 'is long', min: 'is odd' } }],
    ['text: is long', 'text: is odd'],
  ],
  [{ text: { _errors: [{ code: 'MAX', message: 'is long' }] } }, ['text: is long']],
  [
    { text: ['is long', 'is odd'], tag: 'is empty' },
    ['text: is long', 'text: is odd', 'tag: is empty'],
  ],
  [{ field: 'text', message: 'is long' }, ['text: is long']],
  [{ reason: 'plan', limit: 5 }, ['reason: plan', 'limit: 5']],
  [[{ a: 1, b: 2 }], ['{"a":1,"b":2}']],
  ['is long', ['is long']],
  [0, ['0']],
])('the faults %j have a line each', (details, lines) => {
  expect(faultLines(details)).toEqual(lines);
});
