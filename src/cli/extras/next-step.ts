// What a person types next after they have seen how a post stands: a line on stderr, below the table.

import type { TargetState } from '../../call/settle.ts';
import type { Input } from '../../call/request.ts';
import { again } from '../again.ts';
import type { Calling } from '../calling.ts';
import type { Ended } from '../waiting.ts';

/** Names the command for what failed, or else for what is under way. Only below a table: a script knows its way. */
export async function nextStep(
  { data }: Ended,
  input: Input,
  calling: Calling,
): Promise<undefined> {
  const { settings, world, note } = calling;
  const { formOf } = await import('../show.ts');
  const targets = (data as { targets?: unknown } | undefined)?.targets;
  if (formOf(settings, world.stdout) !== 'table' || !Array.isArray(targets)) return;
  const has = (status: string) =>
    targets.some((target) => (target as TargetState | null)?.status === status);
  const id = String(input['postId']);
  if (has('publishing')) note(`try: ${again(`posts wait ${id}`, calling)}`);
  else if (has('failed')) note(`try: ${again(`posts retry ${id} --failed`, calling)}`);
}
