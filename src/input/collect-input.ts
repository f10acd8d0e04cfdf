// Turns a command line into valid input, or into all of its faults at once. Sends nothing.

import type { Input, Operation } from '../api/operations/define-operation.ts';
import { type CommandNames, type Field, isIdName, kebab } from '../api/operations/fields.ts';
import { strictPlatformOf } from '../api/schema/platforms.ts';
import type { Fault } from '../base/fault.ts';
import type { Offer, Prompts } from '../base/runtime.ts';
import { type CommandLine, commandWords, flagWords, shellLine } from '../base/shell.ts';
import { withScheme } from '../base/url.ts';
import type { CommandHooks, WaitOptions } from '../client/session.ts';
import type { CauseRule } from '../client/taught-causes.ts';
import { type FlagSpec, globalFlags, keyOfFlag, type RawFlags } from '../config/flags.ts';
import type { Settings } from '../config/settings.ts';
import { idsToOffer } from '../history/seen-ids.ts';
import { mayPrompt, openPrompts } from '../prompts/confirm.ts';
import { duplicateCount, type FlagLine, sourceOf, valuesFromFlags } from './flag-values.ts';
import {
  completeInput,
  emptyUpdate,
  inputWarnings,
  validateField,
  validateInput,
} from './validate-input.ts';

/** A valid command line of an operation as values: a single call, or a batch. */
export interface OperationCall {
  readonly operation: Operation;
  readonly fields: readonly Field[];
  /** The flags of its command beside those of the fields, of a wait and of a batch. */
  readonly flagSpecs: readonly FlagSpec[];
  readonly hooks: CommandHooks;
  /** The words of its command, and the fields that they imply. */
  readonly spelling: CommandNames;
  /** The words as they were typed, for suggested commands. */
  readonly argv: readonly string[];
  readonly operands: readonly string[];
  /** The flags as they were typed. */
  readonly typedFlags: RawFlags;
  /** The values of the flags. */
  readonly flags: RawFlags;
  readonly settings: Settings;
  /** One input per call, with what prompts asked for; empty if the records come from `--from`. */
  readonly inputs: readonly Input[];
  /** The fields that flags have set, the same for all records; they fill the missing ones of each. */
  readonly shared: Input;
  /** Remarks about the values, printed once it is certain that they are used. */
  readonly notes: readonly string[];
  /** Full paths of `--fields`. */
  readonly paths: readonly string[];
  /** The options of the wait of each call; absent without a wait. */
  readonly waiting: WaitOptions | undefined;
  readonly causeRules: readonly CauseRule[];
}

interface CollectedInput extends Pick<OperationCall, 'shared' | 'inputs' | 'notes'> {
  readonly faults: readonly Fault[];
}

/** The line of an operation. */
interface OperationLine extends Omit<FlagLine, 'operation'> {
  readonly operands: readonly string[];
  /** True if records will supply missing values. */
  readonly hasRecords: boolean;
}

/**
 * Collects the values of an operation's fields from arguments, flags, files and settings, asks for missing ones where
 * it may, fills in defaults that depend on other fields, and validates all.
 */
export async function collectInputs(
  command: Pick<OperationCall, 'operation' | 'fields' | 'spelling'>,
  line: OperationLine,
): Promise<CollectedInput> {
  const { operation, fields, spelling } = command;
  const { operands, settings, runtime } = line;
  const positional = fields.filter(({ argument }) => argument !== undefined);
  const flagged = fields.filter(({ argument }) => argument === undefined);
  const typed = await valuesFromFlags(flagged, { ...line, operation });
  const { unread } = typed;
  const notes = [...typed.notes];
  const shared: Input = { ...spelling.impliedFields, ...typed.values };
  const nameOf = (field: Field) => sourceOf(field, { ...line, operation });
  const faultsOfTyped = (input: Input) =>
    validateInput(operation, fields, input, { nameOf, isIncomplete: true });
  if (line.hasRecords) {
    const clash = { field: '--from', problem: 'cannot be combined with IDs on the command line' };
    const faults = [...typed.faults, ...(operands.length === 0 ? [] : [clash])];
    return { shared, inputs: [], faults: [...faults, ...faultsOfTyped(shared)], notes };
  }
  let inputs = inputsFromOperands(positional, operands, notes).map((input): Input => ({
    ...input,
    ...shared,
  }));
  // There is always one, and all have the same fields.
  const first = inputs[0]!;
  const missing = fields.filter(({ name, required }) => required && first[name] === undefined);
  const isSound = () =>
    line.isSound &&
    typed.faults.length === 0 &&
    emptyUpdate(operation, fields, first).length === 0 &&
    inputs.every((input) => faultsOfTyped(input).length === 0);
  if (missing.length > 0 && mayPrompt(settings, runtime) && isSound()) {
    const answers = await askForMissing(command, missing, first, line);
    inputs = inputs.map((input) => inOrder(operation, { ...input, ...answers }));
  }
  inputs = inputs.map((input) =>
    completeInput(operation, fields, input, (note) => void notes.push(note)),
  );
  const quoted = inputs.length > 1;
  const faults = inputs.flatMap((input) =>
    validateInput(operation, fields, input, { nameOf, unread, quoted }),
  );
  notes.push(...new Set(inputs.flatMap((input) => inputWarnings(fields, input, nameOf))));
  return { shared, inputs, faults: unique([...typed.faults, ...faults]), notes };
}

/** Assigns the positional arguments; one that may be repeated makes an input for each value. */
function inputsFromOperands(
  fields: readonly Field[],
  operands: readonly string[],
  notes: string[],
): readonly Input[] {
  const [first] = fields;
  if (first?.argument === 'many') {
    const distinct = [...new Set(operands)];
    if (distinct.length < operands.length)
      notes.push(`${duplicateCount(operands.length - distinct.length, 'ID')} ignored`);
    return distinct.length === 0 ? [{}] : distinct.map((value) => ({ [first.name]: value }));
  }
  return [
    Object.fromEntries(fields.slice(0, operands.length).map(({ name }, i) => [name, operands[i]])),
  ];
}

/** Orders values as the fields are declared, because the first one is the ID of the input. */
const inOrder = (operation: Operation, values: Input): Input =>
  Object.fromEntries(
    Object.keys(operation.input.shape)
      .filter((name) => name in values)
      .map((name) => [name, values[name]]),
  );

function unique(faults: readonly Fault[]): readonly Fault[] {
  const texts = faults.map(({ field, problem }) => `${field} ${problem}`);
  return faults.filter((_fault, i) => texts.indexOf(texts[i]!) === i);
}

/** Asks for the missing values, and offers IDs seen before; those of targets by their post. */
async function askForMissing(
  { operation, fields }: Pick<OperationCall, 'operation' | 'fields'>,
  missing: readonly Field[],
  input: Input,
  { settings, runtime }: OperationLine,
): Promise<Input> {
  const prompts = await openPrompts(settings, runtime);
  const platform = strictPlatformOf(operation);
  const postFields = fields.filter(({ idKind }) => idKind === 'post');
  const answers: Record<string, unknown> = {};
  for (const field of missing) {
    const answered: Input = { ...input, ...answers };
    const posts = postFields.flatMap(({ name }) => (answered[name] ?? []) as string | string[]);
    const { idKind: kind } = field;
    const offers = kind ? idsToOffer({ kind, platform, posts }, { ...settings, ...runtime }) : [];
    answers[field.name] = await askFor(field, operation, prompts, offers);
  }
  return answers;
}

/** Asks for the value of a field, in the form that its schema accepts. */
async function askFor(
  field: Field,
  operation: Operation,
  prompts: Prompts,
  idOffers: readonly Offer[],
): Promise<unknown> {
  const validate = (value: unknown) => validateField(operation, field, value);
  // The rest of the description is about the flag.
  const message = field.description.split(/;| \(/)[0]!;
  const { values = [] } = field;
  if (field.kind === 'list' && values.length > 0) {
    const choices = values.map((value) => ({ value, name: value }));
    return prompts.checklist({ message, choices, validate });
  }
  if (field.kind === 'list') {
    const text = await prompts.text({
      message: `${message} (separated by commas)`,
      validate: (line) => validate(split(line)),
    });
    return split(text);
  }
  const offers = [...idOffers, ...values.map((value): Offer => [value, ''])];
  const question = { message, offers, validate, clean: cleanerOf(field) };
  return field.secret ? prompts.secret(question) : prompts.text(question);
}

/** A pasted ID may have spaces around it, and an address often lacks its scheme; texts and secrets stay unchanged. */
function cleanerOf({ secret, prose, placeholder }: Field): (text: string) => string {
  if (secret || prose) return (text) => text;
  return placeholder.endsWith('url') ? withScheme : (text) => text.trim();
}

const split = (line: string) =>
  line
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);

const MAX_OPERANDS = 5;
const MAX_LENGTH = 400;

/**
 * Makes the command line for the history: its words, IDs and flags, without a text, a secret or an address: `posts
 * retry --from failed.csv --wait`. Of the global flags only the account is kept.
 */
export function recordedLine({
  spelling,
  operands,
  typedFlags,
  fields,
  flagSpecs,
}: OperationCall): string {
  const secrets = flagSpecs.filter(({ secret }) => secret).map(keyOfFlag);
  const hidden = new Set(
    fields.filter((field) => field.hidden || !isIdName(field.name)).map(({ flag }) => flag),
  );
  const omitted = new Set(['note', ...globalFlags.map(({ key }) => key)]);
  // Without its account, a line that is run again could act for another one.
  omitted.delete('account');
  const gap = { gap: '…' };
  const words = Object.entries(typedFlags).flatMap(([key, value]): CommandLine => {
    if (omitted.has(key)) return [];
    const flag = kebab(key);
    if (typeof value === 'boolean') return [`--${flag}`];
    const values = Array.isArray(value) ? value : [value];
    const isHidden = hidden.has(flag) || secrets.includes(key);
    return flagWords(`--${flag}`, ...values.map((text) => (isHidden ? gap : String(text))));
  });
  const more = operands.length > MAX_OPERANDS ? [gap] : [];
  const ids = [...operands.slice(0, MAX_OPERANDS), ...more];
  const line =
    shellLine(commandWords({ words: spelling.words, ids, flags: words })) ??
    `${spelling.words.join(' ')} …`;
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH - 1)}…` : line;
}
