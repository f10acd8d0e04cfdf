// Adds commands to commander, which parses the line and lays out help. The meaning of a flag or a command stays in its
// spec: nothing is read back from commander's objects.

import { type Command, type CommanderError, Option } from 'commander';
import { globalFlags, keyOfFlag, longName, type FlagSpec } from '../config/flags.ts';
import {
  type CommandSpec,
  descriptionOf,
  type Operand,
  pathOf,
  specsOfWord,
  usageOf,
  valuesOf,
  valuesToList,
  type Words,
  wordsAfter,
} from './command-spec.ts';
import { BATCH, setHelp } from './help.ts';
import type { TypedLine } from './run-command.ts';
import { parserFailure, UnknownCommand } from './unknown-words.ts';

/** The context for adding commands. */
interface Parsing {
  /** The flags of the line, in its order. */
  readonly typed: Map<string, true | string[]>;
  /** The width of the help. */
  readonly width: number;
  readonly run: (spec: CommandSpec, line: TypedLine) => Promise<void>;
}

/** A command as its group knows it. */
interface Entry {
  readonly name: string;
  readonly summary: string;
  readonly aliases?: readonly string[] | undefined;
  /** The heading under which the help of the program lists it. */
  readonly heading?: string;
  /** Adds its flags or its subcommands, once it is typed. */
  readonly complete: (command: Command) => void | Promise<void>;
}

/** Adds the words of the program to its parser. Their commands are loaded when they are typed. */
export function addWords(program: Command, words: Words, parsing: Parsing): void {
  const entries = Object.entries(words).map(([name, word]): Entry => ({
    name,
    summary: word.summary,
    heading: word.group,
    async complete(command) {
      addBelow(command, [name], await specsOfWord(name, word), word.groups ?? {}, parsing);
    },
  }));
  addGroup(program, [], entries, parsing);
}

/** Adds the command of these words, or the group of those that begin with them. */
function addBelow(
  command: Command,
  path: readonly string[],
  specs: readonly CommandSpec[],
  summaries: Readonly<Record<string, string>>,
  parsing: Parsing,
): void {
  const spec = specs.find(({ words }) => words.length === path.length);
  if (spec !== undefined) return addCommand(command, spec, parsing);
  const entries = wordsAfter(path, specs).map(({ name, inside, itself }): Entry => ({
    name,
    summary: itself?.summary ?? summaries[name] ?? '',
    aliases: itself?.aliases,
    complete: (below) => addBelow(below, [...path, name], inside, summaries, parsing),
  }));
  addGroup(command.description(command.summary()), path, entries, parsing);
}

function addCommand(command: Command, spec: CommandSpec, { run, typed, width }: Parsing): void {
  const { operands = [], flags = [] } = spec;
  command
    .description(descriptionOf(spec))
    .usage(`social ${pathOf(spec)} ${usageOf(spec)}`)
    .allowUnknownOption();
  for (const operand of operands)
    command.argument(argumentOf(operand), described(operand.description, operand.values));
  addFlags(command, flags, typed);
  throwErrors(command, spec.words);
  setHelp(command, spec, width);
  command.action(() => run(spec, { words: command.args, flags: typed }));
}

/** Adds a group: typed alone it shows its help, with an unknown word an error. */
function addGroup(
  group: Command,
  path: readonly string[],
  entries: readonly Entry[],
  { typed }: Parsing,
): void {
  group
    .usage(`${['social', ...path].join(' ')} <command> [flags]`)
    .allowUnknownOption()
    .allowExcessArguments();
  addFlags(group, [], typed);
  throwErrors(group, path);
  for (const { name, summary, aliases = [], heading } of entries)
    group
      .command(name)
      .summary(summary)
      .aliases(aliases)
      .helpGroup(heading ?? '');
  group.hook('preSubcommand', async (_group, command) =>
    entries.find(({ name }) => name === command.name())!.complete(command),
  );
  // `group unknown --help` must report the unknown command, not show the help of the group.
  group.on('beforeHelp', () => {
    const rest = group.args.slice(group.args.findIndex((word) => !['-h', '--help'].includes(word)));
    const [word = '-'] = rest;
    if (!word.startsWith('-') && !entries.some(({ name }) => name === word))
      throw new UnknownCommand(path, rest);
  });
  group.action(() => {
    if (group.args.length > 0) throw new UnknownCommand(path, group.args);
    group.outputHelp();
  });
}

/** The parser treats every operand as optional, because the command itself reports missing and invalid ones. */
const argumentOf = ({ name, many }: Operand): string => `[${name}${many === true ? '...' : ''}]`;

/** Makes commander throw: its own error after a help page, else a failure that names the command. */
function throwErrors(command: Command, path: readonly string[]): void {
  command.exitOverride((error: CommanderError) => {
    throw error.exitCode === 0 ? error : parserFailure(path, error.message);
  });
}

/** Adds a command's flags, and below them those of every command. */
function addFlags(
  command: Command,
  commandFlags: readonly FlagSpec[],
  typed: Parsing['typed'],
): void {
  const taken = new Set(commandFlags.map(({ flags }) => longName(flags)));
  const shared = globalFlags.filter(({ flags }) => !taken.has(longName(flags)));
  for (const flag of commandFlags) addFlag(command, flag, flag.group === BATCH, typed);
  for (const flag of shared) addFlag(command, flag, true, typed);
}

/** Adds a flag. Flags that a help topic describes are hidden in the help of a command. */
function addFlag(
  command: Command,
  flag: FlagSpec,
  isHidden: boolean,
  typed: Parsing['typed'],
): void {
  const option = new Option(flag.flags, described(flag.description, valuesOf(flag)))
    .helpGroup('Flags:')
    .hideHelp(isHidden);
  command.addOption(option);
  const key = keyOfFlag(flag);
  command.on(`option:${option.name()}`, (text?: string) => {
    // The last of --color and --no-color is used.
    if (key === 'color' || key === 'noColor') typed.delete(key === 'color' ? 'noColor' : 'color');
    const before = typed.get(key);
    if (text === undefined) typed.set(key, true);
    else if (Array.isArray(before)) before.push(text);
    else typed.set(key, [text]);
  });
}

/** A longer list of values has a separate command. */
const MOST_VALUES = 9;

/** Completes the description with the values that it does not name. */
function described(description: string, values: readonly string[] | undefined): string {
  const listed = valuesToList({ description, values });
  const isShort = listed.length > 0 && listed.length <= MOST_VALUES;
  return isShort ? `${description} (${listed.join(', ')})` : description;
}
