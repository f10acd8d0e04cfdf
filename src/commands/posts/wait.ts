// `posts wait`: the wait of a retry, without the retry.

import type { Command } from 'commander';
import { type Operation, operation } from '../../api/operations/define-operation.ts';
import { get, retry } from '../../api/operations/posts.ts';
import { ResourceId } from '../../api/schema/ids.ts';
import { described } from '../../api/schema/rules.ts';
import { addVerb, type Surroundings } from '../../cli/operation-command.ts';
import type { Input } from '../../client/build-request.ts';
import { call, type Calling } from '../../client/call-operation.ts';
import type { Extra } from '../../client/command-hooks.ts';
import { targetsOf, type TargetState } from '../../wait/poll.ts';
import { retryAdvice, waitLine } from '../../wait/target-advice.ts';
import type { Ended } from '../../wait/watch.ts';

/** Reads like an operation to the command line; what it sends is the read of a post. */
export const waitForPost: Operation = {
  ...operation({
    command: 'posts wait',
    summary: 'Wait until the targets of a post have settled',
    method: 'GET',
    path: '/v1/posts/{postId}',
    input: {
      postId: described(ResourceId, 'Post to wait for', { argument: 'many' }),
      targetIds: described(retry.input.shape.targetIds, 'Only this target counts', {
        flag: 'target',
      }),
    },
    result: get.result,
    rows: 'targets',
    columns: ['platform', 'status', 'id', 'error', 'nativeUrl', 'updatedAt'],
    wait: { kind: 'targets', poll: get },
    assumes: [
      'transitions are not documented; publishing, scheduled and unknown statuses count as moving',
    ],
    examples: [['Wait for a post', 'social posts wait PostAutumnRecaps']],
  }),
  header: get.header,
};

export const postsWait: Extra = {
  async before(input, calling) {
    const instead = await call(calling, get, { postId: input['postId'] });
    const wanted = input['targetIds'] as readonly string[] | undefined;
    return { input, instead, ...(wanted === undefined ? {} : { wanted }) };
  },
};

// `posts wait`: stays until the targets of a post have settled. Sends nothing but reads.

export function add(program: Command, around: Surroundings): void {
  addVerb(program, waitForPost, {}, around, 'always');
}

// What a person types next after they have seen how a post stands: a line on stderr, below the table.

/** Names the command for what is under way, or else for what failed. Only below a table: a script knows its way. */
export async function nextStep(
  { data }: Ended,
  input: Input,
  calling: Calling,
): Promise<undefined> {
  const { settings, world, note } = calling;
  const { formOf } = await import('../../output/write-result.ts');
  const targets = usable(data);
  if (formOf(settings, world.stdout) !== 'table' || targets === undefined) return;
  const id = String(input['postId']);
  const wait = waitLine(id, targets, calling);
  const { next, hint } =
    wait === undefined ? retryAdvice(id, targets, targets, calling) : { next: wait };
  if (hint !== undefined) note(hint);
  if (next !== undefined) note(`try: ${next}`);
}

/** The targets of an answer; nothing where it has none that can be read. */
function usable(data: unknown): readonly TargetState[] | undefined {
  try {
    return targetsOf(data);
  } catch {
    return undefined;
  }
}
