// Adds commands to commander, which parses the line and lays out help. The meaning of a flag or a command stays in its
// spec: nothing is read back from commander's objects.
//
// Commander calls back as it reads the line: at the first word the `preSubcommand` hook of the program, which loads
// and adds the commands of that word; at each flag its `option:` listener, which stores the text; at the end the
// `action` of the command, which calls `onCommand` with the spec.

import { type Command, type CommanderError, Option } from 'commander';
import { keyOfFlag, type FlagSpec } from '../config/flags.ts';
import {
  type CommandSpec,
  specsOfWord,
  withGlobalFlags,
  type Words,
  wordsAfter,
} from './command-spec.ts';
import { wrapText } from '../output/wrap.ts';
import { type HelpSize, setHelp } from './help.ts';
import { parserFailure, UnknownCommand } from './unknown-words.ts';

interface Parsing {
  /** Filled with the flags of the line. */
  readonly flagTexts: Map<string, true | string[]>;
  readonly helpSize: HelpSize;
  /** Called with the typed command, and the words after it that are not flags. */
  readonly onCommand: (spec: CommandSpec, words: readonly string[]) => Promise<void>;
}

/** The flag for help was typed before the words of the command. */
export class HelpBefore extends Error {
  readonly words: readonly string[];

  constructor(words: readonly string[]) {
    super('help of a command');
    this.words = words;
  }
}

/** Adds the words of the program to its parser. Their commands are loaded when they are typed. */
export function addWords(program: Command, words: Words, parsing: Parsing): void {
  setUpGroup(program, [], parsing);
  for (const [name, { summary, group }] of Object.entries(words))
    program.command(name).summary(summary).helpGroup(group);
  program.hook('preSubcommand', async (_program, command) => {
    const name = command.name();
    const word = words[name]!;
    addSpecs(command, [name], await specsOfWord(name, word), word.groups ?? {}, parsing);
  });
}

/**
 * Turns `command` into the command with these words (`path`), or into a group if there is none, and adds those that
 * begin with them. `summaries` has those of the groups below it, by name.
 */
function addSpecs(
  command: Command,
  path: readonly string[],
  specs: readonly CommandSpec[],
  summaries: Readonly<Record<string, string>>,
  parsing: Parsing,
): void {
  const own = specs.find(({ words }) => words.length === path.length);
  if (own !== undefined) setUpCommand(command, own, parsing);
  else setUpGroup(command.description(command.summary()), path, parsing);
  const others = specs.filter((spec) => spec !== own);
  for (const { name, inside, itself } of wordsAfter(path, others)) {
    const child = command
      .command(name)
      .summary(itself?.summary ?? summaries[name] ?? '')
      .aliases(itself?.aliases ?? []);
    addSpecs(child, [...path, name], inside, summaries, parsing);
  }
}

function setUpCommand(command: Command, spec: CommandSpec, parsing: Parsing): void {
  const { operands = [], flags = [] } = spec;
  command.allowUnknownOption();
  // For the parser every operand is optional, because the command itself reports missing and invalid ones.
  for (const { name, many } of operands) command.argument(`[${name}${many === true ? '...' : ''}]`);
  addFlags(command, flags, parsing);
  throwErrors(command, spec.words);
  setHelp(command, spec, parsing.helpSize);
  command.action(() => parsing.onCommand(spec, command.args));
}

/** Sets up a group: typed alone it shows its help, with an unknown word an error. */
function setUpGroup(group: Command, path: readonly string[], parsing: Parsing): void {
  group
    .usage(`${['social', ...path].join(' ')} <command> [flags]`)
    .allowUnknownOption()
    .allowExcessArguments();
  const line = `Help of a command: social ${path.join(' ')} <command> --help`;
  if (path.length > 0) group.addHelpText('after', `\n${wrapText(line, parsing.helpSize.width)}`);
  addFlags(group, [], parsing);
  throwErrors(group, path);
  group.on('beforeHelp', () => {
    const rest = group.args.filter((word) => !['-h', '--help'].includes(word));
    // A dash stands for no word: if a flag follows or nothing, the help of the group was asked for.
    const [word = '-'] = rest;
    if (word.startsWith('-')) return;
    const isKnown = group.commands.some((one) => [one.name(), ...one.aliases()].includes(word));
    throw isKnown ? new HelpBefore([...path, ...rest]) : new UnknownCommand(path, rest);
  });
  group.action(() => {
    if (group.args.length > 0) throw new UnknownCommand(path, group.args);
    group.outputHelp();
  });
}

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
