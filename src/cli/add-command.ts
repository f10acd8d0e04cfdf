// Adds commands to commander, which parses the line and lays out help. The meaning of a flag or a command stays in its
// spec: nothing is read back from commander's objects.

import { type Command, type CommanderError, Option } from 'commander';
import { globalFlags, keyOfFlag, type FlagSpec } from '../config/flags.ts';
import {
  type CommandSpec,
  type Operand,
  specsOfWord,
  type Words,
  wordsAfter,
} from './command-spec.ts';
import { setHelp } from './help.ts';
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
  readonly fill: (command: Command) => void | Promise<void>;
}

/** Adds the words of the program to its parser. Their commands are loaded when they are typed. */
export function addWords(program: Command, words: Words, parsing: Parsing): void {
  const entries = Object.entries(words).map(([name, word]): Entry => ({
    name,
    summary: word.summary,
    heading: word.group,
    async fill(command) {
      addCommandOrGroup(command, [name], await specsOfWord(name, word), word.groups ?? {}, parsing);
    },
  }));
  addGroup(program, [], entries, parsing);
}

/**
 * Fills the command of the words of `path`, or the group of the commands that begin with them. `summaries` has those of
 * groups.
 */
function addCommandOrGroup(
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
    fill: (child) => addCommandOrGroup(child, [...path, name], inside, summaries, parsing),
  }));
  addGroup(command.description(command.summary()), path, entries, parsing);
}

function addCommand(command: Command, spec: CommandSpec, { run, typed, width }: Parsing): void {
  const { operands = [], flags = [] } = spec;
  command.allowUnknownOption();
  for (const operand of operands) command.argument(argumentOf(operand));
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
    entries.find(({ name }) => name === command.name())!.fill(command),
  );
  // `group unknown --help` must report the unknown command, not show the help of the group.
  group.on('beforeHelp', () => {
    const rest = group.args.slice(group.args.findIndex((word) => !['-h', '--help'].includes(word)));
    // Without another word the help of the group was asked for, as with a flag.
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

/** Makes commander throw: its own error after help or version, else a failure that names the command. */
function throwErrors(command: Command, path: readonly string[]): void {
  command.exitOverride((error: CommanderError) => {
    throw error.exitCode === 0 ? error : parserFailure(path, error.message);
  });
}

/** Adds a command's flags, and those of every command. None is shown: help has those of the spec. */
function addFlags(
  command: Command,
  commandFlags: readonly FlagSpec[],
  typed: Parsing['typed'],
): void {
  // A command may have a flag of its own in place of a global one.
  const ownKeys = new Set(commandFlags.map(keyOfFlag));
  for (const flag of [...commandFlags, ...globalFlags.filter(({ key }) => !ownKeys.has(key))]) {
    const option = new Option(flag.flags).hideHelp();
    command.addOption(option);
    command.on(`option:${option.name()}`, (text?: string) =>
      addTyped(keyOfFlag(flag), text, typed),
    );
  }
}

function addTyped(key: string, text: string | undefined, typed: Parsing['typed']): void {
  // The last of --color and --no-color is used.
  if (key === 'color' || key === 'noColor') typed.delete(key === 'color' ? 'noColor' : 'color');
  const before = typed.get(key);
  if (text === undefined) typed.set(key, true);
  else if (Array.isArray(before)) before.push(text);
  else typed.set(key, [text]);
}
