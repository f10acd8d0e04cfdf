// What `posts retry -i` offers: the failed targets that can be retried, all of them checked, each with its error.

import type { TargetState } from '../../api/schema/target-states.ts';
import type { CallContext } from '../../client/call-context.ts';
import { errorOf } from './target-filter.ts';

/** The IDs that a person leaves checked, if any. Throws `interrupted` where the question is left. */
export async function choose(
  failed: readonly TargetState[],
  { settings, runtime }: CallContext,
): Promise<readonly string[]> {
  const ask = await runtime.ask(settings.accessible);
  return ask.checklist({
    message: 'Which targets to retry?',
    choices: failed.map((target) => ({
      value: target.id,
      name: `${target.platform} ${target.id}`,
      checked: true,
      ...(errorOf(target) === '' ? {} : { hint: errorOf(target) }),
    })),
  });
}
