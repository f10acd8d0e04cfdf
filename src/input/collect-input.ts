// From what was typed to valid input, or to all that is wrong with it at once. Sends nothing.

import type { Operation, Input } from '../api/operations/define-operation.ts';
import type { Field } from '../api/operations/fields.ts';
import type { Fault } from '../base/errors.ts';
import type { Runtime } from '../base/runtime.ts';
import { IN_HISTORY, looksLikeSecret, quoteUnlessSecret } from '../base/secret-words.ts';
import type { CommandHooks } from '../client/call-context.ts';
import { camelCase, flagName } from '../config/flags.ts';
import type { Settings } from '../config/settings.ts';
import { mayPrompt } from '../prompts/policy.ts';
import { type FlagContext, repeatedCount, fieldValueFromFlags } from './flag-values.ts';
import { validateInput, validateField, inputWarnings } from './validate-input.ts';
import type { ParsedArgs } from './types.ts';
import type { RawFlags } from '../config/choices.ts';

export interface CollectedInput {
  /** The values of flags, files and settings. */
  readonly shared: Input;
  /** One for each value of a positional that may be given many times; otherwise one. None where records follow. */
  readonly inputs: readonly Input[];
  readonly faults: readonly Fault[];
  readonly notes: readonly string[];
  /** The flags that were typed, and those that answers stand for. */
  readonly flags: RawFlags;
}

/** What gathering may use besides what was typed. */
export interface CollectContext {
  readonly settings: Settings;
  readonly runtime: Runtime;
  readonly hooks: CommandHooks;
  readonly note: (line: string) => void;
  /** Whether a question makes sense: nothing else is wrong with the line. */
  readonly mayAsk: boolean;
  /** Whether records will fill in what is missing here. */
  readonly records: boolean;
}

/**
 * Collects the values of an operation's fields from operands, flags, files and settings, asks for what is missing
 * where it may, lets the command's hooks add what follows from them, and judges them all.
 */
export async function collectInputs(
  operation: Operation,
  fields: readonly Field[],
  given: Input,
  { flags, operands }: ParsedArgs,
  { settings, runtime, hooks, note, mayAsk, records }: CollectContext,
): Promise<CollectedInput> {
  const gathering: FlagContext = {
    operation,
    flags,
    settings,
    runtime,
    faults: [],
    notes: [],
    unread: new Set(),
  };
  const { faults, notes, unread } = gathering;
  const shared = await sharedOf(fields, given, gathering);
  if (records) {
    const wrong = [...faults, ...judgeShared(operation, fields, shared, operands)];
    return { shared, inputs: [], faults: unique(wrong), notes, flags };
  }
  const positional = fields.filter(({ argument }) => argument !== undefined);
  let inputs: readonly Input[] = spread(positional, operands, gathering).map((each): Input => ({
    ...each,
    ...shared,
  }));
  let answered: RawFlags = {};
  if (mayAsk && faults.length === 0 && mayPrompt(settings, runtime)) {
    const help = { settings, runtime, hooks, note };
    ({ inputs, flags: answered } = await askMissing(operation, fields, { inputs, flags }, help));
  }
  // What is filled in is told only where the call is made.
  const tell = (line: string) => void notes.push(line);
  const completed = inputs.map((input) => hooks.complete?.(input, tell) ?? input);
  const named = namer(fields, flags, settings);
  const judged = completed.flatMap((input) =>
    validateInput(operation, fields, input, { unread, quoted: inputs.length > 1 }),
  );
  const remarks = new Set(completed.flatMap((input) => inputWarnings(fields, input)));
  return {
    shared,
    inputs: completed,
    faults: unique([...faults, ...judged.map(named)]),
    notes: [...notes, ...remarks],
    flags: { ...flags, ...answered },
  };
}

/** Calls what is wrong with a value by the name of where it came from: a variable, the context, another flag. */
function namer(fields: readonly Field[], flags: RawFlags, { accountFrom }: Settings) {
  const from = new Map(
    fields
      .filter(({ secret, flag }) => secret && flags[camelCase(`${flag}-env`)] !== undefined)
      .map((field) => [flagName(field), `--${field.flag}-env`]),
  );
  if (accountFrom !== undefined) from.set('--account', accountFrom);
  return (fault: Fault): Fault => ({ ...fault, field: from.get(fault.field) ?? fault.field });
}

/** The values that were not typed as operands. */
async function sharedOf(
  fields: readonly Field[],
  given: Input,
  gathering: FlagContext,
): Promise<Input> {
  const shared: Record<string, unknown> = { ...given };
  for (const field of fields.filter(({ argument }) => argument === undefined)) {
    const value = await fieldValueFromFlags(field, gathering);
    if (value !== undefined) shared[field.name] = value;
  }
  return shared;
}

/** What can be said of the flags before the records are read. */
function judgeShared(
  operation: Operation,
  fields: readonly Field[],
  shared: Input,
  operands: readonly string[],
): readonly Fault[] {
  const faults = fields.flatMap((field) => {
    const value = shared[field.name];
    const problem = value === undefined ? undefined : validateField(operation, field, value);
    return problem === undefined ? [] : [{ field: flagName(field), problem }];
  });
  if (operands.length === 0) return faults;
  const clash = { field: '--from', problem: 'contradicts ids on the command line; choose one' };
  return [clash, ...faults];
}

/** Asks for the required fields that have no value; a command typed bare may have more to ask. */
async function askMissing(
  operation: Operation,
  fields: readonly Field[],
  { inputs, flags }: { readonly inputs: readonly Input[]; readonly flags: RawFlags },
  { settings, runtime, hooks, note }: Omit<CollectContext, 'mayAsk' | 'records'>,
): Promise<{ inputs: readonly Input[]; flags: RawFlags }> {
  const missing = fields.filter(({ name, required }) => required && inputs[0]![name] === undefined);
  if (missing.length === 0) return { inputs, flags: {} };
  const ask = await runtime.ask(settings.accessible);
  const { promptForField: askFor } = await import('./prompt-missing.ts');
  let answers: Input = {};
  for (const field of missing)
    answers = { ...answers, [field.name]: await askFor(field, operation, ask) };
  const bare = fields.every(({ name }) => name === 'accountId' || inputs[0]![name] === undefined);
  const more = bare ? await hooks.dialogue?.(answers, { ask, note, settings, flags }) : undefined;
  const all = more?.input ?? answers;
  return {
    inputs: inputs.map((input) => inDeclaredOrder(fields, { ...input, ...all })),
    flags: more?.flags ?? {},
  };
}

/** The fields as the operation declares them, whatever came first. */
function inDeclaredOrder(fields: readonly Field[], input: Input): Input {
  const names = fields.map(({ name }) => name).filter((name) => input[name] !== undefined);
  return { ...Object.fromEntries(names.map((name) => [name, input[name]])), ...input };
}

/** Gives each positional its value; where one may be typed many times, each makes a call of its own. */
function spread(
  fields: readonly Field[],
  operands: readonly string[],
  { faults, notes }: FlagContext,
): readonly Input[] {
  const [first] = fields;
  if (first?.argument === 'many') {
    const distinct = [...new Set(operands)];
    if (distinct.length < operands.length)
      notes.push(`${repeatedCount(operands.length - distinct.length, 'id')} done once`);
    return distinct.length === 0 ? [{}] : distinct.map((value) => ({ [first.name]: value }));
  }
  const extra = operands.slice(fields.length);
  if (extra.length > 0) {
    const taken =
      fields.length === 0 ? 'none is' : fields.length === 1 ? 'one is' : `${fields.length} are`;
    faults.push({
      field: 'arguments',
      problem: `are ${operands.length}, but ${taken} taken: ${extra.map(quoteUnlessSecret).join(', ')} not understood`,
      ...(extra.some(looksLikeSecret) ? { fix: IN_HISTORY } : {}),
    });
  }
  return [
    Object.fromEntries(fields.slice(0, operands.length).map(({ name }, i) => [name, operands[i]])),
  ];
}

function unique(faults: readonly Fault[]): readonly Fault[] {
  return faults.filter(
    (fault, i) =>
      faults.findIndex(
        ({ field, problem }) => field === fault.field && problem === fault.problem,
      ) === i,
  );
}
