// From an answer to its data or to the failure it means: the envelope rules, and what is read leniently.

import { describe, expect, it } from 'vitest';
import { readResponse } from '../../src/client/read-response.ts';
import { readAny, readHead } from '../../src/commands/api/any-path.ts';
import { Failure, headed } from '../../src/base/errors.ts';
import { audiencesDelete } from '../../src/api/operations/ads.ts';
import { pinsAdd } from '../../src/api/operations/discord.ts';
import { update } from '../../src/api/operations/webhooks.ts';
import type { Operation } from '../../src/api/operations/define-operation.ts';
import { get, retry } from '../../src/api/operations/posts.ts';

const read = get;
const change = retry;
const idempotent = audiencesDelete;
const put = pinsAdd;
const patch = update;

interface Given {
  readonly status?: number;
  readonly headers?: Record<string, string>;
}

const json = { 'content-type': 'application/json' };
const answer = (body: string, { status = 200, headers = json }: Given = {}) => ({
  status,
  headers,
  body,
});

function failure(operation: Operation, body: string, given: Given = {}): Failure {
  try {
    readResponse(operation, answer(body, given));
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error('it was read as a success');
}

const GATEWAY = 'a gateway or proxy in front of the service may have sent it';
const PAGE = 'probably a firewall, a proxy, a login page, or the wrong --base-url';
const nope = '{"ok":true,"error":{"code":"nope","message":"No.","details":{"a":1}}}';

describe('an error response', () => {
  it.each([
    [400, 6],
    [401, 4],
    [403, 4],
    [404, 5],
    [409, 6],
    [410, 5],
    [422, 6],
    [429, 7],
  ])('with status %i ends with %i, with or without an error object', (status, exitCode) => {
    for (const operation of [read, change, idempotent])
      for (const body of [nope, '{"ok":true,"data":{"id":"x"}}', '<html>', '']) {
        const { exitCode: code, facts } = failure(operation, body, { status });
        expect({ code, status: facts.status, sent: facts.sent }).toEqual({
          code: exitCode,
          status,
          sent: true,
        });
      }
  });

  it.each([500, 501, 502, 503, 504, 599])(
    'with status %i leaves the outcome of a change unknown',
    (status) => {
      for (const body of [nope, '<html>', '']) {
        expect(failure(read, body, { status }).exitCode).toBe(9);
        expect(failure(idempotent, body, { status }).exitCode).toBe(12);
        expect(failure(change, body, { status }).exitCode).toBe(12);
      }
    },
  );

  it.each([
    ['with ok:true', '{"ok":true,"error":{"code":"c","message":"m"}}'],
    ['with ok:false', '{"ok":false,"error":{"code":"c","message":"m"}}'],
    ['without ok', '{"error":{"code":"c","message":"m"}}'],
    ['that is only text', '{"error":"broken"}'],
    ['that is a number no double can hold', '{"error":1e400}'],
  ])('%s and status 200 is a refusal', (_what, body) => {
    for (const operation of [read, change]) expect(failure(operation, body).kind).toBe('refused');
  });

  it('passes on the message of the service', () => {
    const { facts } = failure(read, nope, { status: 409 });
    expect(facts).toMatchObject({ code: 'nope', message: 'No.', details: { a: 1 } });
    expect(facts.what).toBe('HTTP 409 nope: No.');
  });

  it('in plain text is its message', () => {
    const { facts } = failure(read, '{"error":"broken"}', { status: 400 });
    expect(facts).toMatchObject({ message: 'broken', what: 'HTTP 400: broken' });
  });

  it.each([
    ['{"error":true}', 'HTTP 400: (no message)'],
    ['{"error":{"code":5,"message":{"a":1}}}', 'HTTP 400 code 5: (no message)'],
    ['{"error":{"code":"","message":""}}', 'HTTP 400: (no message)'],
    ['{"error":["no"]}', 'HTTP 400: no'],
  ])('of an unexpected shape is still an error: %s', (body, what) => {
    expect(failure(read, body, { status: 400 }).facts.what).toBe(what);
  });

  it('with data beside the error mentions the data', () => {
    const both = '{"ok":true,"data":{"id":"x"},"error":{"code":"c","message":"m"}}';
    expect(failure(read, both).facts.why).toEqual(['the response also contained data']);
    expect(failure(read, both.replace('{"id":"x"}', 'null')).facts.why).toBeUndefined();
    expect(failure(read, nope).facts.why).toBeUndefined();
  });

  it.each([
    [400, {}, { hint: PAGE }],
    [499, {}, { hint: PAGE }],
    [500, { hint: GATEWAY }, {}],
    [599, { hint: GATEWAY }, {}],
  ])('with status %i and no message is described by the status', (status, more, ofPage) => {
    const same = { status, sent: true, retryable: status >= 500 };
    for (const body of ['', '{"ok":true,"data":{}}'])
      expect(failure(read, body, { status }).facts).toEqual({
        ...headed(`HTTP ${status}`, ' without an error object'),
        ...same,
        ...more,
      });
    expect(failure(read, '<title>Oh no</title>', { status }).facts).toEqual({
      ...headed(`HTTP ${status}`, '', 'a page of a gateway, not of the service: "Oh no"'),
      sender: 'gateway',
      ...same,
      ...ofPage,
    });
  });

  const methods = { GET: read, DELETE: idempotent, PUT: put, POST: change, PATCH: patch };

  it.each([
    [408, ['GET', 'DELETE', 'PUT']],
    [425, ['GET', 'DELETE', 'PUT']],
    [429, ['GET', 'DELETE', 'PUT', 'POST', 'PATCH']],
    [500, ['GET', 'DELETE', 'PUT']],
    [503, ['GET', 'DELETE', 'PUT']],
    [599, ['GET', 'DELETE', 'PUT']],
    [600, []],
    [409, []],
    [401, []],
  ] as const)('with status %i may be retried only by %j', (status, who) => {
    for (const body of [nope, '<html>'])
      for (const [method, operation] of Object.entries(methods))
        expect({ method, may: failure(operation, body, { status }).facts.retryable }).toEqual({
          method,
          may: (who as readonly string[]).includes(method),
        });
  });

  it.each([
    [503, nope, { GET: 7, DELETE: 7, PUT: 7, POST: 7, PATCH: 7 }],
    [503, '<html>', { GET: 7, DELETE: 7, PUT: 7, POST: 12, PATCH: 12 }],
    [429, '<html>', { GET: 7, DELETE: 7, PUT: 7, POST: 7, PATCH: 7 }],
    [502, nope, { GET: 9, DELETE: 12, PUT: 12, POST: 12, PATCH: 12 }],
    [425, nope, { GET: 9, DELETE: 12, PUT: 12, POST: 6, PATCH: 6 }],
    [408, nope, { GET: 9, DELETE: 12, PUT: 12, POST: 12, PATCH: 12 }],
    [400, nope, { GET: 6, DELETE: 6, PUT: 6, POST: 6, PATCH: 6 }],
  ] as const)(
    'with status %i, Retry-After and the body %s has an exit code for each method',
    (status, body, codes) => {
      const headers = { ...json, 'retry-after': '30' };
      for (const [method, operation] of Object.entries(methods)) {
        const { exitCode, facts } = failure(operation, body, { status, headers });
        expect({ method, exitCode, wait: facts.retryAfterMs }).toEqual({
          method,
          exitCode: codes[method as keyof typeof codes],
          wait: 30_000,
        });
      }
      // Without Retry-After, a 503 is like any other failure of a gateway.
      expect(failure(read, body, { status: 503 }).exitCode).toBe(9);
      expect(failure(change, body, { status: 503 }).exitCode).toBe(12);
    },
  );

  it.each(['null', 'false', '""', '{}', '[]', '0'])(
    'with an empty error is a success: %s',
    (empty) => {
      const body = `{"ok":true,"error":${empty},"data":{"id":"x"}}`;
      for (const operation of [read, change])
        expect(readResponse(operation, answer(body)).data).toEqual({ id: 'x' });
      expect(failure(change, body, { status: 409 })).toMatchObject({
        kind: 'refused',
        facts: { what: 'HTTP 409 without an error object' },
      });
      expect(failure(change, body.replace('true', 'false')).kind).toBe('outcome_unknown');
    },
  );

  it('with a 2xx status and data fails a read, and leaves a change unknown', () => {
    for (const error of ['{"code":"c","message":"m"}', '"m"', 'true', '1', '["m"]', '{"a":0}']) {
      const body = `{"ok":true,"data":{"id":"x"},"error":${error}}`;
      expect(failure(read, body).exitCode).toBe(6);
      expect(failure(change, body)).toMatchObject({
        kind: 'outcome_unknown',
        facts: { retryable: false },
      });
      expect(failure(change, body, { status: 409 }).exitCode).toBe(6);
      expect(failure(change, body.replace('{"id":"x"}', 'null')).exitCode).toBe(6);
      expect(() => readAny(change, answer(body))).toThrow('HTTP 200');
    }
  });
});

describe('a response without content', () => {
  it.each([
    ['ok:false without an error', '{"ok":false,"data":{"id":"x"}}', 'contradictory response'],
    ['a page', '<html></html>', 'HTTP 200: a page of a gateway, not of the service'],
    ['nothing at all, until the connection ends', '', 'empty response'],
    ['a part of JSON', '{"ok":true,"data":{', 'not valid JSON'],
    ['more than 64 levels', '['.repeat(65) + ']'.repeat(65), 'nested deeper than 64 levels'],
  ])('%s: a read fails, a change has an unknown outcome', (_what, body, message) => {
    expect(failure(read, body)).toMatchObject({ kind: 'no_answer' });
    expect(failure(change, body)).toMatchObject({ kind: 'outcome_unknown' });
    expect(failure(read, body).facts.what).toContain(message);
  });

  it('with invalid JSON may be retried once by a read, more often by PUT and DELETE', () => {
    for (const body of ['<html>', '', '{"data":']) {
      expect(failure(read, body).facts).toMatchObject({
        retryable: true,
        mostRetries: 1,
        sent: true,
      });
      for (const operation of [idempotent, put]) {
        const { facts } = failure(operation, body);
        expect(facts).toMatchObject({ retryable: true, sent: true, status: 200 });
        expect(facts.mostRetries).toBeUndefined();
      }
      for (const operation of [change, patch])
        expect(failure(operation, body).facts).toMatchObject({ retryable: false, sent: true });
    }
  });

  it('that is valid JSON is not retried', () => {
    for (const body of ['{"ok":false}', '{"ok":true}'])
      expect(failure(read, body).facts).toEqual({
        ...(body === '{"ok":true}'
          ? headed('the response', ' has no data object')
          : headed('contradictory response', '', 'HTTP 200 with ok:false')),
        status: 200,
        sent: true,
        retryable: false,
      });
  });

  it.each([
    '{"ok":true}',
    '{"ok":true,"data":null}',
    '{"data":[1]}',
    '{"data":"x"}',
    '[]',
    'null',
    '5',
  ])('%s has no data: a read fails, a change succeeds with a warning', (body) => {
    expect(failure(read, body).facts.what).toBe('the response has no data object');
    expect(readResponse(change, answer(body)).warnings).toEqual([
      'the response has no data object',
    ]);
  });

  it.each([
    [202, {}],
    [204, {}],
    [200, { 'content-length': '0' }],
    [201, { 'content-length': '1' }],
    [200, { 'transfer-encoding': 'chunked' }],
  ])('with status %i and the headers %j has lost nothing: a change is accepted', (status, more) => {
    const given = { status, headers: { ...more } };
    for (const operation of [change, idempotent, put, patch])
      for (const body of ['', '\n']) {
        const none = readResponse(operation, answer(body, given));
        expect(none).toMatchObject({ data: undefined, warnings: ['no data returned'] });
      }
    expect(failure(read, '', given).kind).toBe('no_answer');
  });

  it('from a firewall that wants to see a browser was not accepted, whatever its status', () => {
    const headers = { 'content-length': '0', 'x-amzn-waf-action': 'challenge' };
    for (const status of [200, 202])
      expect(failure(change, '', { status, headers })).toMatchObject({
        kind: 'outcome_unknown',
        facts: { what: `HTTP ${status}: a page of a gateway, not of the service` },
      });
  });

  it('but with a message quotes it', () => {
    for (const body of [
      '{"message":"Not yet."}',
      '{"errors":[{"message":"Not yet."}],"data":null}',
    ]) {
      const said = 'the response has no data object, only the message "Not yet."';
      expect(failure(read, body).facts.what).toBe(said);
      expect(readResponse(change, answer(body)).warnings).toEqual([said]);
    }
  });
});

describe('a response that says that the request was not read', () => {
  const page = (text: string) => `<html><title>${text}</title></html>`;

  it.each<
    readonly [status: number, body: string, exitCode: number, outcome: string, words: string]
  >([
    [400, page('400 No required SSL certificate was sent'), 9, 'none', 'client certificate'],
    [400, page('400 The SSL certificate error'), 9, 'none', 'client certificate'],
    [505, page('HTTP Version Not Supported'), 9, 'none', 'another version of HTTP'],
    [505, '', 9, 'none', 'another version of HTTP'],
    [426, '', 6, 'refused', 'another version of HTTP'],
  ])('%i with %j has processed nothing', (status, body, exitCode, outcome, words) => {
    for (const operation of [read, change, idempotent]) {
      const found = failure(operation, body, { status, headers: { 'content-type': 'text/html' } });
      expect(found).toMatchObject({ exitCode, outcome, facts: { retryable: false } });
      expect(found.message).toContain(words);
    }
  });

  it('counts only if the service itself did not send it, which may have done something before', () => {
    const said = 'No required SSL certificate was sent';
    const own = (message: string) => JSON.stringify({ error: { code: 'x', message } });
    expect(failure(change, own('No.'), { status: 505 })).toMatchObject({
      exitCode: 12,
      outcome: 'unknown',
    });
    expect(failure(change, own(said), { status: 400 }).exitCode).toBe(6);
    expect(failure(change, page(said), { status: 500 }).exitCode).toBe(12);
  });
});

describe('a body that is not JSON', () => {
  const told = (body: string, type?: string) =>
    failure(read, body, { headers: type === undefined ? {} : { 'content-type': type } }).facts;

  it.each([
    ['{"a":', ' Application/JSON ; charset=utf-8', 'the response is not valid JSON'],
    ['é', 'text/plain; charset=utf-8', 'expected JSON, got text/plain (2 bytes)'],
    ['é', undefined, 'expected JSON, got an unnamed type (2 bytes)'],
    [
      '<?xml version="1.0"?><a/>',
      'application/xml',
      'expected JSON, got application/xml (25 bytes)',
    ],
    ['x <p>', undefined, 'expected JSON, got an unnamed type (5 bytes)'],
    ['plain', 'TEXT/HTML; charset=utf-8', 'expected JSON, got text/html (5 bytes)'],
  ])('%j of type %s is reported without its text', (body, type, what) => {
    expect(told(body, type).what).toBe(what);
  });

  it('is reported with the title of a page, and with its likely source', () => {
    expect(told('<title>Sign in</title>')).toMatchObject({
      what: 'HTTP 200: a page of a gateway, not of the service: "Sign in"',
      hint: PAGE,
    });
  });
});

describe('a redirect response', () => {
  const to = { headers: { location: 'https://other.example/x' } };

  it.each([301, 302, 303])('with status %i may have applied the change', (status) => {
    expect(failure(read, '', { status, ...to }).exitCode).toBe(9);
    expect(failure(change, '', { status, ...to })).toMatchObject({
      exitCode: 12,
      facts: { sent: true, retryable: false },
    });
    expect(failure(read, '', { status, ...to }).facts.what).toBe(
      `HTTP ${status}: redirected to https://other.example/x; redirects are not followed`,
    );
  });

  it.each([307, 308])('with status %i has not applied it', (status) => {
    expect(failure(read, '', { status, ...to }).exitCode).toBe(9);
    expect(failure(change, '', { status, ...to }).exitCode).toBe(6);
  });

  it('without a location is an unexpected status', () => {
    for (const status of [304, 300, 600, 999]) {
      const what = `unexpected HTTP status ${status}`;
      expect(failure(read, '', { status })).toMatchObject({ exitCode: 9, facts: { what } });
      expect(failure(change, '', { status })).toMatchObject({ exitCode: 12, facts: { what } });
    }
  });
});

describe('a response is read leniently', () => {
  it('the clock of the server is read from the Date header', () => {
    const headers = { ...json, date: 'Mon, 02 Mar 2026 12:00:00 GMT' };
    const serverTime = Date.UTC(2026, 2, 2, 12);
    expect(readResponse(read, answer('{"data":{}}', { headers })).serverTime).toBe(serverTime);
    expect(readResponse(change, answer('', { status: 204, headers })).serverTime).toBe(serverTime);
    for (const odd of [json, { ...json, date: 'yesterday' }])
      expect(
        readResponse(read, answer('{"data":{}}', { headers: odd })).serverTime,
      ).toBeUndefined();
  });

  it.each([200, 201, 202, 203, 299])('status %i is a success', (status) => {
    expect(readResponse(change, answer('{"ok":true,"data":{"a":1}}', { status })).data).toEqual({
      a: 1,
    });
  });

  it.each([205, 206])('status %i is a failure, whatever the body', (status) => {
    const body = '{"ok":true,"data":{"a":1}}';
    expect(failure(read, body, { status })).toMatchObject({
      kind: 'no_answer',
      facts: {
        ...headed(`unexpected HTTP status ${status}`),
        status,
        sent: true,
        retryable: false,
      },
    });
    expect(failure(change, body, { status }).kind).toBe('outcome_unknown');
  });
});

describe('the response to any request', () => {
  it.each([
    ['{"ok":true,"data":{"a":1}}', { a: 1 }, []],
    ['{"ok":true,"data":null,"error":null}', null, []],
    ['{"data":[]}', [], []],
    ['{"a":1}', { a: 1 }, []],
    ['[1]', [1], []],
    [
      '{"data":1,"next":2,"total":3}',
      1,
      ['the response has next, total beside its data; --whole shows all of it'],
    ],
  ])('%s', (body, data, warnings) => {
    const result = readAny(read, answer(body));
    expect({ data: result.data, warnings: result.warnings }).toEqual({ data, warnings });
  });
});

describe('a response without a body', () => {
  it.each([200, 204, 299])('with status %i is its headers', (status) => {
    expect(readHead(read, answer('', { status, headers: { 'x-a': 'b' } }))).toEqual({
      data: { status, headers: { 'x-a': 'b' } },
      warnings: [],
    });
  });

  it.each([300, 304, 404, 500])('with status %i is a failure', (status) => {
    expect(() => readHead(read, answer('', { status }))).toThrow(Failure);
  });
});
