// From the texts of a line's flags to their values, with all that is wrong with them.

import type { Fault } from '../base/errors.ts';
import { isStdinPath } from '../base/paths.ts';
import { readValue } from '../config/flag-types.ts';
import { type FlagSpec, globalFlags, keyOfFlag, longName, type RawFlags } from '../config/flags.ts';

/** The flags of a line by key, in the order of the line: the texts of each, or `true` for one without a value. */
export type TypedFlags = ReadonlyMap<string, true | readonly string[]>;

/** What was typed of the flags of a command. */
interface FlagValues {
  /** As it was typed, for a line that is shown again. */
  readonly typed: RawFlags;
  /** As the types of the flags read it. */
  readonly values: RawFlags;
  readonly faults: readonly Fault[];
}

/** Reads a command's own flags by their types; those that every command takes are for the settings to judge. */
export function readFlags(own: readonly FlagSpec[], line: TypedFlags): FlagValues {
  const typed: Record<string, unknown> = {};
  const values: Record<string, unknown> = {};
  const faults: Fault[] = [];
  const ownKeys = new Set(own.map(keyOfFlag));
  for (const flag of [...own, ...globalFlags.filter(({ key }) => !ownKeys.has(key))]) {
    const texts = line.get(keyOfFlag(flag));
    if (texts === undefined) continue;
    const key = keyOfFlag(flag);
    typed[key] = values[key] = plainValue(flag, texts);
    if (texts !== true) {
      if (flag.once === true && texts.length > 1)
        faults.push({
          field: longName(flag.flags),
          problem: 'cannot be repeated: it takes one value',
        });
      values[key] = typedValue(flag, texts, faults);
    }
  }
  faults.push(...own.flatMap((flag) => combinationFaults(flag, line)), ...stdinFaults(own, values));
  return { typed, values, faults };
}

/** The texts of a flag that may be repeated; of another one the last. */
const plainValue = ({ repeatable }: FlagSpec, texts: true | readonly string[]): unknown =>
  texts === true || repeatable === true ? texts : texts.at(-1);

/** The value by the type of the flag; where it may be repeated, each text may be several values with commas. */
function typedValue(flag: FlagSpec, texts: readonly string[], faults: Fault[]): unknown {
  const { type, repeatable } = flag;
  if (type === undefined) return plainValue(flag, texts);
  const parse = (text: string) => readValue(type, text, longName(flag.flags), faults);
  return repeatable === true
    ? texts.flatMap((text) => text.split(',')).map(parse)
    : parse(texts.at(-1)!);
}

/** A flag beside one that it excludes, or without one that it needs. */
function combinationFaults(flag: FlagSpec, line: TypedFlags): readonly Fault[] {
  if (!line.has(keyOfFlag(flag))) return [];
  const { conflicts = [], requires = [] } = flag;
  const isTyped = (name: string) => line.has(keyOfFlag({ flags: name }));
  const name = longName(flag.flags);
  const faults: Fault[] = conflicts
    .filter(isTyped)
    .map((other) => ({ field: other, problem: `cannot be combined with ${name}` }));
  if (requires.length > 0 && !requires.some(isTyped))
    faults.push({ field: name, problem: `requires ${requires[0]!}` });
  return faults;
}

/** Standard input can be read once: a second flag would find it empty, and take that for its value. */
function stdinFaults(own: readonly FlagSpec[], values: RawFlags): readonly Fault[] {
  const [first, ...others] = own.filter((flag) => {
    const value = flag.stdin === true ? values[keyOfFlag(flag)] : undefined;
    return typeof value === 'string' && isStdinPath(value);
  });
  return others.map(({ flags }) => ({
    field: longName(flags),
    problem: `cannot read stdin: ${longName(first!.flags)} reads it`,
  }));
}
