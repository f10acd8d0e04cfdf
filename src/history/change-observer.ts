// The record of an operation's change, or of a batch of them.
import { fieldsOf, type Field } from '../api/operations/fields.ts';
import type { Operation, Input } from '../api/operations/define-operation.ts';
import type { Runtime } from '../base/runtime.ts';
import { mayPrompt } from '../prompts/policy.ts';
import { originOf, type Service } from '../client/open-service.ts';
import type { Settings } from '../config/settings.ts';
import type { EntryStart } from './entries.ts';
import {
  recordChange,
  comparableInput,
  type ChangeRecord,
  type ChangeTarget,
  type HistoryContext,
} from './recorder.ts';
import type { CommandNames } from '../api/operations/command-names.ts';
import type { ChangeObserver } from '../client/call-context.ts';

/** A record and how the calls of an operation fill it. */
export interface ObservedChange {
  readonly watch: ChangeObserver;
  readonly record: ChangeRecord;
}

/** The command as it was typed, and its fields. */
interface WatchedCommand {
  readonly fields: readonly Field[];
  readonly spelling: CommandNames;
}

interface Where {
  readonly settings: Settings;
  readonly service: Pick<Service, 'source' | 'baseUrl'>;
  readonly runtime: Runtime;
}

/** Watches the change of a single call; nothing where the user wants no record. */
export function observeChange(
  { fields, spelling }: WatchedCommand,
  where: Where,
): ObservedChange | undefined {
  return watched(recordingOf(spelling.words.join(' '), where, true), (input) => ({
    ids: idsOf(fields, input),
    input: comparableInput(input, secretNames(fields)),
  }));
}

/** Watches a batch: one record for all of it, and no question. */
export function observeBatch(
  { spelling }: Pick<WatchedCommand, 'spelling'>,
  where: Where,
  deed: ChangeTarget,
): ObservedChange | undefined {
  return watched(recordingOf(spelling.words.join(' '), where, false), () => deed);
}

/** Watches a change that an agent makes. Nobody is asked: the agent's own client does that. */
export function observeToolChange(
  operation: Operation,
  input: Input,
  where: Where,
): ObservedChange | undefined {
  const fields = fieldsOf(operation);
  const command = operation.command.replace(/\{(\w+)\}/g, (_all, name: string) =>
    String(input[name]),
  );
  const deed = { ids: idsOf(fields, input), input: comparableInput(input, secretNames(fields)) };
  return watched({ ...recordingOf(command, where, false), by: 'agent' }, () => deed);
}

/** Watches a change that no operation describes. */
export function observeRequest(
  command: string,
  where: Where,
  deed: ChangeTarget,
): ObservedChange | undefined {
  return watched(recordingOf(command, where, true), () => deed);
}

/** What a record of this call says of where and who; `asks` where a repeat is worth a question. */
function recordingOf(
  command: string,
  { settings, service, runtime }: Where,
  asks: boolean,
): HistoryContext {
  const mayAsk = asks && !settings.yes && mayPrompt(settings, runtime);
  const ask = async (begun: EntryStart) =>
    (await import('./repeat-guard.ts')).confirmRepeat(begun, settings, runtime);
  return {
    command,
    origin: originOf(service),
    settings,
    runtime,
    ...(mayAsk ? { ask } : {}),
  };
}

function watched(
  recording: HistoryContext,
  deedOf: (input: Input) => ChangeTarget,
): ObservedChange | undefined {
  const record = recordChange(recording);
  if (record === undefined) return undefined;
  return {
    record,
    watch: {
      asks: (input) => record.asks(deedOf(input)),
      leaves: (input) => record.leaves(deedOf(input)),
      answered: record.answered,
    },
  };
}

const secretNames = (fields: readonly Field[]): readonly string[] =>
  fields.filter(({ hidden }) => hidden).map(({ name }) => name);

/** The ids among the values of an input, in the order of the declaration. */
function idsOf(fields: readonly Field[], input: Input): readonly string[] {
  return fields
    .filter(({ name, hidden }) => !hidden && /(?:^id|Ids?)$/.test(name))
    .flatMap(({ name }) => input[name] ?? [])
    .map(String);
}
