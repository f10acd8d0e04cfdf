// The name of a context as an operand: a known one, or a new one.

import { usageFailure } from '../../base/errors.ts';
import { notAmong } from '../../base/suggestions.ts';
import type { LocalCall } from '../../cli/local-command.ts';
import { contextNameFault } from '../../config/file.ts';
import { SANDBOX } from '../../config/settings.ts';

const NAME_FIELD = 'context name';

export const wrongName = (problem: string) => usageFailure({ field: NAME_FIELD, problem });

/** The name that was given as one of the operands; a known context’s unless it may be new. */
export function contextNameOf(
  { operands, config }: LocalCall,
  { mayBeNew = false }: { mayBeNew?: boolean } = {},
): string {
  const [name] = operands;
  const known = [SANDBOX, ...Object.keys(config.contexts ?? {})];
  const problem = name === undefined ? undefined : contextNameFault(name);
  if (problem !== undefined) throw wrongName(problem);
  if (name === undefined) {
    const fix = mayBeNew ? {} : { fix: `contexts: ${known.join(', ')}` };
    throw usageFailure({ field: NAME_FIELD, problem: 'is required', ...fix });
  }
  if (!mayBeNew && !known.includes(name)) throw usageFailure(notAmong('context', name, known));
  if (mayBeNew && name === SANDBOX) throw wrongName('"sandbox" is built in and cannot be changed');
  return name;
}
