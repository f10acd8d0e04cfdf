// The output of a wait: the lines of changes, and the line below them.

import { describe, expect, it } from 'vitest';
import { waitOperation } from '../../src/commands/posts/posts.ts';
import { changeLines, waitParts } from '../../src/wait/wait.ts';

const post = (...statuses: readonly string[]) => ({
  id: 'PostOfATest',
  status: 'publishing',
  targets: statuses.map((status, i) => ({
    id: `Target${i}`,
    platform: 'linkedin',
    status,
    updatedAt: '2026-03-02T12:00:00.000Z',
  })),
});

describe('the lines of status changes', () => {
  it('have each status at first, and then the changed ones', () => {
    const changes = changeLines(waitOperation, false);
    expect(changes(post('publishing', 'failed'), 0)).toEqual([
      '+0s linkedin Target0 publishing',
      '+0s linkedin Target1 failed',
    ]);
    expect(changes(post('publishing', 'failed'), 1499)).toEqual([]);
    expect(changes(post('published', 'failed'), 1500)).toEqual([
      '+2s linkedin Target0 publishing → published',
    ]);
  });

  it('spell out the signs in accessible mode', () => {
    const changes = changeLines(waitOperation, true);
    changes(post('publishing'), 0);
    expect(changes(post('published'), 3000)).toEqual([
      '+3s linkedin Target0 publishing, now published',
    ]);
  });
});

it('the line of a wait says how it stands, and how long it has been and will be', () => {
  expect(waitParts('1 of 2', 1500, 60_000)).toEqual(['1 of 2; timeout in 59s', '; 1s elapsed']);
  expect(waitParts('1 of 2', 61_000, 60_000).join('')).toContain('timeout in 0s; 1m 1s elapsed');
});
