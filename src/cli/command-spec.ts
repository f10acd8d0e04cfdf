// One description of a command. The parser, help, completion, `commands`, `schema` and the reference are made from it.

import type { Effect, Example, Operation } from '../api/operations/define-operation.ts';
import type { Fault } from '../base/errors.ts';
import type { Runtime } from '../base/runtime.ts';
import type { Config } from '../config/file.ts';
import type { FlagSpec, OutputForm, RawFlags } from '../config/flags.ts';
import type { Settings } from '../config/settings.ts';
import type { Jq, WorkDone } from '../output/jq-filter.ts';

import type { CommandTree } from './command-tree.ts';

/** What a command takes and does, without what it is called. */
export interface CommandBody {
  /** What one should know before running it, a paragraph each, apart by blank lines. */
  readonly details?: string | undefined;
  readonly operands?: readonly Operand[];
  /** Its own flags; those that every command takes come on top. */
  readonly flags?: readonly FlagSpec[];
  /** The line that does what the summary says, and nothing more. */
  readonly example?: string;
  /** Further lines, each with its purpose. */
  readonly examples?: readonly Example[];
  /** Without it the command `reads`. */
  readonly effect?: Effect;
  /** The fields of its result that help lists, those that are shown. */
  readonly fields?: readonly string[];
  /** The operation of the API that it calls. */
  readonly operation?: Operation;
  /** The fields of the operation that the words of the command give. */
  readonly given?: Readonly<Record<string, string>>;
  /** Whether it can show the requests that it would send; without it, one that changes something refuses to. */
  readonly dryRun?: true;
  /** Whether a word that it does not take is most likely a token. */
  readonly secretWords?: true;
  /**
   * `none`: works without reading the settings. `any`: the context it names need not exist. `own`: reads and judges
   * them itself, but for what is typed.
   */
  readonly config?: 'none' | 'any' | 'own';
  /** Whether `run` finds faults of its own, and throws them together with those of the call by `refuseFaults`. */
  readonly collectsFaults?: true;
  run(call: Call): void | Promise<void>;
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
  /** Takes any number of words. */
  readonly many?: boolean;
  /** What it takes an ID of. */
  readonly id?: string | undefined;
}

/** A word of the program: a command, or what holds some. Its commands are loaded when it is typed. */
export interface Word {
  readonly summary: string;
  /** The title under which the help of the program lists it. */
  readonly group: string;
  /** The summaries of the words between it and its commands. */
  readonly groups?: Readonly<Record<string, string>>;
  readonly load: () => Promise<CommandBody | readonly CommandSpec[]>;
}

export type Words = Readonly<Record<string, Word>>;

/** A command line that has been parsed, and what its flags and the settings come to. */
export interface Call {
  /** The command without its arguments: `social posts retry`. */
  readonly command: string;
  readonly runtime: Runtime;
  readonly settings: Settings;
  readonly config: Config;
  readonly operands: readonly string[];
  /** The flags by key, as their types read them. */
  readonly flags: RawFlags;
  /** The same as they were typed, for a line that is shown again. */
  readonly typed: RawFlags;
  readonly form: OutputForm;
  /** The words as they were typed. */
  readonly argv: readonly string[];
  /** All that is wrong with the line and the settings; empty unless the command collects faults. */
  readonly faults: readonly Fault[];
  /** What the JSON goes through. */
  readonly filter: Jq | undefined;
  /** What the command has done so far, for a failure of the filter to say. */
  readonly done: WorkDone;
  readonly program: Program;
}

/** What a command can ask the program that it is a part of. */
export interface Program {
  /** Every command of the program. */
  readonly specs: () => Promise<readonly CommandSpec[]>;
  /** The whole command line as data. */
  readonly tree: () => Promise<CommandTree>;
  /**
   * Shows the help of what the words lead to, without words of the program. Answers the place of a word that leads
   * nowhere, with those that would.
   */
  readonly showHelp: (words: readonly string[]) => Promise<LostWord | undefined>;
  /** Shows a page of text in the way of help. */
  readonly showPage: (text: string) => void;
}

export interface LostWord {
  readonly index: number;
  readonly names: readonly string[];
}

export const SUMMARY = 'Operate a social publishing service from the command line';

/** What the description of a flag says that may be given several times. */
export const REPEATABLE = '; repeatable';

export const pathOf = ({ words }: Pick<CommandSpec, 'words'>): string => words.join(' ');

/** The commands of a word. One that is the word itself has its summary. */
export async function specsOfWord(name: string, word: Word): Promise<readonly CommandSpec[]> {
  const loaded = await word.load();
  return 'run' in loaded ? [{ ...loaded, words: [name], summary: word.summary }] : loaded;
}

/** The words that can follow some others, with the commands that begin so; one of them may be the word itself. */
export function wordsAfter(path: readonly string[], specs: readonly CommandSpec[]) {
  const names = [...new Set(specs.map(({ words }) => words[path.length]!))];
  return names.map((name) => {
    const inside = specs.filter(({ words }) => words[path.length] === name);
    return { name, inside, itself: inside.find(({ words }) => words.length === path.length + 1) };
  });
}

/** Every command. */
export async function specsOfWords(words: Words): Promise<readonly CommandSpec[]> {
  const specs = Object.entries(words).map(async ([name, word]) => specsOfWord(name, word));
  return (await Promise.all(specs)).flat();
}

/** `posts reply <post-id> --target <id> --text <text> [flags]` */
export function usageOf(spec: CommandSpec): string {
  const required = (spec.flags ?? [])
    .filter((flag) => flag.required)
    .map(({ flags }) => flags.replace(/^(-\w), --[\w-]+/, '$1'));
  const operands = (spec.operands ?? []).map(bracketed);
  return [...operands, ...required, '[flags]'].join(' ');
}

/** `<name>`, `<name>...`, `[name]` where it may be left out, `[<name>...]` where all of them may. */
function bracketed({ name, optional, many }: Operand): string {
  const one = `<${name}>${many === true ? '...' : ''}`;
  if (optional !== true) return one;
  return many === true ? `[${one}]` : `[${name}]`;
}

export const descriptionOf = ({ summary, details }: CommandSpec): string =>
  details === undefined ? summary : `${summary}\n\n${details}`;

export const examplesOf = ({ summary, example, examples = [] }: CommandSpec): readonly Example[] =>
  example === undefined ? examples : [[summary, example], ...examples];

/** The words that a flag takes, where it takes only some. */
export const valuesOf = ({ values, type }: FlagSpec): readonly string[] | undefined =>
  values ?? type?.values;

/** The values to list: none where the description has them all. */
export const valuesToList = ({
  description,
  values = [],
}: {
  readonly description: string;
  readonly values?: readonly string[] | undefined;
}): readonly string[] => (values.every((value) => description.includes(value)) ? [] : values);
