// The secrets of a program run, and how deep a secret is looked for.

import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/base/errors.ts';
import { secretPlaces, secretTexts } from '../../src/output/credentials.ts';
import { createRedactor, createSecrets, MASK, redactFailure } from '../../src/output/redact.ts';
import { unescapeWithSpans } from '../../src/output/unescape.ts';

describe('the secrets of a run', () => {
  it('are those from the start, and those that are added until they are taken back', () => {
    const secrets = createSecrets(['first-one']);
    const text = 'first-one second-one third-one';
    expect(secrets.mask(text)).toBe(`${MASK} second-one third-one`);
    const takeBack = secrets.add(['second-one']);
    expect(secrets.mask(text)).toBe(`${MASK} ${MASK} third-one`);
    takeBack();
    secrets.add(['third-one']);
    // As many as before, and others.
    expect(secrets.mask(text)).toBe(`${MASK} second-one ${MASK}`);
    expect(secrets.mask(text)).toBe(`${MASK} second-one ${MASK}`);
  });

  it('are none once the last one is taken back', () => {
    const secrets = createSecrets([]);
    expect(secrets.mask('a second-one')).toBe('a second-one');
    const takeBack = secrets.add(['second-one']);
    expect(secrets.mask('a second-one')).toBe(`a ${MASK}`);
    takeBack();
    expect(secrets.mask('a second-one')).toBe('a second-one');
  });

  it('are masked though the list of them grows after it was given', () => {
    const list: string[] = [];
    const secrets = createSecrets(list);
    expect(secrets.mask('grown-later')).toBe('grown-later');
    list.push('grown-later');
    expect(secrets.mask('grown-later')).toBe(MASK);
    list[0] = 'other-word';
    expect(secrets.mask('grown-later other-word')).toBe(`grown-later ${MASK}`);
  });
});

describe('a secret', () => {
  const layered = (layers: number) => `%${'25'.repeat(layers - 1)}63anary`;

  it('is found under three layers of escapes, and not under four', () => {
    const mask = createRedactor(['canary']);
    for (const layers of [1, 2, 3]) expect(mask(layered(layers))).toBe(MASK);
    expect(mask(layered(4))).toBe(layered(4));
  });

  it('that looks escaped itself is found as what it stands for too', () => {
    const mask = createRedactor(['p%41ss']);
    expect(mask('a p%41ss b')).toBe(`a ${MASK} b`);
    expect(mask('a pAss b')).toBe(`a ${MASK} b`);
    // The escapes of JSON alone taken off, and those of a URL left.
    expect(createRedactor(['plain-one', '%41%42'])('a \\u002541%42 b')).toBe(`a ${MASK} b`);
    expect(createRedactor(['%41%42'])('a AB b')).toBe('a AB b');
  });

  it('behind something else in base64 is found from six characters on', () => {
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    expect(createRedactor(['abcde'])(base64('xabcde'))).toBe(`eG${MASK}`);
    expect(createRedactor(['abcd'])(base64('xabcd'))).toBe(base64('xabcd'));
  });
});

it.each(['nothing', '100 %', '%zz', '\\z', '&nosuch;', '&amp', '&#1114112;', '%ff', ''])(
  'a text in which nothing is escaped has no other form: "%s"',
  (text) => {
    expect(unescapeWithSpans(text)).toBeUndefined();
  },
);

describe('credentials by their place', () => {
  it('are none in a path that no operation has one in', async () => {
    const places = await secretPlaces();
    expect(places.namesAt('/v1')).toEqual([]);
    expect(places.namesAt('/v1/webhooks')).toEqual([]);
    expect(places.namesAt('/v1/posts/PostSpringLaunch')).toEqual([]);
    expect(places.maskPath('/v1/webhooks/EndpointOfATest')).toBe('/v1/webhooks/EndpointOfATest');
    expect(places.textsIn('/v1/webhooks/EndpointOfATest')).toEqual([]);
  });

  it('are looked for by names, and an item of a list has none', () => {
    expect(secretTexts(['x', ['y']], () => true)).toEqual([]);
    expect(secretTexts({ a: ['x', ['y']] }, () => true)).toEqual(['x', 'y']);
  });
});

it('a failure without details has none when its texts are masked', () => {
  const { facts } = redactFailure(new Failure('refused', { what: 'a' }), (text) => text);
  expect(Object.keys(facts)).toEqual(['what']);
});
