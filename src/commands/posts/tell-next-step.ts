// What is told below the table of a post. The words are loaded for a table alone: a script knows its way.

import type { Input } from '../../api/operations/define-operation.ts';
import type { CallContext, CallOutcome } from '../../client/call-context.ts';
import { formOf } from '../../output/write-result.ts';

/** Names the command for what is under way, or else for what failed. */
export async function tellNextStep(
  { data }: CallOutcome,
  input: Input,
  callContext: CallContext,
): Promise<undefined> {
  const { settings, runtime } = callContext;
  if (formOf(settings, runtime.stdout) !== 'table') return;
  const { nextStep } = await import('./next-step.ts');
  const { next, hint } = nextStep(data, String(input['postId']), callContext);
  if (hint !== undefined) runtime.note(hint);
  if (next !== undefined) runtime.note(`try: ${next}`);
}
