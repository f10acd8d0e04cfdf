// Answers of which the API document says nothing: what counts as an envelope, and what is headers alone.

import { describe, expect, it } from 'vitest';
import { get } from '../../src/api/operations/posts.ts';
import type { Operation } from '../../src/api/operations/define-operation.ts';
import { readAny, readHead, readWhole, withHead } from '../../src/client/read-response.ts';
import { Failure } from '../../src/base/errors.ts';

const read = get as unknown as Operation;
const answer = (body: string, status = 200) => ({
  status,
  headers: { 'content-type': 'application/json' },
  body,
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

  it('is whole on request', () => {
    const result = readWhole(read, answer('{"ok":true,"data":1,"next":2}'));
    expect(result).toMatchObject({ data: { ok: true, data: 1, next: 2 }, warnings: [] });
  });
});

describe('a response without a body', () => {
  it.each([200, 204, 299])('with status %i is its headers', (status) => {
    expect(readHead(read, { ...answer('', status), headers: { 'x-a': 'b' } })).toEqual({
      data: { status, headers: { 'x-a': 'b' } },
      warnings: [],
    });
  });

  it.each([300, 304, 404, 500])('with status %i is a failure', (status) => {
    expect(() => readHead(read, answer('', status))).toThrow(Failure);
  });
});

it('with --include a response has status, headers and body', () => {
  const headers = { 'content-type': 'application/json' };
  const response = { ...answer('{"ok":true,"data":1,"next":2}', 201), headers };
  const { data, warnings } = withHead(readAny)(read, response);
  expect(data).toMatchObject({
    status: 201,
    headers: { 'content-type': 'application/json' },
    body: 1,
  });
  expect(warnings).toEqual(['the response has next beside its data; --whole shows all of it']);
});
