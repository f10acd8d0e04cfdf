// Commands for commander, which parses the line and lays out help. What a flag or a command means stays in its spec:
// nothing is read back out of commander's objects.

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

/** What commander is given besides the specs. */
interface Parsing {
  /** Where the flags of the line are kept, in its order. */
  readonly typed: Map<string, true | string[]>;
  /** Columns of the help. */
  readonly width: number;
  readonly run: (spec: CommandSpec, line: TypedLine) => Promise<void>;
}

/**
 * The words of the program as commander's commands. Each is there by name and summary; what else it has, and what is below
 * it, is added when it is typed.
 */
export class Commands {
  readonly #program: Command;
  readonly #parsing: Parsing;
  /** How the commands that have not been typed so far get all that they have. */
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
      const isCalled = (each: Command) => [each.name(), ...each.aliases()].includes(word);
      const next = command.commands.find(isCalled);
      if (next === undefined) return { index, names: command.commands.map((each) => each.name()) };
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

  /** A command that holds others: typed alone it shows its help, typed with an unknown word it says so. */
  #prepareGroup(group: Command, words: readonly string[]): void {
    const path = ['social', ...words].join(' ');
    group.usage(`${path} <command> [flags]`).allowUnknownOption().allowExcessArguments();
    addFlags(group, [], this.#parsing.typed);
    throwErrors(group, words);
    group.hook('preSubcommand', async (_group, command) => this.#prepare(command));
    // The help of a group answers no question about a command that it does not have.
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

/** To the parser every operand may be left out; what is missing, or wrong, is for the command to judge. */
const argumentOf = ({ name, many }: Operand): string => `[${name}${many === true ? '...' : ''}]`;

/** Has commander throw: its own error after a page of help, else a failure that names the command. */
function throwErrors(command: Command, path: readonly string[]): void {
  command.exitOverride((error: CommanderError) => {
    throw error.exitCode === 0 ? error : parserFailure(path, error.message);
  });
}

/** Gives a command its own flags, and below them those that every command takes. */
function addFlags(command: Command, own: readonly FlagSpec[], typed: Parsing['typed']): void {
  const taken = new Set(own.map(({ flags }) => longName(flags)));
  const shared = globalFlags.filter(({ flags }) => !taken.has(longName(flags)));
  for (const flag of own) addFlag(command, flag, flag.group === BATCH, typed);
  for (const flag of shared) addFlag(command, flag, true, typed);
}

/** Flags that a topic of the help describes are hidden in the help of a command. */
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
    // The last of --color and --no-color counts.
    if (key === 'color' || key === 'noColor') typed.delete(key === 'color' ? 'noColor' : 'color');
    const before = typed.get(key);
    if (text === undefined) typed.set(key, true);
    else if (Array.isArray(before)) before.push(text);
    else typed.set(key, [text]);
  });
}

/** A longer list of values has a command of its own. */
const MOST_VALUES = 9;

/** The description, with the values where it does not name them all. */
function described(description: string, values: readonly string[] | undefined): string {
  const listed = valuesToList({ description, values });
  const isShort = listed.length > 0 && listed.length <= MOST_VALUES;
  return isShort ? `${description} (${listed.join(', ')})` : description;
}
