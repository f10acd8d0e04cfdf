// `posts wait`: the wait of a retry, without the retry.

import type { Command } from 'commander';
import { type Input } from '../../api/operations/define-operation.ts';
import { get } from '../../api/operations/posts.ts';
import { addOperationCommands } from '../../cli/operation-command.ts';
import { callOperation } from '../../client/call-operation.ts';
import type { CommandHooks, CallContext, CallOutcome } from '../../client/call-context.ts';
import { retryAdvice, waitLine } from '../../wait/target-advice.ts';
import { targetsOf, type TargetState } from '../../api/schema/target-states.ts';
import { waitForPost } from '../../api/operations/wait-for-post.ts';
import type { CommandContext } from '../../cli/command-context.ts';

export const waitHooks: CommandHooks = {
  async before(input, callContext) {
    const instead = await callOperation(callContext, get, { postId: input['postId'] });
    const wanted = input['targetIds'] as readonly string[] | undefined;
    return { input, instead, ...(wanted === undefined ? {} : { wanted }) };
  },
};

// `posts wait`: stays until the targets of a post have settled. Sends nothing but reads.

export function add(program: Command, commandContext: CommandContext): void {
  addOperationCommands(
    program,
    waitForPost,
    { hooks: waitHooks, alwaysWaits: true },
    commandContext,
  );
}

// What a person types next after they have seen how a post stands: a line on stderr, below the table.

/** Names the command for what is under way, or else for what failed. Only below a table: a script knows its way. */
export async function nextStep(
  { data }: CallOutcome,
  input: Input,
  callContext: CallContext,
): Promise<undefined> {
  const { settings, runtime } = callContext;
  const { formOf } = await import('../../output/write-result.ts');
  const targets = usable(data);
  if (formOf(settings, runtime.stdout) !== 'table' || targets === undefined) return;
  const id = String(input['postId']);
  const wait = waitLine(id, targets, callContext);
  const { next, hint } =
    wait === undefined ? retryAdvice(id, targets, targets, callContext) : { next: wait };
  if (hint !== undefined) runtime.note(hint);
  if (next !== undefined) runtime.note(`try: ${next}`);
}

/** The targets of an answer; nothing where it has none that can be read. */
function usable(data: unknown): readonly TargetState[] | undefined {
  try {
    return targetsOf(data);
  } catch {
    return undefined;
  }
}
