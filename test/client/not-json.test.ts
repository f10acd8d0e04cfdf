// Bodies that are not JSON: what they are, in words, and of a page its title, cut between words.

import { describe, expect, it } from 'vitest';
import { ofResponse } from '../../src/base/errors.ts';
import type { HttpResponse } from '../../src/base/http.ts';
import { htmlPageIn, notJson, PAGE_CAUSES } from '../../src/client/not-json.ts';

const response = (body: string, type?: string): HttpResponse => ({
  status: 502,
  headers: type === undefined ? {} : { 'content-type': type },
  body,
});
const page = (title: string) => `<!doctype html><title>${title}</title>`;

it.each([
  ['', undefined, 'empty response'],
  ['{"a":', 'application/json', 'the response is not complete JSON', 'the response'],
  [
    '{"a":',
    ' Application/JSON ; charset=utf-8',
    'the response is not complete JSON',
    'the response',
  ],
  [
    `${'['.repeat(70)}${']'.repeat(70)}`,
    'application/json',
    'the response is nested deeper than 64 levels',
    'the response',
  ],
  ['é', 'text/plain', 'expected JSON, got text/plain (2 bytes)'],
  ['é', undefined, 'expected JSON, got an unnamed type (2 bytes)'],
])('a body %j of type %s is told as that', (body, type, what, lead = what) => {
  expect(notJson(response(body, type))).toEqual({ what, lead });
});

it('an HTML page is told with its title, and where it may come from', () => {
  const what = 'expected JSON, got an HTML page "Sign in" (HTTP 502)';
  expect(notJson(response(page('Sign in')))).toEqual({ what, lead: what, hint: PAGE_CAUSES });
  expect(PAGE_CAUSES).toBe('probably a proxy, a login page, or the wrong --base-url');
  expect(ofResponse('is odd')).toEqual({ what: 'the response is odd', lead: 'the response' });
});

describe('an HTML page', () => {
  const eighty = `${'a'.repeat(39)} ${'b'.repeat(40)}`;

  it.each([
    ['plain', 'text/html'],
    ['plain', 'TEXT/HTML; charset=utf-8'],
    ['<html>', undefined],
    [' \n <p>', 'text/plain'],
  ])('is %j of type %s', (body, type) => {
    expect(htmlPageIn(response(body, type))).toBe('an HTML page');
  });

  it.each([
    ['plain', 'text/plain'],
    ['<?xml version="1.0"?>', 'application/xml'],
    ['x <p>', undefined],
    ['', undefined],
  ])('is not %j of type %s', (body, type) => {
    expect(htmlPageIn(response(body, type))).toBeUndefined();
  });

  it.each([
    ['Sign in', 'Sign in'],
    ['  Sign \n\t in ', 'Sign in'],
    ['Sign &amp; in', 'Sign &amp; in'],
    [eighty, eighty],
    [`${eighty}c`, `${'a'.repeat(39)} …`],
    [`${eighty} c`, `${'a'.repeat(39)} …`],
    ['a'.repeat(81), undefined],
    [`a  b ${'c'.repeat(90)}`, 'a b …'],
  ])('with the title %j shows %j', (title, shown) => {
    const told = shown === undefined ? 'an HTML page' : `an HTML page "${shown}"`;
    expect(htmlPageIn(response(page(title)))).toBe(told);
  });

  it.each([
    ['<TITLE lang="en" dir="ltr">A</TITLE>', 'an HTML page "A"'],
    ['<title\n>A</title>', 'an HTML page "A"'],
    ['<titles>A</titles>', 'an HTML page'],
    ['<title></title>', 'an HTML page'],
    [`<p>${' '.repeat(65_536)}<title>A</title>`, 'an HTML page'],
    [`<p>${' '.repeat(65_000)}<title>A</title>`, 'an HTML page "A"'],
  ])('has its title where one is: %#', (body, told) => {
    expect(htmlPageIn(response(body))).toBe(told);
  });
});
