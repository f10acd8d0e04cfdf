// What a person types next after they have seen how a post stands: a line on stderr, below the table.

import { targetsOf, type TargetState } from '../../call/settle.ts';
import type { Input } from '../../call/request.ts';
import type { Calling } from '../calling.ts';
import { retryAdvice, waitLine } from '../target-advice.ts';
import type { Ended } from '../waiting.ts';

/** Names the command for what is under way, or else for what failed. Only below a table: a script knows its way. */
export async function nextStep(
  { data }: Ended,
  input: Input,
  calling: Calling,
): Promise<undefined> {
  const { settings, world, note } = calling;
  const { formOf } = await import('../show.ts');
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
