// Connects calls to the history: what an entry says of a change, and whether the user is asked before a repeat.

import type { Input } from '../api/operations/define-operation.ts';
import { type Field, isIdName } from '../api/operations/fields.ts';
import { originOf } from '../client/open-service.ts';
import type { CallContext } from '../client/call-context.ts';
import { mayPrompt } from '../prompts/policy.ts';
import {
  type ChangeTarget,
  comparableInput,
  type HistoryContext,
  recordChange,
} from './recorder.ts';

interface Change extends Pick<HistoryContext, 'command' | 'by'> {
  targetOf(input: Input): ChangeTarget;
  /** Whether the user is asked before a repeat, where prompts are allowed. */
  readonly asks?: boolean;
}

/** Observes a change, or one batch of them; `undefined` where the history is off. */
export function observeChange(
  { command, by, targetOf, asks = false }: Change,
  { settings, service, runtime }: Pick<CallContext, 'settings' | 'service' | 'runtime'>,
) {
  const mayAsk = asks && !settings.yes && mayPrompt(settings, runtime);
  const ask: HistoryContext['ask'] = async (start) =>
    (await import('./repeat-guard.ts')).confirmRepeat(start, settings, runtime);
  const context = { command, by, origin: originOf(service), settings, runtime };
  return recordChange(mayAsk ? { ...context, ask } : context, targetOf);
}

/** The ids of an input, in declared order, and its text; credentials are in neither. */
export function changeTarget(fields: readonly Field[], input: Input): ChangeTarget {
  const ids = fields
    .filter((field) => !field.hidden && isIdName(field.name))
    .flatMap(({ name }) => input[name] ?? [])
    .map(String);
  const secrets = fields.filter(({ hidden }) => hidden).map(({ name }) => name);
  return { ids, input: comparableInput(input, secrets) };
}
