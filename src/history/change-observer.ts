// The record of an operation's change, or of a batch of them.
import { fieldsOf, type Field } from '../api/operations/fields.ts';
import type { Operation, Input } from '../api/operations/define-operation.ts';
import type { World } from '../base/runtime.ts';
import { canAsk } from '../prompts/policy.ts';
import { notesTo } from '../output/notes.ts';
import { originOf, type Service } from '../client/open-service.ts';
import type { Settings } from '../config/settings.ts';
import type { Begun } from './entries.ts';
import { recordChange, textOf, type ChangeRecord, type Deed, type Recording } from './recorder.ts';
import type { Spelling } from '../api/operations/command-names.ts';
import type { ChangeWatch, CallOptions } from '../client/call-context.ts';

/** A record and how the calls of an operation fill it. */
export interface Watched {
  readonly watch: ChangeWatch;
  readonly record: ChangeRecord;
}

/** The command as it was typed, and its fields. */
interface WatchedCommand {
  readonly fields: readonly Field[];
  readonly spelling: Spelling;
}

interface Where {
  readonly settings: Settings;
  readonly service: Pick<Service, 'source' | 'baseUrl'>;
  readonly world: World;
}

/** Watches the change of a single call; nothing where the user wants no record. */
export function watchChange(
  { fields, spelling }: WatchedCommand,
  { settings }: Pick<CallOptions, 'settings'>,
  service: Service,
  world: World,
): Watched | undefined {
  return watched(
    recordingOf(spelling.words.join(' '), { settings, service, world }, true),
    (input) => ({ ids: idsOf(fields, input), input: textOf(input, secretNames(fields)) }),
  );
}

/** Watches a batch: one record for all of it, and no question. */
export function watchBatch(
  { spelling }: Pick<WatchedCommand, 'spelling'>,
  { settings }: Pick<CallOptions, 'settings'>,
  service: Service,
  world: World,
  deed: Deed,
): Watched | undefined {
  const recording = recordingOf(spelling.words.join(' '), { settings, service, world }, false);
  return watched(recording, () => deed);
}

/** Watches a change that an agent makes. Nobody is asked: the agent's own client does that. */
export function watchTool(operation: Operation, input: Input, where: Where): Watched | undefined {
  const fields = fieldsOf(operation);
  const command = operation.command.replace(/\{(\w+)\}/g, (_all, name: string) =>
    String(input[name]),
  );
  const deed = { ids: idsOf(fields, input), input: textOf(input, secretNames(fields)) };
  return watched({ ...recordingOf(command, where, false), by: 'agent' }, () => deed);
}

/** Watches a change that no operation describes. */
export function watchDeed(command: string, where: Where, deed: Deed): Watched | undefined {
  return watched(recordingOf(command, where, true), () => deed);
}

/** What a record of this call says of where and who; `asks` where a repeat is worth a question. */
function recordingOf(
  command: string,
  { settings, service, world }: Where,
  asks: boolean,
): Recording {
  const mayAsk = asks && !settings.yes && canAsk(settings, world);
  const ask = async (begun: Begun) =>
    (await import('./repeat-guard.ts')).askAgain(begun, settings, world);
  return {
    command,
    origin: originOf(service),
    settings,
    world,
    note: notesTo(world, settings),
    ...(mayAsk ? { ask } : {}),
  };
}

function watched(recording: Recording, deedOf: (input: Input) => Deed): Watched | undefined {
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
  fields.filter(({ secret, sensitive }) => secret || sensitive).map(({ name }) => name);

/** The ids among the values of an input, in the order of the declaration. */
function idsOf(fields: readonly Field[], input: Input): readonly string[] {
  return fields
    .filter(({ name, secret, sensitive }) => !secret && !sensitive && /(?:^id|Ids?)$/.test(name))
    .flatMap(({ name }) => input[name] ?? [])
    .map(String);
}
