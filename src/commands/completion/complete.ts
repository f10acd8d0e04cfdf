// Answers `social __complete <line>`: the candidates for the command line up to the cursor. The first line of the
// answer has three fields, separated by tabs: what the shell offers (these `words`, or its own `files`), the word at
// the cursor, and the description of the expected value. Each candidate follows on a line, with a description: words of
// the command tree, or contexts, recorded changes and remembered IDs from small files of this machine. Runs at every
// TAB: loads a few small modules, uses no network, evaluates nothing that was typed, and reports no errors.

import { join } from 'node:path';
import { configDirFrom, fileNames, stateDirFrom } from '../../base/paths.ts';
import { INVISIBLE } from '../../base/sanitize.ts';
import type { ArgumentNode, CommandNode, CommandTree, FlagNode } from '../../cli/command-tree.ts';
import type { Config, StoredContext } from '../../config/file.ts';
import { resolveSettings, SANDBOX } from '../../config/settings.ts';
import { type Candidate, isIdOf, idsToOffer, MAX_OFFERED, textOf } from '../../history/seen-ids.ts';

/** The environment and the folders of this machine. */
export interface Machine {
  readonly configDir: () => string;
  readonly stateDir: () => string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface Answer {
  readonly how: 'words' | 'files';
  readonly label: string;
  readonly offers: readonly Candidate[];
}

/** The position of the cursor in the command line. */
interface Position {
  /** The words of the command. */
  readonly path: string;
  /** True if `path` is only named, as in `help posts retry`: its flags and operands do not follow. */
  readonly isNamed: boolean;
  readonly operandCount: number;
  /** Words after `--` are not flags. */
  readonly flagsEnded: boolean;
  /** The flag whose value is the next word. */
  readonly pending?: FlagNode | undefined;
  /** The values of `--context` and `--base-url`. */
  readonly context?: string;
  readonly baseUrl?: string;
}

interface Line {
  readonly tree: CommandTree;
  readonly typed: string;
  readonly position: Position;
  /** Returns the candidates of a kind, except those on the line. */
  readonly candidatesOf: (kind: string) => readonly Candidate[];
}

/** The commands after which the words of another command are typed. */
const NAMING_COMMANDS = ['commands', 'help', 'schema'];

/** A word as a shell reads it; an open quote ends with the line. */
const WORD = /(?:[^\s"'\\]|\\.|\\$|"(?:[^"\\]|\\.)*(?:"|$)|'[^']*(?:'|$))+/gs;
/** Words that need no quoting in any shell. Others are not offered. */
const PLAIN = /^[\w.,=@/+-]+$/;

export const machineOf = (env: Machine['env'], home: () => string, platform: string): Machine => ({
  env,
  configDir: () => configDirFrom(env, home, platform),
  stateDir: () => stateDirFrom(env, home, platform),
});

/** Makes the answer; empty if something fails. */
export function complete(line: string, tree: CommandTree, machine: Machine): string {
  try {
    const [, ...words] = wordsOf(line);
    const typed = words.pop() ?? '';
    const start: Position = { path: '', isNamed: false, operandCount: 0, flagsEnded: false };
    const position = words.reduce((before, word) => positionAfter(word, before, tree), start);
    const { path, context, baseUrl } = position;
    const platform = commandAt(path, tree)?.platform;
    const query = { ...machine, context, baseUrl, platform, words };
    const candidatesOf = (kind: string) => candidates(kind, query);
    return formatAnswer(typed, answerAt({ tree, typed, position, candidatesOf }));
  } catch {
    return '';
  }
}

/** Splits the line into words without their quotes; the last one is at the cursor, and empty after a space. */
function wordsOf(line: string): readonly string[] {
  const words = [...line.matchAll(WORD)];
  const end = words.at(-1);
  const isOpen = end !== undefined && end.index + end[0].length === line.length;
  const plain = words.map(([word]) => word.replace(/\\(.)|["']/gs, '$1'));
  return isOpen ? plain : [...plain, ''];
}

function positionAfter(word: string, position: Position, tree: CommandTree): Position {
  const { path, pending, flagsEnded, isNamed } = position;
  if (pending !== undefined) return withValue(position, pending, word);
  if (!flagsEnded && word === '--') return { ...position, flagsEnded: true };
  if (!flagsEnded && /^-./.test(word)) {
    const { flag, value } = flagIn(word, position, tree);
    if (flag?.placeholder === undefined) return position;
    return value === undefined ? { ...position, pending: flag } : withValue(position, flag, value);
  }
  const child = commandsAt(position, tree).find(({ name, aliases }) =>
    [name, ...aliases].includes(word),
  );
  if (child === undefined) return { ...position, operandCount: position.operandCount + 1 };
  return { ...position, path: child.path, isNamed: isNamed || NAMING_COMMANDS.includes(path) };
}

/** Returns the position after the value of a flag. */
function withValue(position: Position, { long }: FlagNode, value: string): Position {
  const after = { ...position, pending: undefined };
  if (long === '--context') return { ...after, context: value };
  return long === '--base-url' ? { ...after, baseUrl: value } : after;
}

/** Returns the flag of a word, and its value if that is part of the word: `--flag=value`. */
function flagIn(word: string, position: Position, tree: CommandTree) {
  const [, name, value] = /^([^=]*)(?:=(.*))?$/s.exec(word)!;
  const flag = flagsAt(position, tree).find(({ long, short }) => [long, short].includes(name));
  return { flag, value };
}

const commandAt = (path: string, { commands }: CommandTree): CommandNode | undefined =>
  commands.find((command) => command.path === path);

/** Returns the commands that can follow, each with its last word; after `help` and its like, all first words. */
function commandsAt({ path, isNamed }: Position, { commands }: CommandTree) {
  const parent = !isNamed && NAMING_COMMANDS.includes(path) ? '' : path;
  const before = parent === '' ? '' : `${parent} `;
  return commands
    .filter((command) => command.path.startsWith(before))
    .map((command) => ({ ...command, name: command.path.slice(before.length) }))
    .filter(({ name }) => !name.includes(' '));
}

function flagsAt({ path, isNamed }: Position, tree: CommandTree): readonly FlagNode[] {
  const ofCommand = path === '' ? tree.flags : (commandAt(path, tree)?.flags ?? []);
  return isNamed ? tree.globalFlags : [...ofCommand, ...tree.globalFlags];
}

function answerAt(line: Line): Answer {
  const { typed, position, tree } = line;
  const { pending, flagsEnded } = position;
  if (pending !== undefined) return valueAnswer(pending, '', line);
  if (flagsEnded || !typed.startsWith('-')) return operandAnswer(line);
  const { flag, value } = flagIn(typed, position, tree);
  return flag?.placeholder === undefined || value === undefined
    ? flagAnswer(line)
    : valueAnswer(flag, typed.slice(0, typed.length - value.length), line);
}

/** Offers every flag, by each of its names. */
function flagAnswer({ position, tree }: Line): Answer {
  const offers = flagsAt(position, tree).flatMap(({ short, long, description }) => {
    const names = short === undefined ? [long] : [short, long];
    return names.map((name): Candidate => [name, description]);
  });
  return { how: 'words', label: 'flag', offers };
}

/**
 * Offers values of a flag. `prefix` is the part of the word before the value, `--flag=`. The finished items of a list
 * stay, and are not offered again.
 */
function valueAnswer(flag: FlagNode, prefix: string, { typed, candidatesOf }: Line): Answer {
  const { placeholder: label = '', values, repeatable, id } = flag;
  // The shell completes paths itself.
  if (values === undefined && label.startsWith('file')) return { how: 'files', label, offers: [] };
  const written = typed.slice(prefix.length);
  const finished = repeatable ? written.slice(0, written.lastIndexOf(',') + 1) : '';
  const all = offersOf(values, id, candidatesOf).filter(
    ([word]) => !finished.split(',').includes(word),
  );
  const offers = all.map(([word, text]): Candidate => [prefix + finished + word, text]);
  return { how: 'words', label, offers };
}

/** Offers the commands that can follow and the candidates of the operand; if there are neither, the flags. */
function operandAnswer(line: Line): Answer {
  const { typed, position, tree, candidatesOf } = line;
  const { path, operandCount, isNamed, flagsEnded } = position;
  const commands = commandsAt(position, tree);
  const operand = isNamed ? undefined : operandAt(commandAt(path, tree), operandCount);
  if (typed === '' && !flagsEnded && commands.length === 0 && operand === undefined)
    return flagAnswer(line);
  const names = (operandCount > 0 ? [] : commands).flatMap(({ name, aliases, summary }) =>
    [name, ...aliases].map((word): Candidate => [word, summary]),
  );
  const label = names.length > 0 ? 'command' : (operand?.name ?? '');
  return {
    how: 'words',
    label,
    offers: [...names, ...offersOf(operand?.values, operand?.id, candidatesOf)],
  };
}

/** Returns the operand after this number of them; the last may be repeated. */
function operandAt(command: CommandNode | undefined, before: number): ArgumentNode | undefined {
  const last = command?.arguments.at(-1);
  return command?.arguments[before] ?? (last?.repeatable ? last : undefined);
}

const offersOf = (
  values: readonly string[] | undefined,
  id: string | undefined,
  candidatesOf: Line['candidatesOf'],
): readonly Candidate[] =>
  values?.map((word): Candidate => [word, '']) ?? (id === undefined ? [] : candidatesOf(id));

function formatAnswer(typed: string, { how, label, offers }: Answer): string {
  const lines = [[how, typed, label], ...offers.filter(([word]) => PLAIN.test(word))];
  return lines.map((fields) => `${fields.map(printable).join('\t')}\n`).join('');
}

/** Stored descriptions are sanitized when written, but the file can be changed. */
const printable = (text: string): string => text.replace(INVISIBLE, '').replace(/[\t\n]/g, ' ');

interface CandidateQuery extends Machine {
  /** The values of `--context` and `--base-url`, if they are typed. */
  readonly context?: string | undefined;
  readonly baseUrl?: string | undefined;
  /** The platform on which the command's account must be. */
  readonly platform?: string | undefined;
  /** The words before the cursor: IDs among them are not offered again. */
  readonly words: readonly string[];
}

/** The history line that is written before a change is sent; it begins with ID, time, command and IDs. */
const CHANGE =
  /^\{"id":"([a-z0-9]{6,32})","startedAt":"[^"]*","command":"([a-z -]+)","ids":\[(?:"([\w-]+)")?/;
/** Context names, except those that would be read as flags. */
const CONTEXT = /^\w[\w-]{0,31}$/;

/** Returns the candidates of a kind: `context`, `change`, or a kind of ID. Empty if a file is invalid. */
export function candidates(kind: string, query: CandidateQuery): readonly Candidate[] {
  try {
    if (kind === 'context') return contexts(query).slice(0, MAX_OFFERED);
    if (kind === 'change') return changes(query).slice(0, MAX_OFFERED);
    return ids(kind, query);
  } catch {
    return [];
  }
}

/** Reads the settings without validating them: faults are reported when a command runs. */
function configIn({ configDir }: CandidateQuery): Config {
  const text = textOf(join(configDir(), fileNames.config));
  return text === '' ? {} : ((JSON.parse(text.replace(/^\ufeff/, '')) ?? {}) as Config);
}

function contexts(query: CandidateQuery): readonly Candidate[] {
  const stored = Object.entries(configIn(query).contexts ?? {});
  const named = stored.filter(([name]) => CONTEXT.test(name));
  return [
    ...named.map(([name, context]): Candidate => [
      name,
      originOf((context as StoredContext | null)?.baseUrl),
    ]),
    [SANDBOX, 'the embedded service'],
  ];
}

/** Returns the recorded changes, newest first, each with its command and its first ID. */
function changes({ stateDir }: CandidateQuery): readonly Candidate[] {
  const lines = textOf(join(stateDir(), fileNames.history)).split('\n').toReversed();
  return lines.flatMap((line): readonly Candidate[] => {
    const [, id, command, first = ''] = CHANGE.exec(line) ?? [];
    return id === undefined || command === undefined ? [] : [[id, `${command} ${first}`.trim()]];
  });
}

/** Returns the IDs of a kind at the line’s service, except those on the line. */
function ids(kind: string, query: CandidateQuery): readonly Candidate[] {
  const typed = query.words.flatMap((word) => word.replace(/^--[a-z-]+=/, '').split(','));
  const posts = typed.filter((word) => isIdOf('post', word));
  const wanted = { kind, platform: query.platform, posts };
  const { context, baseUrl, env } = query;
  const { settings } = resolveSettings({ context, baseUrl }, env, configIn(query));
  return idsToOffer(wanted, { ...query, ...settings }).filter(([id]) => !typed.includes(id));
}

/** Returns only the origin, because an address may contain a password. */
const originOf = (address: unknown): string =>
  typeof address === 'string' && URL.canParse(address) ? new URL(address).origin : '';
