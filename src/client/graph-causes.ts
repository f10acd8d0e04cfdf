// The errors of Meta's Graph API, which Facebook, Instagram and Threads share.

import { codes, type PlatformReading } from './platform-reading.ts';

const graph: Omit<PlatformReading, 'source'> = {
  codes: [
    // Subcodes say more than the code before them.
    [/\b22070(?:01|03|08|27|32|53|82)\b|\b4279009\b/, 'temporary'],
    [/\b22070(?:42|50|51|69|81)\b/, 'platform'],
    [/\b22070(?:04|05|06|09|10|20|23|26|28|35|36|37|40|52|57)\b/, 'content'],
    [codes('458|459|460|463|464|467|492'), 'reconnect'],
    [codes('9007'), 'temporary'],
    [codes('368|3|25|36001|80001'), 'platform'],
    [
      codes('9004|36000|36003|36004|506|324|352|389|1609005|1366046|1349125|1363030|1363128'),
      'content',
    ],
    [codes('190|102|10|2\\d\\d'), 'reconnect'],
    [codes('4|17|32|613|341|8000\\d|8001\\d|1|2'), 'temporary'],
    [/"is_transient":\s*true/, 'temporary'],
  ],
  words: [
    [
      /error validating access token|session (?:has )?(?:expired|been invalidated)|has not authorized application|(?:requires|missing|not granted|without|lacks?) [\w ,]*permission|pages_|instagram_(?:basic|content_publish)|threads_|access token/i,
      'reconnect',
    ],
    [
      /(?:maximum|daily|24[- ]hour)[\w ]*(?:posts|publish)|content.publishing.limit|checkpoint|restrict(?:ed)?\b|temporarily blocked|polic(?:y|ies)|community standards|spam|inactive|disabled/i,
      'platform',
    ],
    [
      /request limit reached|too many calls|please (?:retry|try again)|temporarily unavailable|unexpected error has occurred|unknown error|reduce the amount|took too long|not ready|timed? ?out/i,
      'temporary',
    ],
    [
      /duplicate|aspect ratio|caption|hashtag|mention|media|format|too (?:long|large|big|small|short|many)|resolution|duration|could not be (?:fetched|downloaded)|only photo or video|invalid parameter|image|video|link|carousel|characters|does not exist/i,
      'content',
    ],
  ],
};

export const graphReadings: Readonly<Record<string, PlatformReading>> = {
  facebook: {
    source: 'developers.facebook.com/docs/graph-api/guides/error-handling',
    ...graph,
  },
  instagram: {
    source:
      'developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/error-codes',
    ...graph,
  },
  threads: { source: 'developers.facebook.com/docs/threads/troubleshooting', ...graph },
};
