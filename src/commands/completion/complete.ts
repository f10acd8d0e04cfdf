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

/** The parts of a line on which its candidates depend. */
interface CandidateQuery extends Machine {
  /** The words before the cursor: IDs among them are not offered again. */
  readonly words: readonly string[];
  /** The values of `--context` and `--base-url`, if they are typed. */
  readonly context?: string | undefined;
  readonly baseUrl?: string | undefined;
  /** The platform on which the command's account must be. */
  readonly platform?: string | undefined;
}

/** The line up to the cursor. */
interface Line extends CandidateQuery {
  readonly tree: CommandTree;
  /** The words of the command so far. */
  readonly path: string;
  /** The command whose operands are the words of another, as in `help posts retry`. */
  readonly naming: string | undefined;
  readonly operandCount: number;
  /** Words after `--` are not flags. */
  readonly flagsEnded: boolean;
  /** The flag whose value is the next word. */
  readonly pending?: FlagNode | undefined;
}

interface Answer {
  readonly how: 'words' | 'files';
  readonly label: string;
  readonly offers: readonly Candidate[];
}

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
export function complete(text: string, tree: CommandTree, machine: Machine): string {
  try {
    const [, ...words] = wordsOf(text);
    const typed = words.pop() ?? '';
    const naming = NAMING_COMMANDS.find((name) => name === words[0]);
    const start = { path: '', naming, operandCount: 0, flagsEnded: false };
    let line: Line = { ...machine, ...start, tree, words };
    for (const word of naming === undefined ? words : words.slice(1)) line = lineAfter(word, line);
    const platform = commandAt(line.path, tree)?.platform;
    return formatAnswer(typed, answerFor(typed, { ...line, platform }));
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

/** Reads one more word. */
function lineAfter(word: string, line: Line): Line {
  const { pending, flagsEnded, operandCount } = line;
  if (pending !== undefined) return withValue(pending, word, line);
  if (!flagsEnded && word === '--') return { ...line, flagsEnded: true };
  if (!flagsEnded && /^-./.test(word)) {
    const { flag, value } = flagIn(word, line);
    if (flag?.placeholder === undefined) return line;
    return value === undefined ? { ...line, pending: flag } : withValue(flag, value, line);
  }
  const child = commandsAfter(line).find(({ name, aliases }) => [name, ...aliases].includes(word));
  return child === undefined
    ? { ...line, operandCount: operandCount + 1 }
    : { ...line, path: child.path };
}

/** Returns the line after the value of a flag. */
function withValue({ long }: FlagNode, value: string, line: Line): Line {
  const after = { ...line, pending: undefined };
  if (long === '--context') return { ...after, context: value };
  return long === '--base-url' ? { ...after, baseUrl: value } : after;
}

/** Returns the flag of a word, and its value if that is part of the word: `--flag=value`. */
function flagIn(word: string, line: Line) {
  const [, name, value] = /^([^=]*)(?:=(.*))?$/s.exec(word)!;
  const flag = flagsOf(line).find(({ long, short }) => [long, short].includes(name));
  return { flag, value };
}

const commandAt = (path: string, { commands }: CommandTree): CommandNode | undefined =>
  commands.find((command) => command.path === path);

/** Returns the command that runs: not one that is only named. */
function runningCommand({ path, naming, tree }: Line): CommandNode | undefined {
  if (naming === undefined) return commandAt(path, tree);
  return path === '' ? commandAt(naming, tree) : undefined;
}

/** Returns the commands that can follow, each with its last word. */
function commandsAfter({ path, tree }: Line) {
  const before = path === '' ? '' : `${path} `;
  return tree.commands
    .filter((command) => command.path.startsWith(before))
    .map((command) => ({ ...command, name: command.path.slice(before.length) }))
    .filter(({ name }) => !name.includes(' '));
}

/** Returns the flags that can follow; one of a command may take the place of a global one. */
function flagsOf(line: Line): readonly FlagNode[] {
  const { path, naming, tree } = line;
  const isProgram = path === '' && naming === undefined;
  const own = isProgram ? tree.flags : (runningCommand(line)?.flags ?? []);
  const names = own.map(({ long }) => long);
  return [...own, ...tree.globalFlags.filter(({ long }) => !names.includes(long))];
}

function answerFor(typed: string, line: Line): Answer {
  const { pending, flagsEnded } = line;
  if (pending !== undefined) return valueAnswer(pending, '', typed, line);
  if (flagsEnded || !typed.startsWith('-')) return operandAnswer(typed, line);
  const { flag, value } = flagIn(typed, line);
  return flag?.placeholder === undefined || value === undefined
    ? flagAnswer(line)
    : valueAnswer(flag, typed.slice(0, typed.length - value.length), value, line);
}

/** Offers every flag, by each of its names. */
function flagAnswer(line: Line): Answer {
  const offers = flagsOf(line).flatMap(({ short, long, description }) => {
    const names = short === undefined ? [long] : [short, long];
    return names.map((name): Candidate => [name, description]);
  });
  return { how: 'words', label: 'flag', offers };
}

/**
 * Offers values of a flag. `prefix` is the part of the word before the value, `--flag=`. The finished items of a list
 * stay, and are not offered again.
 */
function valueAnswer(flag: FlagNode, prefix: string, written: string, line: Line): Answer {
  const { placeholder: label = '', long, repeatable, id } = flag;
  const command = runningCommand(line);
  // Fields deep inside are offered once their way is typed.
  const depth = Math.max(2, written.split(',').at(-1)!.split('.').length);
  const fields = command?.fields?.filter((path) => path.split('.').length <= depth);
  const values = long === '--fields' ? fields : flag.values;
  // The shell completes paths itself.
  if (values === undefined && label.startsWith('file')) return { how: 'files', label, offers: [] };
  const finished = repeatable ? written.slice(0, written.lastIndexOf(',') + 1) : '';
  const known = offersOf(values, id, line);
  // A change of some targets is a retry.
  const isRetry = command?.changes === true && repeatable && id === 'target';
  const offers = (isRetry ? failedFirst(known) : known)
    .filter(([word]) => !finished.split(',').includes(word))
    .map(([word, text]): Candidate => [prefix + finished + word, text]);
  return { how: 'words', label, offers };
}

const isFailed = ([, text]: Candidate): boolean => text.endsWith('failed');

/** Puts failed targets first, and leaves published ones out if there are others. */
function failedFirst(targets: readonly Candidate[]): readonly Candidate[] {
  const open = targets.filter((one) => !one[1].endsWith('published'));
  return open.length === 0
    ? targets
    : [...open.filter(isFailed), ...open.filter((one) => !isFailed(one))];
}

/** Offers the commands that can follow and the candidates of the operand; if there are neither, the flags. */
function operandAnswer(typed: string, line: Line): Answer {
  const { operandCount, flagsEnded } = line;
  const commands = commandsAfter(line);
  const operand = operandAt(runningCommand(line), operandCount);
  if (typed === '' && !flagsEnded && commands.length === 0 && operand === undefined)
    return flagAnswer(line);
  const names = (operandCount > 0 ? [] : commands).flatMap(({ name, aliases, summary }) =>
    [name, ...aliases].map((word): Candidate => [word, summary]),
  );
  const label = names.length > 0 ? 'command' : (operand?.name ?? '');
  return {
    how: 'words',
    label,
    offers: [...names, ...offersOf(operand?.values, operand?.id, line)],
  };
}

/** Returns the operand after this number of them; the last may be repeated. */
function operandAt(command: CommandNode | undefined, before: number): ArgumentNode | undefined {
  const last = command?.arguments.at(-1);
  return command?.arguments[before] ?? (last?.repeatable ? last : undefined);
}

function offersOf(
  values: readonly string[] | undefined,
  id: string | undefined,
  line: Line,
): readonly Candidate[] {
  if (values !== undefined) return values.map((word): Candidate => [word, '']);
  return id === undefined ? [] : candidates(id, line);
}

function formatAnswer(typed: string, { how, label, offers }: Answer): string {
  const lines = [[how, typed, label], ...offers.filter(([word]) => PLAIN.test(word))];
  return lines.map((fields) => `${fields.map(printable).join('\t')}\n`).join('');
}

/** Stored descriptions are sanitized when written, but the file can be changed. */
const printable = (text: string): string => text.replace(INVISIBLE, '').replace(/[\t\n]/g, ' ');

/** The history line that is written before a change is sent; it begins with ID, time, command and IDs. */
const CHANGE =
  /^\{"id":"([a-z0-9]{6,32})","startedAt":"[^"]*","command":"([a-z -]+)","ids":\[(?:"([\w-]+)")?/;
/** Context names, except those that would be read as flags. */
const CONTEXT = /^\w[\w-]{0,31}$/;

/** Returns the candidates of a kind: `context`, `change`, or a kind of ID. Empty if a file is invalid. */
export function candidates(kind: string, line: CandidateQuery): readonly Candidate[] {
  try {
    if (kind === 'context') return contexts(line).slice(0, MAX_OFFERED);
    if (kind === 'change') return changes(line).slice(0, MAX_OFFERED);
    return ids(kind, line);
  } catch {
    return [];
  }
}

/** Reads the settings without validating them: faults are reported when a command runs. */
function configIn({ configDir }: Machine): Config {
  const text = textOf(join(configDir(), fileNames.config));
  return text === '' ? {} : ((JSON.parse(text.replace(/^\ufeff/, '')) ?? {}) as Config);
}

function contexts(machine: Machine): readonly Candidate[] {
  const stored = Object.entries(configIn(machine).contexts ?? {});
  const named = stored
    .filter(([name]) => CONTEXT.test(name))
    .map(([name, context]): Candidate => [
      name,
      originOf((context as StoredContext | null)?.baseUrl),
    ]);
  return [...named, [SANDBOX, 'the embedded service']];
}

/** Returns the recorded changes, newest first, each with its command and its first ID. */
function changes({ stateDir }: Machine): readonly Candidate[] {
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
  const { context, baseUrl, platform, env } = query;
  const { settings } = resolveSettings({ context, baseUrl }, env, configIn(query));
  const offers = idsToOffer({ kind, platform, posts }, { ...query, ...settings });
  return offers.filter(([id]) => !typed.includes(id));
}

/** Returns only the origin, because an address may contain a password. */
const originOf = (address: unknown): string =>
  typeof address === 'string' && URL.canParse(address) ? new URL(address).origin : '';
