// The value of one field, from its flag, file, variable or editor. Values that cannot be read or contradict each other
// become faults; the rules of the value are checked elsewhere.

import type { Fault } from '../base/errors.ts';
import type { Field } from '../api/operations/fields.ts';
import type { Operation, Input } from '../api/operations/define-operation.ts';
import type { Runtime } from '../base/runtime.ts';
import { allFlag, camelCase, clearFlag, keyOfFlag, type RawFlags } from '../config/flags.ts';
import { mayPrompt } from '../prompts/confirm.ts';
import { validateField } from './validate-input.ts';
import { accountFor, type Settings } from '../config/settings.ts';
import { readHeaderLines, readText, secretFrom } from './text-input.ts';

/** The typed flags, and the faults and notes so far. */
export interface FlagContext {
  readonly operation: Operation;
  readonly flags: RawFlags;
  readonly settings: Settings;
  readonly runtime: Runtime;
  readonly faults: Fault[];
  readonly notes: string[];
  /** Names of fields whose value could not be read: they are neither missing nor validated. */
  readonly unread: Set<string>;
}

/** Returns the value of a field; `undefined` if none was given, or if it cannot be read. */
export async function fieldValueFromFlags(
  field: Field,
  flagContext: FlagContext,
): Promise<unknown> {
  const { flags, settings, runtime, operation, faults, unread } = flagContext;
  const typed = flags[camelCase(field.flag)];
  if (field.nullable && flags[keyOfFlag({ flags: clearFlag(field) })] === true)
    return nullFrom(field, flagContext);
  if (field.fromContext !== undefined) return typed ?? accountFor(settings, operation.platform)?.id;
  if (field.kind === 'boolean') return booleanFrom(field, flagContext);
  if (field.kind === 'list') return listFrom(field, flagContext);
  if (field.kind === 'map') return mapFrom(field, flagContext);
  if (!field.secret && !field.prose) return typed;
  const value = await (field.secret
    ? secretFrom(field, flags, runtime)
    : proseFrom(field, flagContext));
  if (typeof value !== 'object') return value;
  faults.push(value);
  unread.add(field.name);
  return undefined;
}

/** Reads a text that was typed, is in a file, or is written in an editor. Returns the fault if it cannot. */
async function proseFrom(
  field: Field,
  { flags, runtime, settings, operation }: FlagContext,
): Promise<string | Fault | undefined> {
  const typed = flags[camelCase(field.flag)] as string | undefined;
  const file = flags[`${camelCase(field.flag)}File`];
  const edits = flags['editor'] === true;
  const fileFlag = `--${field.flag}-file`;
  const used: string[] = [];
  if (typed !== undefined) used.push(`--${field.flag}`);
  if (file !== undefined) used.push(fileFlag);
  if (edits) used.push('--editor');
  if (used.length > 1) return { field: used[1]!, problem: `cannot be combined with ${used[0]!}` };
  if (typeof file === 'string') return readText(file, fileFlag, runtime);
  if (!edits) return typed;
  if (!mayPrompt(settings, runtime)) return { field: '--editor', problem: 'needs a terminal' };
  const { editText } = await import('../prompts/editor.ts');
  return editText(field.description, (text) => validateField(operation, field, text), runtime);
}

/** Returns `null` for `--clear-…`, which cannot be combined with a value. */
function nullFrom(field: Field, { flags, faults }: FlagContext): null {
  const { flag } = field;
  const ways = [flag, `${flag}-file`, `${flag}-env`];
  const typed = ways.filter((way) => flags[camelCase(way)] !== undefined);
  for (const way of typed)
    faults.push({ field: clearFlag(field), problem: `cannot be combined with --${way}` });
  return null;
}

/** Returns the value of a boolean; `undefined` without a flag. Every boolean has an `offFlag`. */
function booleanFrom({ flag, offFlag }: Field, { flags }: FlagContext): boolean | undefined {
  if (flags[camelCase(flag)] === true) return true;
  return flags[camelCase(offFlag!)] === true ? false : undefined;
}

function listFrom(
  field: Field,
  { flags, faults, notes }: FlagContext,
): readonly string[] | undefined {
  const typed = flags[camelCase(field.flag)] as readonly string[] | undefined;
  const all = allFlag(field);
  if (all !== undefined && flags[keyOfFlag({ flags: all })] === true) {
    if (typed !== undefined)
      faults.push({ field: all, problem: `cannot be combined with --${field.flag}` });
    // Only an enumeration has this flag.
    return field.values!;
  }
  const values = typed && itemsIn(typed);
  // A value of an enumeration that is there twice is a fault, which the rule of the field finds.
  if (values === undefined || field.values !== undefined) return values;
  const distinct = [...new Set(values)];
  if (distinct.length < values.length)
    notes.push(
      `--${field.flag}: ${duplicateCount(values.length - distinct.length, 'value')} ignored`,
    );
  return distinct;
}

/** Splits the items of a flag that may be repeated and accepts commas. */
const itemsIn = (typed: readonly string[]): readonly string[] =>
  typed.flatMap((text) => text.split(',')).filter((text) => text !== '');

/** Reads the `K: V` pairs of a flag and its file. */
async function mapFrom(
  field: Field,
  { flags, runtime, faults, unread }: FlagContext,
): Promise<Input | undefined> {
  const lines = await readHeaderLines(field.flag, flags, runtime);
  if (lines === undefined) return undefined;
  faults.push(...lines.faults);
  if (lines.faults.length > 0) unread.add(field.name);
  return Object.fromEntries(lines.headers);
}

/** Formats `1 duplicate ID`, `2 duplicate IDs`. */
export const duplicateCount = (count: number, name: string): string =>
  `${count} duplicate ${name}${count === 1 ? '' : 's'}`;
