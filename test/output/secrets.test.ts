// The secrets of a program run.

import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/base/errors.ts';
import { secretPlaces, secretTexts } from '../../src/output/credentials.ts';
import { createSecrets, MASK, redactFailure } from '../../src/output/redact.ts';

describe('the secrets of a run', () => {
  it('are those from the start, and those that are added until they are taken back', () => {
    const secrets = createSecrets('first-one');
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
    const secrets = createSecrets('');
    expect(secrets.mask('a second-one')).toBe('a second-one');
    const takeBack = secrets.add(['second-one']);
    expect(secrets.mask('a second-one')).toBe(`a ${MASK}`);
    takeBack();
    expect(secrets.mask('a second-one')).toBe('a second-one');
  });

  it('are masked though the list of them grows after it was given', () => {
    const list: string[] = [];
    const secrets = createSecrets('', list);
    expect(secrets.mask('grown-later')).toBe('grown-later');
    list.push('grown-later');
    expect(secrets.mask('grown-later')).toBe(MASK);
    list[0] = 'other-word';
    expect(secrets.mask('grown-later other-word')).toBe(`grown-later ${MASK}`);
  });
});

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
