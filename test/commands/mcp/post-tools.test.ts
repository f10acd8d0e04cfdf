// The tools for agents that make several requests, where one of these fails by a fault of the program.

import { expect, it } from 'vitest';
import { createPostTools } from '../../../src/commands/mcp/post-tools.ts';
import type { RunContext } from '../../../src/commands/mcp/tools.ts';
import { targetPost, targets } from '../../support/posts.ts';

it('a triage ends with a fault of the program, and counts it as no post that cannot be read', async () => {
  const looks = [
    Promise.reject(new TypeError('a fault')),
    Promise.resolve({ data: targetPost([targets.twitter('failed')]) }),
  ];
  const context = {
    callContext: { flags: {}, runtime: { secrets: { mask: (text: string) => text } } },
    turn: () => looks.shift()!,
  } as unknown as RunContext;
  const [triage] = createPostTools(() => 0).tools;
  const input = { postIds: ['PostForTheTestsA', 'PostForTheTestsB'] };
  await expect(triage!.run!(input, context)).rejects.toMatchObject({ kind: 'internal' });
});
