// The values of fields from the flags of a line, and from the files, variables and the editor that they name. What
// cannot be read is a fault; `validate-input.ts` checks the values.

import type { Input, Operation } from '../api/operations/define-operation.ts';
import type { Field } from '../api/operations/fields.ts';
import type { Fault } from '../base/fault.ts';
import type { Runtime } from '../base/runtime.ts';
import { allFlag, camelCase, clearFlag, flagName, type RawFlags } from '../config/flags.ts';
import { accountFor, type Settings } from '../config/settings.ts';
import { mayPrompt } from '../prompts/confirm.ts';
import { readHeaderLines, readText, secretFrom } from './text-input.ts';
import { validateField } from './validate-input.ts';

/** A line with flags. If several of them set one field, the line has a fault already. */
export interface FlagLine {
  readonly operation: Operation;
  readonly typedFlags: RawFlags;
  readonly settings: Settings;
  readonly runtime: Runtime;
  /** True if the line has no fault so far: one that is rejected anyway asks nothing. */
  readonly isSound: boolean;
}

/** The findings while the values are read. */
interface Findings {
  readonly faults: Fault[];
  readonly notes: string[];
  /** Names of fields whose value could not be read: they are neither missing nor validated. */
  readonly unread: Set<string>;
}

/** Reads the values of fields. */
export async function valuesFromFlags(
  fields: readonly Field[],
  line: FlagLine,
): Promise<Findings & { readonly values: Input }> {
  const found: Findings = { faults: [], notes: [], unread: new Set() };
  const values: Record<string, unknown> = {};
  for (const field of fields) {
    const value = await valueFromFlags(field, line, found);
    if (value !== undefined) values[field.name] = value;
  }
  return { ...found, values };
}

/** Returns the value of a field; `undefined` if none was given, or if it cannot be read. */
async function valueFromFlags(field: Field, line: FlagLine, found: Findings): Promise<unknown> {
  const { operation, typedFlags, settings, runtime } = line;
  const { flag, kind, values } = field;
  const isOn = (name: string | undefined) =>
    name !== undefined && typedFlags[camelCase(name.replace(/^--/, ''))] === true;
  const typed = typedFlags[camelCase(flag)];
  if (field.nullable && isOn(clearFlag(field))) return null;
  if (field.fromContext !== undefined) return accountFor(settings, operation.platform)?.id;
  if (field.off !== undefined) return isOn(flag) ? true : isOn(field.off.flag) ? false : undefined;
  // Only the list of an enumeration has a flag for all values.
  if (isOn(allFlag(field))) return values;
  if (kind === 'list') return listOf(field, typed as readonly string[] | undefined, found);
  if (kind === 'map') {
    const lines = await readHeaderLines(flag, typedFlags, runtime);
    if (lines !== undefined && lines.faults.length > 0) return refuse(field, lines.faults, found);
    return lines && Object.fromEntries(lines.headers);
  }
  if (!field.secret && !field.prose) return typed;
  // A line that is rejected anyway opens no editor.
  if (field.prose && typedFlags['editor'] === true && !line.isSound)
    return refuse(field, [], found);
  const text = await (field.secret
    ? secretFrom(field, typedFlags, runtime)
    : proseFrom(field, line));
  return typeof text === 'object' ? refuse(field, [text], found) : text;
}

function refuse({ name }: Field, faults: readonly Fault[], found: Findings): undefined {
  found.faults.push(...faults);
  found.unread.add(name);
}

/** Splits the items of a flag that may be repeated and accepts commas, and drops duplicates. */
function listOf(
  { flag, values }: Field,
  typed: readonly string[] | undefined,
  { notes }: Findings,
): readonly string[] | undefined {
  const items = typed?.flatMap((text) => text.split(',')).filter(Boolean);
  // A value of an enumeration that is there twice is a fault, which the rule of the field finds.
  if (items === undefined || values !== undefined) return items;
  const distinct = [...new Set(items)];
  if (distinct.length < items.length)
    notes.push(`--${flag}: ${duplicateCount(items.length - distinct.length, 'value')} ignored`);
  return distinct;
}

/** Reads a text that was typed, is in a file, or is written in an editor. Returns the fault if it cannot. */
async function proseFrom(
  field: Field,
  { operation, typedFlags, settings, runtime }: FlagLine,
): Promise<string | Fault | undefined> {
  const file = typedFlags[`${camelCase(field.flag)}File`];
  if (typeof file === 'string') return readText(file, `--${field.flag}-file`, runtime);
  if (typedFlags['editor'] !== true) return typedFlags[camelCase(field.flag)] as string | undefined;
  if (!mayPrompt(settings, runtime)) return { field: '--editor', problem: 'needs a terminal' };
  const { editText } = await import('../prompts/editor.ts');
  return editText(field.description, (text) => validateField(operation, field, text), runtime);
}

/** Names the flag, the variable or the setting from which the value of a field comes, as it was typed. */
export function sourceOf(
  field: Field,
  { operation, typedFlags, settings }: Pick<FlagLine, 'operation' | 'typedFlags' | 'settings'>,
): string {
  const account = field.fromContext && accountFor(settings, operation.platform);
  if (account !== undefined) return account.field;
  const names = [field.flag, `${field.flag}-file`, `${field.flag}-env`];
  const typed = names.find((name) => typedFlags[camelCase(name)] !== undefined);
  return typed === undefined ? flagName(field) : `--${typed}`;
}

/** Formats `1 duplicate ID`, `2 duplicate IDs`. */
export const duplicateCount = (count: number, name: string): string =>
  `${count} duplicate ${name}${count === 1 ? '' : 's'}`;
