// Parses the texts of a line's flags to their values, with all faults.

import type { Fault } from '../base/errors.ts';
import { isStdinPath } from '../base/paths.ts';
import { readValue } from '../config/flag-types.ts';
import { type FlagSpec, globalFlags, keyOfFlag, longName, type RawFlags } from '../config/flags.ts';

/** The flags of a line by key, in the order of the line: the texts of each, or `true` for one without a value. */
export type TypedFlags = ReadonlyMap<string, true | readonly string[]>;

/** The flags of a command line. */
interface FlagValues {
  /** The flags as they were typed, for suggested lines. */
  readonly typed: RawFlags;
  /** The values that the types of the flags parsed. */
  readonly values: RawFlags;
  readonly faults: readonly Fault[];
}

/** Parses a command's flags by their types; the settings check those of every command. */
export function readFlags(commandFlags: readonly FlagSpec[], line: TypedFlags): FlagValues {
  const typed: Record<string, unknown> = {};
  const values: Record<string, unknown> = {};
  const faults: Fault[] = [];
  const commandKeys = new Set(commandFlags.map(keyOfFlag));
  for (const flag of [...commandFlags, ...globalFlags.filter(({ key }) => !commandKeys.has(key))]) {
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
  faults.push(
    ...commandFlags.flatMap((flag) => combinationFaults(flag, line)),
    ...stdinFaults(commandFlags, values),
  );
  return { typed, values, faults };
}

/** Returns the texts of a repeatable flag; of another one the last. */
const plainValue = ({ repeatable }: FlagSpec, texts: true | readonly string[]): unknown =>
  texts === true || repeatable === true ? texts : texts.at(-1);

/** Parses the value of a flag; each text of a repeatable one may be several values with commas. */
function typedValue(flag: FlagSpec, texts: readonly string[], faults: Fault[]): unknown {
  const { type, repeatable } = flag;
  if (type === undefined) return plainValue(flag, texts);
  const parse = (text: string) => readValue(type, text, longName(flag.flags), faults);
  return repeatable === true
    ? texts.flatMap((text) => text.split(',')).map(parse)
    : parse(texts.at(-1)!);
}

/** Returns a fault for a flag beside one that it excludes, or without one that it needs. */
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

/** Rejects a second flag that reads standard input, which would be empty by then. */
function stdinFaults(commandFlags: readonly FlagSpec[], values: RawFlags): readonly Fault[] {
  const [first, ...others] = commandFlags.filter((flag) => {
    const value = flag.stdin === true ? values[keyOfFlag(flag)] : undefined;
    return typeof value === 'string' && isStdinPath(value);
  });
  return others.map(({ flags }) => ({
    field: longName(flags),
    problem: `cannot read stdin: ${longName(first!.flags)} reads it`,
  }));
}
