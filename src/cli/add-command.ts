// Adds commands to commander, which parses the line and lays out help. The meaning of a flag or a command stays in its
// spec: nothing is read back from commander's objects.
//
// Commander calls back as it reads the line: at each flag its `option:` listener, which stores the text; at each word
// the `preSubcommand` hook of its group, which loads and adds what may follow the word; at the end the `action` of the
// command, which calls `onCommand` with the spec.

import { type Command, type CommanderError, Option } from 'commander';
import { keyOfFlag, type FlagSpec } from '../config/flags.ts';
import {
  type CommandSpec,
  type Operand,
  specsOfWord,
  withGlobalFlags,
  type Words,
  wordsAfter,
} from './command-spec.ts';
import { setHelp } from './help.ts';
import { parserFailure, UnknownCommand } from './unknown-words.ts';

interface Parsing {
  /** Filled with the flags of the line. */
  readonly flagTexts: Map<string, true | string[]>;
  /** The width of the help. */
  readonly helpWidth: number;
  /** Called with the typed command, and the words after it that are not flags. */
  readonly onCommand: (spec: CommandSpec, words: readonly string[]) => Promise<void>;
}

/** A command or a group, as the help of its parent lists it before it is loaded. */
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
 * Fills `command`, whose words are `path`: with the spec that has exactly these words, or as the group of the specs
 * that begin with them. `summaries` has those of the groups below it, by name.
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

function addCommand(command: Command, spec: CommandSpec, parsing: Parsing): void {
  const { operands = [], flags = [] } = spec;
  command.allowUnknownOption();
  for (const operand of operands) command.argument(argumentOf(operand));
  addFlags(command, flags, parsing);
  throwErrors(command, spec.words);
  setHelp(command, spec, parsing.helpWidth);
  command.action(() => parsing.onCommand(spec, command.args));
}

/** Adds a group: typed alone it shows its help, with an unknown word an error. */
function addGroup(
  group: Command,
  path: readonly string[],
  entries: readonly Entry[],
  parsing: Parsing,
): void {
  group
    .usage(`${['social', ...path].join(' ')} <command> [flags]`)
    .allowUnknownOption()
    .allowExcessArguments();
  addFlags(group, [], parsing);
  throwErrors(group, path);
  for (const { name, summary, aliases = [], heading } of entries)
    group
      .command(name)
      .summary(summary)
      .aliases(aliases)
      .helpGroup(heading ?? '');
  // Commander finds only the commands that were added above.
  group.hook('preSubcommand', async (_group, command) =>
    entries.find(({ name }) => name === command.name())!.fill(command),
  );
  // `group unknown --help` must report the unknown command, not show the help of the group.
  group.on('beforeHelp', () => {
    const rest = group.args.filter((word) => !['-h', '--help'].includes(word));
    // If no word follows, or a flag, the help of the group was asked for.
    const [word] = rest;
    if (word !== undefined && !word.startsWith('-') && !entries.some(({ name }) => name === word))
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
  { flagTexts }: Parsing,
): void {
  for (const flag of withGlobalFlags(commandFlags)) {
    const option = new Option(flag.flags).hideHelp();
    command.addOption(option);
    command.on(`option:${option.name()}`, (text?: string) =>
      storeText(keyOfFlag(flag), text, flagTexts),
    );
  }
}

function storeText(key: string, text: string | undefined, texts: Parsing['flagTexts']): void {
  // The last of --color and --no-color is used.
  if (key === 'color' || key === 'noColor') texts.delete(key === 'color' ? 'noColor' : 'color');
  const before = texts.get(key);
  if (text === undefined) texts.set(key, true);
  else if (Array.isArray(before)) before.push(text);
  else texts.set(key, [text]);
}
