// An address in two, the same whether it was seen before or not.

import { describe, expect, it } from 'vitest';
import { createUrlSplitter } from '../../src/base/url.ts';

const cutAnew = (url: string) => createUrlSplitter()(url);

describe('an address', () => {
  it.each([
    ['http://h.example/v1/posts/Post-1_a', 'http://h.example', '/v1/posts/Post-1_a'],
    ['https://h.example:8443/v1', 'https://h.example:8443', '/v1'],
    ['http://h.example:80/v1', 'http://h.example', '/v1'],
    ['http://H.Example/v1?b=1&c=%20', 'http://h.example', '/v1?b=1&c=%20'],
    ['http://h.example/a%2Fb', 'http://h.example', '/a%2Fb'],
    ['http://h.example/a/../b', 'http://h.example', '/b'],
    ['http://h.example', 'http://h.example', '/'],
    ['http://[::1]:8080/v1/posts', 'http://[::1]:8080', '/v1/posts'],
  ])('%s', (url, origin, path) => {
    expect(cutAnew(url)).toEqual({ origin, path });
  });

  it.each([
    'http://h.example/v1/posts/Another',
    'http://h.example:80/v1',
    'http://h.example:8080/v1',
    'http://h.example.org/v1',
    'http://h.examples/v1',
    'http://i.example/v1',
    'http://h.example/v1/../v2',
    'http://h.example/v1?limit=2',
    'http://h.example',
    'https://h.example/v1',
  ])('is cut up after another one as it is alone: %s', (url) => {
    const cutUp = createUrlSplitter();
    cutUp('http://h.example/v1/posts');
    expect(cutUp(url)).toEqual(cutAnew(url));
  });
});
