// Adds commands to commander, which parses the line and lays out help. The meaning of a flag or a command stays in its
// spec: nothing is read back from commander's objects.

import { type Command, type CommanderError, Option } from 'commander';
import { globalFlags, keyOfFlag, longName, type FlagSpec } from '../config/flags.ts';
import {
  type CommandSpec,
  descriptionOf,
  type LostWord,
  type Operand,
  pathOf,
  specsOfWord,
  usageOf,
  valuesOf,
  valuesToList,
  type Word,
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

/**
 * The words of the program as commands of commander. Each has a name and a summary; its flags and subcommands are added
 * when it is typed.
 */
export class Commands {
  readonly #program: Command;
  readonly #parsing: Parsing;
  /** The function that completes each command that has not been typed so far. */
  readonly #unprepared = new Map<Command, () => void | Promise<void>>();

  constructor(program: Command, words: Words, parsing: Parsing) {
    this.#program = program;
    this.#parsing = parsing;
    this.#prepareGroup(program, []);
    for (const [name, word] of Object.entries(words)) {
      const command = program.command(name).summary(word.summary).helpGroup(word.group);
      this.#unprepared.set(command, async () => this.#prepareWord(command, name, word));
    }
  }

  /** See `Program`. */
  async showHelp(path: readonly string[]): Promise<LostWord | undefined> {
    let command = this.#program;
    for (const [index, word] of path.entries()) {
      const isCalled = (subcommand: Command) =>
        [subcommand.name(), ...subcommand.aliases()].includes(word);
      const next = command.commands.find(isCalled);
      if (next === undefined)
        return { index, names: command.commands.map((subcommand) => subcommand.name()) };
      await this.#prepare(next);
      command = next;
    }
    command.outputHelp();
    return undefined;
  }

  async #prepare(command: Command): Promise<void> {
    const prepare = this.#unprepared.get(command);
    this.#unprepared.delete(command);
    await prepare?.();
  }

  async #prepareWord(command: Command, name: string, word: Word): Promise<void> {
    const specs = await specsOfWord(name, word);
    const [first] = specs;
    if (first!.words.length === 1) return this.#prepareCommand(command, first!);
    this.#prepareGroup(command.description(word.summary), [name]);
    this.#addBelow(command, [name], specs, word.groups ?? {});
  }

  #addBelow(
    parent: Command,
    path: readonly string[],
    specs: readonly CommandSpec[],
    summaries: Readonly<Record<string, string>>,
  ): void {
    for (const { name, inside, itself } of wordsAfter(path, specs)) {
      const summary = itself?.summary ?? summaries[name] ?? '';
      const command = parent
        .command(name)
        .summary(summary)
        .aliases(itself?.aliases ?? []);
      this.#unprepared.set(command, () => {
        if (itself !== undefined) return this.#prepareCommand(command, itself);
        this.#prepareGroup(command.description(summary), [...path, name]);
        this.#addBelow(command, [...path, name], inside, summaries);
      });
    }
  }

  #prepareCommand(command: Command, spec: CommandSpec): void {
    const { operands = [], flags = [] } = spec;
    const { run, typed, width } = this.#parsing;
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

  /** Completes a group: typed alone it shows its help, with an unknown word an error. */
  #prepareGroup(group: Command, words: readonly string[]): void {
    const path = ['social', ...words].join(' ');
    group.usage(`${path} <command> [flags]`).allowUnknownOption().allowExcessArguments();
    addFlags(group, [], this.#parsing.typed);
    throwErrors(group, words);
    group.hook('preSubcommand', async (_group, command) => this.#prepare(command));
    // `group unknown --help` must report the unknown command, not show the help of the group.
    group.on('beforeHelp', () => {
      const rest = group.args.slice(
        group.args.findIndex((word) => !['-h', '--help'].includes(word)),
      );
      const [word = '-'] = rest;
      const isKnown = group.commands.some((command) => command.name() === word);
      if (!word.startsWith('-') && !isKnown) throw new UnknownCommand(words, rest);
    });
    group.action(() => {
      if (group.args.length > 0) throw new UnknownCommand(words, group.args);
      group.outputHelp();
    });
  }
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
