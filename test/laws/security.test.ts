// docs/security.md says of each threat which test proves the answer: that test is there, under that name.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const page = readFileSync(new URL('docs/security.md', root), 'utf8');
const rows = page
  .split('\n')
  .filter(
    (line) => line.startsWith('| ') && !line.startsWith('| Threat') && !line.startsWith('| **'),
  )
  .map((line) => line.slice(2, -2).split(' | '));

/** The sources of a test file, as its names read: without the rows of the catalogue, and without escapes. */
const namesIn = (file: string): string =>
  readFileSync(new URL(`test/${file}`, root), 'utf8')
    .replaceAll(/ ?\[[A-Z]\d+\]/g, '')
    .replaceAll("\\'", "'");

describe('docs/security.md', () => {
  it.each(rows.map(([threat = '', answer = '', proofs = '']) => ({ threat, answer, proofs })))(
    '$threat',
    ({ answer, proofs }) => {
      expect(answer).not.toBe('');
      const named = proofs.split('<br>').map((proof) => /^`([^`]+)`: (.+)$/.exec(proof));
      for (const proof of named) {
        const [, file = '', name = ''] = proof ?? [];
        expect(namesIn(file)).toContain(name);
      }
    },
  );

  it('has an answer to more than twenty threats', () => {
    expect(rows.length).toBeGreaterThan(20);
  });
});
