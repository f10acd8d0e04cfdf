// Turns a command line into valid input, or into all of its faults at once. Sends nothing.

import type { Input } from '../api/operations/define-operation.ts';
import type { Field } from '../api/operations/fields.ts';
import type { Fault } from '../base/errors.ts';
import type { Runtime } from '../base/runtime.ts';
import { camelCase, flagName } from '../config/flags.ts';
import { accountFor, type Settings } from '../config/settings.ts';
import { mayPrompt } from '../prompts/confirm.ts';
import { type FlagContext, duplicateCount, fieldValueFromFlags } from './flag-values.ts';
import {
  accountFaults,
  emptyUpdate,
  inputWarnings,
  validateField,
  validateInput,
  withDefaults,
} from './validate-input.ts';
import type { Invocation } from './types.ts';

interface CollectedInput {
  /** The values of flags, files and settings, shared by all inputs. */
  readonly shared: Input;
  /** One input for each value of a positional argument that may be repeated; otherwise one. Empty if records follow. */
  readonly inputs: readonly Input[];
  readonly faults: readonly Fault[];
  readonly notes: readonly string[];
}

/** The sources of values besides the command line. */
interface CollectContext {
  readonly settings: Settings;
  readonly runtime: Runtime;
  /** True if prompts make sense, because the line has no other fault. */
  readonly mayAsk: boolean;
  /** True if records will supply missing values. */
  readonly records: boolean;
}

/**
 * Collects the values of an operation's fields from arguments, flags, files and settings, asks for missing ones where
 * it may, fills in defaults that depend on other fields, and validates all.
 */
export async function collectInputs(
  invocation: Invocation,
  context: CollectContext,
): Promise<CollectedInput> {
  const { operation, fields, spelling, typed } = invocation;
  const { settings, runtime, mayAsk, records } = context;
  const { flags, operands } = typed;
  const flagContext: FlagContext = {
    operation,
    flags,
    settings,
    runtime,
    faults: [],
    notes: [],
    unread: new Set(),
  };
  const { faults, notes, unread } = flagContext;
  const shared = await sharedOf(fields, spelling.given, flagContext);
  if (records) {
    if (settings.debug) notes.push(...accountNotes(invocation, settings));
    const wrong = [
      ...faults,
      ...judgeShared(invocation, shared).map(nameIn(namer(invocation, settings))),
    ];
    return { shared, inputs: [], faults: unique(wrong), notes };
  }
  const positional = fields.filter(({ argument }) => argument !== undefined);
  let inputs: readonly Input[] = spread(positional, operands, notes).map((input): Input => ({
    ...input,
    ...shared,
  }));
  const isMissing = ({ name, required }: Field) => required && inputs[0]![name] === undefined;
  const missing = fields.filter(isMissing);
  // A line that would be rejected anyway asks nothing.
  const isSound = () =>
    faults.length === 0 &&
    emptyUpdate(operation, fields, inputs[0]!).length === 0 &&
    inputs.every((input) => judgeGiven(invocation, input).length === 0);
  if (missing.length > 0 && mayAsk && isSound() && mayPrompt(settings, runtime)) {
    const { promptForMissing } = await import('./prompt-missing.ts');
    inputs = await promptForMissing(invocation, { missing, inputs }, context);
  }
  // These notes are printed later, just before the call.
  const tell = (line: string) => void notes.push(line);
  const completed = inputs.map((input) => withDefaults(operation, fields, input, tell));
  const named = namer(invocation, settings);
  const judged = completed.flatMap((input) =>
    validateInput(operation, fields, input, {
      unread,
      quoted: inputs.length > 1,
    }),
  );
  const onPlatform = accountFaults(operation, fields, settings, runtime);
  const misplaced = judged.length === 0 ? completed.flatMap(onPlatform) : [];
  if (settings.debug) notes.push(...accountNotes(invocation, settings));
  const remarks = new Set(completed.flatMap((input) => inputWarnings(fields, input, named)));
  return {
    shared,
    inputs: completed,
    faults: unique([...faults, ...[...judged, ...misplaced].map(nameIn(named))]),
    notes: [...notes, ...remarks],
  };
}

/** Shows the default account and its source, with --debug. */
function accountNotes({ operation, fields }: Invocation, settings: Settings): readonly string[] {
  const account = accountFor(settings, operation.platform);
  const takes = fields.some(({ fromContext }) => fromContext === 'account');
  return takes && account !== undefined ? [`account: ${account.id} (${account.from})`] : [];
}

/** Makes the function that names the source of a value in a fault: its flag, a variable, the context. */
function namer({ operation, fields, typed: { flags } }: Invocation, settings: Settings) {
  const from = new Map(
    fields
      .filter(({ secret, flag }) => secret && flags[camelCase(`${flag}-env`)] !== undefined)
      .map((field) => [flagName(field), `--${field.flag}-env`]),
  );
  for (const field of fields) {
    const origin = field.fromContext && accountFor(settings, operation.platform)?.from;
    if (origin !== undefined) from.set(flagName(field), origin);
  }
  return (flag: string) => from.get(flag) ?? flag;
}

const nameIn =
  (named: (flag: string) => string) =>
  (fault: Fault): Fault => ({ ...fault, field: named(fault.field) });

/** Returns the values that were not typed as arguments. */
async function sharedOf(
  fields: readonly Field[],
  spelled: Input,
  flagContext: FlagContext,
): Promise<Input> {
  const shared: Record<string, unknown> = { ...spelled };
  for (const field of fields.filter(({ argument }) => argument === undefined)) {
    const value = await fieldValueFromFlags(field, flagContext);
    if (value !== undefined) shared[field.name] = value;
  }
  return shared;
}

/** Validates the flags before the records are read. */
function judgeShared(invocation: Invocation, shared: Input): readonly Fault[] {
  const faults = judgeGiven(invocation, shared);
  if (invocation.typed.operands.length === 0) return faults;
  const clash = { field: '--from', problem: 'cannot be combined with IDs on the command line' };
  return [clash, ...faults];
}

/** Validates the given values, each by itself. */
const judgeGiven = ({ operation, fields }: Invocation, input: Input): readonly Fault[] =>
  fields.flatMap((field): readonly Fault[] => {
    const value = input[field.name];
    if (value === undefined) return [];
    const problem = validateField(operation, field, value);
    return problem === undefined ? [] : [{ field: flagName(field), problem }];
  });

/** Assigns the positional arguments; one that may be repeated makes an input for each value. */
function spread(
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

function unique(faults: readonly Fault[]): readonly Fault[] {
  const texts = faults.map(({ field, problem }) => `${field} ${problem}`);
  return faults.filter((_fault, i) => texts.indexOf(texts[i]!) === i);
}
