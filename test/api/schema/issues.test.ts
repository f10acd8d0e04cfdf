// A schema that is used often is compiled, and finds the same errors as before.

import { describe, expect, it } from 'vitest';
import { get } from '../../../src/api/operations/posts.ts';
import { everyOperation } from '../../../src/api/operations/registry.ts';
import { issuesOf } from '../../../src/api/schema/issues.ts';
import { targetPost, targets } from '../../support/posts.ts';

const post = targetPost([targets.linkedin('published')]);
const values: readonly unknown[] = [
  post,
  { ...post, unknown: 1 },
  { ...post, targets: [{ ...post.targets[0], id: 5, updatedAt: '2026-02-30T00:00Z' }, null] },
  { ...post, status: null, tags: 'none', recycling: { every: 0, enabled: 'yes' } },
  {},
  { targets: {} },
  null,
  [],
];

const every = (await everyOperation()).map(({ operation }) => operation);

describe('the errors of a schema', () => {
  it.each(every.map((operation) => [operation.command, operation] as const))(
    'of %s are the same before and after it was compiled',
    (_command, { result }) => {
      const first = values.map((value) => issuesOf(result, value));
      for (let times = 0; times < 3; times++)
        expect(values.map((value) => issuesOf(result, value))).toEqual(first);
    },
  );

  it('do not change the value', () => {
    const before = JSON.stringify(post);
    for (let times = 0; times < 25; times++) issuesOf(get.result, post);
    expect(JSON.stringify(post)).toBe(before);
  });
});
