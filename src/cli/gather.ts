// From what was typed to valid input, or to all that is wrong with it at once. Sends and asks nothing.

import type { Fault } from '../errors.ts';
import type { Input } from '../call/request.ts';
import type { Field } from '../operations/field.ts';
import type { Operation } from '../operations/operation.ts';
import { quote } from '../output/sanitize.ts';
import type { World } from '../world.ts';
import { camel } from './camel.ts';
import { clearFlag, flagOf, judge } from './judge.ts';
import { secretFrom } from './secret.ts';
import type { RawFlags, Settings } from './settings.ts';
import { readText } from './source.ts';

export interface Typed {
  /** The positionals, in order. */
  readonly operands: readonly string[];
  readonly flags: RawFlags;
}

export interface Gathered {
  /** One for each value of a positional that may be given many times; otherwise one. */
  readonly inputs: readonly Input[];
  readonly faults: readonly Fault[];
  readonly notes: readonly string[];
}

/** What is known while values are collected, and what has gone wrong so far. */
interface Gathering {
  readonly flags: RawFlags;
  readonly settings: Settings;
  readonly world: World;
  readonly faults: Fault[];
  readonly notes: string[];
  /** Names of fields whose value could not be read: they are neither missing nor worth judging. */
  readonly unread: Set<string>;
}

/**
 * Collects the values of an operation's fields from operands, flags, files and settings, lets `complete` add what
 * follows from them, and judges them all.
 */
export async function gather(
  operation: Operation,
  fields: readonly Field[],
  given: Input,
  typed: Typed,
  settings: Settings,
  world: World,
  complete: (input: Input) => Input,
): Promise<Gathered> {
  const gathering: Gathering = {
    flags: typed.flags,
    settings,
    world,
    faults: [],
    notes: [],
    unread: new Set(),
  };
  const { faults, notes, unread } = gathering;
  const shared: Record<string, unknown> = { ...given };
  for (const field of fields.filter(({ argument }) => argument === undefined)) {
    const value = await valueOf(field, gathering);
    if (value !== undefined) shared[field.name] = value;
  }
  const positional = fields.filter(({ argument }) => argument !== undefined);
  const inputs = spread(positional, typed.operands, gathering).map((each) =>
    complete({ ...each, ...shared }),
  );
  const judged = inputs.flatMap((input) =>
    judge(operation, fields, input, { unread, quoted: inputs.length > 1 }),
  );
  return { inputs, faults: unique([...faults, ...judged]), notes };
}

/** Gives each positional its value; where one may be typed many times, each makes a call of its own. */
function spread(
  fields: readonly Field[],
  operands: readonly string[],
  { faults, notes }: Gathering,
): readonly Input[] {
  const [first] = fields;
  if (first?.argument === 'many') {
    const distinct = [...new Set(operands)];
    if (distinct.length < operands.length)
      notes.push(`${operands.length - distinct.length} repeated id(s) done once`);
    return distinct.length === 0 ? [{}] : distinct.map((value) => ({ [first.name]: value }));
  }
  const extra = operands.slice(fields.length);
  if (extra.length > 0) {
    const taken =
      fields.length === 0 ? 'none is' : fields.length === 1 ? 'one is' : `${fields.length} are`;
    faults.push({
      field: 'arguments',
      problem: `are ${operands.length}, but ${taken} taken: ${extra.map(quote).join(', ')} not understood`,
    });
  }
  return [
    Object.fromEntries(fields.slice(0, operands.length).map(({ name }, i) => [name, operands[i]])),
  ];
}

async function valueOf(field: Field, gathering: Gathering): Promise<unknown> {
  const { flags, settings, world } = gathering;
  const typed = flags[camel(field.flag)];
  if (field.nullable && flags[camel(clearFlag(field))] === true) return cleared(field, gathering);
  if (field.flag === 'account') return typed ?? settings.account;
  if (field.kind === 'boolean') return toggled(field, gathering);
  if (field.kind === 'list') return listed(field, gathering);
  if (field.kind === 'map') return mapped(field, gathering);
  if (field.secret) return readOr(field, await secretFrom(field, flags, world), gathering);
  const file = flags[`${camel(field.flag)}File`];
  if (!field.prose || typeof file !== 'string') return typed;
  const flag = `--${field.flag}-file`;
  if (typed !== undefined)
    return readOr(
      field,
      { field: flag, problem: `contradicts --${field.flag}; choose one` },
      gathering,
    );
  return readOr(field, await readText(file, flag, world), gathering);
}

function readOr(
  field: Field,
  value: string | Fault | undefined,
  { faults, unread }: Gathering,
): string | undefined {
  if (typeof value === 'string' || value === undefined) return value;
  faults.push(value);
  unread.add(field.name);
  return undefined;
}

function cleared(field: Field, { flags, faults }: Gathering): null {
  const key = camel(field.flag);
  const set = [key, `${key}File`, `${key}Env`, camel(`generate-${field.flag}`)].some(
    (each) => flags[each] !== undefined,
  );
  if (set)
    faults.push({
      field: `--${clearFlag(field)}`,
      problem: `contradicts ${flagOf(field)}; choose one`,
    });
  return null;
}

function toggled({ flag, offFlag }: Field, { flags, faults }: Gathering): boolean | undefined {
  const [on, off] = [flags[camel(flag)] === true, flags[camel(offFlag!)] === true];
  if (on && off)
    faults.push({ field: `--${flag}`, problem: `contradicts --${offFlag!}; choose one` });
  return on ? true : off ? false : undefined;
}

function listed(field: Field, { flags, faults, notes }: Gathering): readonly string[] | undefined {
  const typed = flags[camel(field.flag)] as readonly string[] | undefined;
  const all = `all-${field.flag}s`;
  if (field.values !== undefined && flags[camel(all)] === true) {
    if (typed !== undefined)
      faults.push({ field: `--${all}`, problem: `contradicts --${field.flag}; choose one` });
    return field.values;
  }
  const values = typed?.flatMap((each) => each.split(',')).filter((each) => each !== '');
  if (values === undefined || field.values !== undefined) return values;
  const distinct = [...new Set(values)];
  if (distinct.length < values.length)
    notes.push(`--${field.flag}: ${values.length - distinct.length} repeated value(s) left out`);
  return distinct;
}

/** `K: V` pairs into an object that has no prototype to spoil. A pair's text may be secret: only its number is told. */
function mapped(field: Field, { flags, faults, unread }: Gathering): Input | undefined {
  const pairs = flags[camel(field.flag)] as readonly string[] | undefined;
  if (pairs === undefined) return undefined;
  const map = Object.create(null) as Record<string, string>;
  for (const [i, pair] of pairs.entries()) {
    const at = pair.indexOf(':');
    if (at > 0) map[pair.slice(0, at).trim()] = pair.slice(at + 1).trim();
    else
      faults.push({
        field: `--${field.flag}`,
        problem: `must be 'Name: value' (number ${i + 1} has no colon)`,
      });
    if (at <= 0) unread.add(field.name);
  }
  return map;
}

function unique(faults: readonly Fault[]): readonly Fault[] {
  return faults.filter(
    (fault, i) =>
      faults.findIndex(
        ({ field, problem }) => field === fault.field && problem === fault.problem,
      ) === i,
  );
}
