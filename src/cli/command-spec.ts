// The description of a command. The parser, help, completion, `commands`, `schema` and the reference are made from it.

import type { Effect, Examples, Operation } from '../api/operations/define-operation.ts';
import type { Fault } from '../base/fault.ts';
import type { Host, Runtime } from '../base/runtime.ts';
import type { Config } from '../config/file.ts';
import {
  type FlagSpec,
  globalFlags,
  keyOfFlag,
  type OutputForm,
  type RawFlags,
} from '../config/flags.ts';
import type { Settings } from '../config/settings.ts';
import type { Jq } from '../output/jq-filter.ts';

/** A command without its words and summary. */
export interface CommandBody {
  /** Text to read before running it, in paragraphs separated by blank lines. */
  readonly details?: string | undefined;
  readonly operands?: readonly Operand[];
  /** Its flags, without those of every command. */
  readonly flags?: readonly FlagSpec[];
  /** The line that does what the summary says, and nothing more. */
  readonly example?: string;
  /** Further lines, each with its purpose. */
  readonly examples?: Examples;
  /** The effect of the command; `reads` by default. */
  readonly effect?: Effect;
  /** The API operation that it calls. */
  readonly operation?: Operation;
  /** The fields of the operation that the command words imply: `mastodon` in `accounts mastodon favourite`. */
  readonly impliedFields?: Readonly<Record<string, string>>;
  /** Set if it supports --dry-run; without it, a command that changes something rejects the flag. */
  readonly dryRun?: true;
  /** Names what would happen in spite of --dry-run, if it is not a change on this machine. */
  readonly instead?: string;
  /** Set if an unexpected argument is most likely a token: no message shows it. */
  readonly extraWordsAreSecret?: true;
  /**
   * `none`: works without reading the settings. `any`: the named context need not exist. `own`: the command reads the
   * settings itself, so invalid ones do not stop it; faults of the command line do.
   */
  readonly config?: 'none' | 'any' | 'own';
  /** Set if `run` finds further faults, and throws them together with those of the call by `refuseFaults`. */
  readonly collectsFaults?: true;
  run(call: Invocation): void | Promise<void>;
}

/** The command that is a word itself. */
export interface WordBody extends CommandBody {
  /** The commands of further words: `skill install` of `skill`. */
  readonly subcommands?: readonly CommandSpec[];
}

export interface CommandSpec extends CommandBody {
  /** The words that are typed: `['posts', 'retry']`. */
  readonly words: readonly string[];
  /** Other spellings of the last word. */
  readonly aliases?: readonly string[];
  readonly summary: string;
}

export interface Operand {
  readonly name: string;
  readonly description: string;
  readonly values?: readonly string[] | undefined;
  readonly optional?: true;
  /** Accepts any number of words. */
  readonly many?: boolean;
  /** The kind of ID that it accepts, or `context` for a name. */
  readonly id?: string | undefined;
}

/** A first word of the program: a command, or a group of commands. Its commands are loaded when it is typed. */
interface Word {
  readonly summary: string;
  /** The heading under which the help of the program lists it. */
  readonly group: string;
  /** The summaries of the words between it and its commands. */
  readonly groups?: Readonly<Record<string, string>> | undefined;
  readonly load: () => Promise<WordBody | readonly CommandSpec[]>;
}

export type Words = Readonly<Record<string, Word>>;

/** A parsed command line, with the values of its flags and settings. */
export interface Invocation {
  /** The words of the command: `posts`, `retry`. */
  readonly words: readonly string[];
  readonly runtime: Runtime;
  readonly settings: Settings;
  readonly config: Config;
  readonly operands: readonly string[];
  /** The values of the flags by key, as their types parsed them. */
  readonly flags: RawFlags;
  /** The flags as they were typed, to store a command line or to compare it with a stored one. */
  readonly typedFlags: RawFlags;
  readonly form: OutputForm;
  /** The whole command line after `social`, as it was typed. */
  readonly argv: readonly string[];
  /** All faults of the line and the settings; empty unless the command collects faults. */
  readonly faults: readonly Fault[];
  readonly filter: Jq | undefined;
  readonly program: Program;
}

/** The parts of the program that a command can use. */
export interface Program {
  readonly words: Words;
  /** Runs another command line, and resolves with its exit code. */
  readonly run: (argv: readonly string[], host: Host) => Promise<number>;
  /** Shows the help of a command, or without words that of the program. */
  readonly showHelp: (words: readonly string[]) => Promise<void>;
  /** Shows a page of text like help. */
  readonly showPage: (text: string) => void;
}

export const SUMMARY = 'Operate a social publishing service from the command line';

export const pathOf = ({ words }: Pick<CommandSpec, 'words'>): string => words.join(' ');

/** Loads the commands of a word. A command that is the word itself has its summary. */
export async function specsOfWord(name: string, word: Word): Promise<readonly CommandSpec[]> {
  const loaded = await word.load();
  if (!('run' in loaded)) return loaded;
  const { subcommands = [], ...body } = loaded;
  return [{ ...body, words: [name], summary: word.summary }, ...subcommands];
}

/**
 * Lists the words that can follow `path`, each with the commands that begin with it; one of them may be the word
 * itself. All `specs` begin with `path` and have further words.
 */
export function wordsAfter(path: readonly string[], specs: readonly CommandSpec[]) {
  const names = [...new Set(specs.map(({ words }) => words[path.length]!))];
  return names.map((name) => {
    const inside = specs.filter(({ words }) => words[path.length] === name);
    return { name, inside, itself: inside.find(({ words }) => words.length === path.length + 1) };
  });
}

/** Loads every command. */
export async function specsOfWords(words: Words): Promise<readonly CommandSpec[]> {
  const specs = Object.entries(words).map(async ([name, word]) => specsOfWord(name, word));
  return (await Promise.all(specs)).flat();
}

/** Formats what follows the words of a command: `<post-id> --target <id> --text <text> [flags]`. */
export function argumentsOf(spec: CommandSpec): string {
  const required = (spec.flags ?? [])
    .filter((flag) => flag.required)
    .map(({ flags }) => flags.replace(/^(-\w), --[\w-]+/, '$1'));
  const operands = (spec.operands ?? []).map(bracketed);
  return [...operands, ...required, '[flags]'].join(' ');
}

/** Formats `<name>`, `<name>...`, `[name]` if it is optional, `[<name>...]` if all are. */
function bracketed({ name, optional, many }: Operand): string {
  const one = `<${name}>${many === true ? '...' : ''}`;
  if (optional !== true) return one;
  return many === true ? `[${one}]` : `[${name}]`;
}

export const descriptionOf = ({ summary, details }: CommandSpec): string =>
  details === undefined ? summary : `${summary}\n\n${details}`;

export const examplesOf = ({ summary, example, examples = {} }: CommandSpec): Examples =>
  example === undefined ? examples : { [summary]: example, ...examples };

/** Adds the flags of every command to those of one, which may have a flag in place of a global one. */
export function withGlobalFlags(commandFlags: readonly FlagSpec[]): readonly FlagSpec[] {
  const keys = new Set(commandFlags.map(keyOfFlag));
  return [...commandFlags, ...globalFlags.filter(({ key }) => !keys.has(key))];
}

/** Returns the words that a flag accepts, if they are limited. */
export const valuesOf = ({ values, type }: FlagSpec): readonly string[] | undefined =>
  values ?? type?.values;

/** Returns the values to list; empty if the description has them all. */
export const valuesToList = ({
  description,
  values = [],
}: {
  readonly description: string;
  readonly values?: readonly string[] | undefined;
}): readonly string[] => (values.every((value) => description.includes(value)) ? [] : values);
