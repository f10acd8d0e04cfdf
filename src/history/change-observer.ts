// Connects calls to the history: what an entry says of a command, a batch, an agent's call or a plain request, and whether
// the user is asked before a repeat.

import type { CommandNames } from '../api/operations/command-names.ts';
import type { Input, Operation } from '../api/operations/define-operation.ts';
import { type Field, fieldsOf, isIdName } from '../api/operations/fields.ts';
import type { Runtime } from '../base/runtime.ts';
import { originOf, type Service } from '../client/open-service.ts';
import type { Settings } from '../config/settings.ts';
import { mayPrompt } from '../prompts/policy.ts';
import type { EntryStart } from './entries.ts';
import {
  type ChangeTarget,
  comparableInput,
  type HistoryContext,
  type ObservedChange,
  recordChange,
} from './recorder.ts';

interface WatchedCommand {
  readonly fields: readonly Field[];
  readonly spelling: CommandNames;
  readonly line: string;
}

interface Where {
  readonly settings: Settings;
  readonly service: Pick<Service, 'source' | 'baseUrl'>;
  readonly runtime: Runtime;
}

/** Observes the change of a single call; `undefined` where the history is off. */
export function observeChange(
  { fields, spelling, line }: WatchedCommand,
  where: Where,
): ObservedChange | undefined {
  const context = contextOf(spelling.words.join(' '), where, true);
  return recordChange(context, (input) => ({ ...targetOf(fields, input), more: { line } }));
}

/** Observes a batch: one entry for all of it, and no question. */
export function observeBatch(
  { spelling }: Pick<WatchedCommand, 'spelling'>,
  where: Where,
  target: ChangeTarget,
): ObservedChange | undefined {
  return recordChange(contextOf(spelling.words.join(' '), where, false), () => target);
}

/** Observes a change that an agent makes. The agent's own client asks before it. */
export function observeToolChange(
  operation: Operation,
  input: Input,
  where: Where,
): ObservedChange | undefined {
  const command = operation.command.replace(/\{(\w+)\}/g, (_all, name: string) =>
    String(input[name]),
  );
  const target = targetOf(fieldsOf(operation), input);
  return recordChange({ ...contextOf(command, where, false), by: 'agent' }, () => target);
}

/** Observes a change that no operation describes. */
export function observeRequest(
  command: string,
  where: Where,
  target: ChangeTarget,
): ObservedChange | undefined {
  return recordChange(contextOf(command, where, true), () => target);
}

/** The context of an entry; with `asks` the user is asked before a repeat, where prompts are allowed. */
function contextOf(
  command: string,
  { settings, service, runtime }: Where,
  asks: boolean,
): HistoryContext {
  const mayAsk = asks && !settings.yes && mayPrompt(settings, runtime);
  const ask = async (start: EntryStart) =>
    (await import('./repeat-guard.ts')).confirmRepeat(start, settings, runtime);
  const context = { command, origin: originOf(service), settings, runtime };
  return mayAsk ? { ...context, ask } : context;
}

/** The ids of an input, in declared order, and its text; credentials are in neither. */
function targetOf(fields: readonly Field[], input: Input): ChangeTarget {
  const ids = fields
    .filter((field) => !field.hidden && isIdName(field.name))
    .flatMap(({ name }) => input[name] ?? [])
    .map(String);
  const secrets = fields.filter(({ hidden }) => hidden).map(({ name }) => name);
  return { ids, input: comparableInput(input, secrets) };
}
