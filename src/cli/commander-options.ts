// The flags of a command as commander options, and back to plain values. Every value is a string, a list of
// strings or `true`: what they mean is judged elsewhere, all at once.

import { type Command, Option } from 'commander';
import type { Field } from '../api/operations/fields.ts';
import type { Fault } from '../base/errors.ts';
import { isStdinPath } from '../base/paths.ts';
import {
  allFlag,
  camelCase,
  clearFlag,
  globalFlags,
  keyOfFlag,
  shortFlagOf,
  type PlainFlag,
  type FlagFacts,
} from '../config/flags.ts';
import type { RawFlags } from '../config/choices.ts';

/** `social accounts mastodon` */
export function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

const isHelpFlag = (word: string): boolean => word === '-h' || word === '--help';

/** The words that a group does not know, without the flags for help before them. */
export function typedWords({ args }: Command): readonly string[] {
  const start = args.findIndex((word) => !isHelpFlag(word));
  return start < 0 ? [] : args.slice(start);
}

/** The program that a command belongs to. */
export function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent);
}

const collect = (value: string, before: readonly string[] | undefined) => [
  ...(before ?? []),
  value,
];

/**
 * Gives a command the flags that all take: they are shown on the program itself and understood everywhere. They are
 * made once, for the program; an option is the same wherever it stands.
 */
export function addGlobalFlags(command: Command): void {
  const taken = new Set(command.options.map(({ long }) => long));
  for (const option of globalOptions(command)) {
    if (!taken.has(option.long)) command.addOption(option);
  }
}

function globalOptions(command: Command): readonly Option[] {
  if (command.parent !== null)
    return rootOf(command).options.filter(({ long }) => long !== '--version');
  return globalFlags.map((each) => optionOf(each).helpGroup(`${each.group}:`));
}

/** The facts of an option that was made here. */
export const factsOf = (option: Option & FlagFacts): FlagFacts => option;

function optionOf({ flags, description, values, ...facts }: PlainFlag): Option {
  const option = Object.assign(new Option(flags, description), facts);
  // For help and completion; whether a value fits is judged elsewhere, with all the rest.
  if (values !== undefined) option.argChoices = [...values];
  return facts.repeatable === true || isOnce(facts) ? option.argParser(collect) : option;
}

/** Whether a second value is a fault. */
const isOnce = ({ once, stdin }: FlagFacts): boolean => once === true || stdin === true;

/** Gives a command flags of its own, under a title of the help. */
export function addPlainFlags(
  command: Command,
  flags: readonly PlainFlag[],
  group = 'Flags:',
): void {
  for (const each of flags) {
    // `--x` and `--no-x` of one command may both be meant: they have a value each.
    const option = Object.assign(optionOf(each), { negate: false });
    command.addOption(option.helpGroup(group));
  }
}

/** Gives a command the flags of its operation's fields. */
export function addFieldFlags(command: Command, fields: readonly Field[]): void {
  const flags = fields
    .filter(({ argument }) => argument === undefined)
    .flatMap((field) =>
      flagsOf(field).map((each): PlainFlag =>
        field.hidden && each.flags.includes('<') ? { ...each, secret: true } : each,
      ),
    );
  addPlainFlags(command, flags);
}

function flagsOf(field: Field): readonly PlainFlag[] {
  const { flag, kind, values, fromContext, description } = field;
  const clear = `Remove the ${flag}${kind === 'map' ? 's' : ''}`;
  const cleared = field.nullable ? [{ flags: `--${clearFlag(field)}`, description: clear }] : [];
  if (kind === 'boolean') {
    const [on = '', off = `The opposite of --${flag}`] = description.split(' | ');
    return [
      { flags: `--${flag}`, description: on },
      { flags: `--${field.offFlag!}`, description: off, opposites: [`--${flag}`] },
    ];
  }
  if (field.secret && kind === 'text') return [...secretFlags(field), ...cleared];
  const short = shortFlagOf(field);
  const repeatable = kind === 'list' || kind === 'map';
  const main = {
    flags: `${short === undefined ? '' : `${short}, `}--${flag} <${field.placeholder}>`,
    description: `${description}${repeatable ? '; repeatable' : ''}`,
    repeatable,
    once: fromContext === undefined,
    values,
  };
  const all = allFlag(field);
  const every =
    all === undefined ? [] : [{ flags: all, description: `All ${values!.length} ${flag}s` }];
  const file = kind === 'map' && field.secret ? [headerFileFlag(field)] : [];
  return [main, ...file, ...every, ...(field.prose ? proseFlags(field) : []), ...cleared];
}

const headerFileFlag = ({ flag, placeholder }: Field): PlainFlag => ({
  flags: `--${flag}-file <file>`,
  description: `Read secret ${flag}s from a file, one "${placeholder}" per line ("-" for stdin)`,
  stdin: true,
});

const proseFlags = ({ flag }: Field): readonly PlainFlag[] => [
  {
    flags: `--${flag}-file <file>`,
    description: `Read the ${flag} from a file ("-" for stdin)`,
    stdin: true,
  },
  { flags: '--editor', description: `Write the ${flag} in your editor ($VISUAL or $EDITOR)` },
];

const secretFlags = ({ flag, description }: Field): readonly PlainFlag[] => [
  {
    flags: `--${flag}-file <file>`,
    description: `${description}, read from a file ("-" for stdin)`,
    stdin: true,
  },
  { flags: `--${flag}-env <name>`, description: `Read the ${flag} from this environment variable` },
];

/** What is wrong with how flags were typed, whatever they are for. */
export const typingFaults = (command: Command, flags: RawFlags): readonly Fault[] => [
  ...command.options.flatMap((option) => [
    ...repeatFaults(option, command),
    ...dashFaults(option, flags),
    ...oppositeFaults(option, flags),
  ]),
  ...stdinFaults(command, flags),
];

function repeatFaults(option: Option & FlagFacts, command: Command): readonly Fault[] {
  const value: unknown = command.getOptionValue(option.attributeName());
  if (option.repeatable === true || !isList(value) || value.length < 2) return [];
  return [{ field: option.long!, problem: 'cannot be repeated: it takes one value' }];
}

/** Standard input can be read once: a second flag would find it empty, and take that for its value. */
function stdinFaults(command: Command, flags: RawFlags): readonly Fault[] {
  const [first, ...others] = command.options.filter((option) => {
    const value = factsOf(option).stdin === true ? flags[keyOfFlag(option)] : undefined;
    return typeof value === 'string' && isStdinPath(value);
  });
  return others.map(({ long }) => ({
    field: long!,
    problem: `cannot read stdin: ${first!.long!} reads it`,
  }));
}

/** What is wrong with `-` as the name of a file to be written: it would make one of that name. */
function dashFaults(option: Option, flags: RawFlags): readonly Fault[] {
  if (factsOf(option).writes !== true || flags[keyOfFlag(option)] !== '-') return [];
  const problem = 'must be the name of a file, got "-"';
  const fix = 'stdout is for the result; for a file called -, write ./-';
  return [{ field: option.long!, problem, fix }];
}

/** A flag beside one that asks for the opposite: neither is more meant than the other. */
function oppositeFaults(option: Option, flags: RawFlags): readonly Fault[] {
  if (flags[keyOfFlag(option)] === undefined) return [];
  return (factsOf(option).opposites ?? [])
    .filter((other) => flags[camelCase(other.slice(2))] !== undefined)
    .map((other) => ({ field: other, problem: `cannot be combined with ${option.long!}` }));
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** What was typed on a command and on those above it, by key. The nearest to the end of the line counts. */
export function typedFlags(command: Command): RawFlags {
  const chain: Command[] = [];
  for (let each: Command | null = command; each !== null; each = each.parent) chain.unshift(each);
  const flags: Record<string, unknown> = {};
  for (const each of chain) {
    for (const option of each.options) {
      const name = option.attributeName();
      if (each.getOptionValueSource(name) !== 'cli') continue;
      const value: unknown = each.getOptionValue(name);
      // The global `--x` and `--no-x` share one value; only the one that was typed counts.
      if (option.negate !== (value === false)) continue;
      const key = keyOfFlag(option);
      // The last counts also where an alias has one before the command, and the other is typed after it.
      if (key === 'color') delete flags['noColor'];
      const before = flags[key];
      if (!isList(value)) flags[key] = option.negate || value;
      else if (factsOf(option).repeatable !== true) flags[key] = value.at(-1);
      else flags[key] = isList(before) ? [...before, ...value] : value;
    }
  }
  return flags;
}

/** The values to list: none where the description has them all. */
export const valuesToList = ({
  description,
  values = [],
}: {
  readonly description: string;
  readonly values?: readonly string[] | undefined;
}): readonly string[] => (values.every((value) => description.includes(value)) ? [] : values);
