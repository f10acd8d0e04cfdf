// Answers `social __complete <n> <word>…`: <n> is the index of the word at the cursor, which ends there. The first line
// of the answer says how to complete, then each candidate has a line. Runs at every TAB: loads a few small modules,
// uses no network, evaluates nothing that was typed, and reports no errors.

import type { Candidate } from '../../history/known-ids.ts';
import { type Machine, candidates } from './candidates.ts';
import { configDirFrom, stateDirFrom } from '../../base/paths.ts';
import type { CompletionNode, CompletionTree, Flag, Value } from './completion-tree.ts';
import { INVISIBLE } from '../../base/sanitize.ts';

/** How the shell completes: from the candidates, as items of a comma-separated list, or with file names. */
type How = 'words' | 'list' | 'files';

interface Answer {
  readonly how: How;
  /** What the word is, for shells that show it. */
  readonly label: string;
  /** The part of the word at the cursor that stays before each candidate. */
  readonly kept?: string;
  readonly offers: readonly Candidate[];
}

/** What the words before the cursor lead to. */
interface Position {
  readonly node: CompletionNode;
  /** Set below a command that takes the words of commands: their own flags and operands do not follow. */
  readonly reads?: CompletionNode['reads'];
  readonly operands: number;
  /** The operand before. */
  readonly operand: string;
  /** After `--` no word is a flag. */
  readonly flagsEnded: boolean;
  /** The flag whose value is the next word. */
  readonly pending?: Flag | undefined;
  /** The values of `--context` and `--base-url`. */
  readonly context?: string;
  readonly baseUrl?: string;
}

interface Line {
  readonly tree: CompletionTree;
  /** The word at the cursor, up to it. */
  readonly typed: string;
  readonly position: Position;
  /** The candidates of a kind that this machine knows, less those on the line or in `taken`. */
  readonly known: (kind: string, taken: readonly string[]) => readonly Candidate[];
}

const FILE: Value = { label: 'file', files: true };
const REDIRECTION: Flag = { names: [], summary: '', value: FILE };
/** `>`, `2>>`: one shell hands these on. */
const REDIRECTED = /^(?:\d+|&)?[<>]+/;
/** Words that need no quoting in any shell. */
const PLAIN = /^[\w.,=@/+-]+$/;

export const machineOf = (env: Machine['env'], home: () => string, platform: string): Machine => ({
  env,
  configDir: () => configDirFrom(env, home, platform),
  stateDir: () => stateDirFrom(env, home, platform),
});

/** The answer; empty where the question is invalid. */
export function complete(
  [at = '', ...quoted]: readonly string[],
  tree: CompletionTree,
  machine: Machine,
): string {
  try {
    if (!/^\d{1,5}$/.test(at)) return '';
    return formatAnswer(answerAt(lineOf(quoted.map(unquoted), Number(at), tree, machine)));
  } catch {
    return '';
  }
}

/** A word without quotes and backslashes: some shells hand words on as they were typed. */
const unquoted = (word: string): string => word.replace(/\\(.)|["']/gs, '$1');

function lineOf(
  words: readonly string[],
  at: number,
  tree: CompletionTree,
  machine: Machine,
): Line {
  const start: Position = { node: tree.root, operands: 0, operand: '', flagsEnded: false };
  const advance = (from: Position, each: readonly string[]) =>
    each.reduce((position, word) => next(position, word, tree), from);
  const [before, after] = [words.slice(0, at), words.slice(at + 1)];
  const position = advance(start, before);
  const { context, baseUrl } = advance({ ...position, pending: undefined }, after);
  const others = [...before, ...after];
  const typed = words[at] ?? '';
  const known = (kind: string, taken: readonly string[]) =>
    candidates(kind, {
      ...machine,
      context,
      baseUrl,
      platform: position.node.platform,
      words: [...others, ...taken],
    });
  return { tree, typed, position, known };
}

function next(position: Position, word: string, tree: CompletionTree): Position {
  const { node, pending, flagsEnded, operands } = position;
  if (pending !== undefined) return withValue(position, pending, word);
  const redirected = REDIRECTED.exec(word)?.[0];
  if (redirected !== undefined)
    return word === redirected ? { ...position, pending: REDIRECTION } : position;
  if (!flagsEnded && word === '--') return { ...position, flagsEnded: true };
  if (!flagsEnded && /^-./.test(word)) {
    const { flag, value } = flagIn(word, position, tree);
    if (flag?.value === undefined) return position;
    return value === undefined ? { ...position, pending: flag } : withValue(position, flag, value);
  }
  const child = commandsAt(position, tree).find(({ words }) => words.includes(word));
  if (child === undefined) return { ...position, operands: operands + 1, operand: word };
  return { ...position, node: child, reads: position.reads ?? node.reads };
}

/** The position after the value of a flag. */
function withValue(position: Position, { names }: Flag, value: string): Position {
  const after = { ...position, pending: undefined };
  if (names.includes('--context')) return { ...after, context: value };
  return names.includes('--base-url') ? { ...after, baseUrl: value } : after;
}

/** The flag of a word, and its value where that is part of the word: `--flag=value`, `-qfvalue`. */
function flagIn(word: string, position: Position, tree: CompletionTree) {
  const known = (name: string) => flagsAt(position, tree).find(({ names }) => names.includes(name));
  if (word.startsWith('--')) {
    const [, name, value] = /^([^=]*)(?:=(.*))?$/s.exec(word)!;
    return { flag: known(name!), value };
  }
  for (let i = 1; i < word.length; i++) {
    const flag = known(`-${word[i]}`);
    if (flag === undefined) break;
    if (flag.value !== undefined) return { flag, value: word.slice(i + 1) || undefined };
  }
  return { flag: undefined, value: undefined };
}

/** The commands that can follow. */
function commandsAt({ node, reads }: Position, tree: CompletionTree): readonly CompletionNode[] {
  const isReader = reads === undefined && node.reads !== undefined;
  const { commands = [] } = isReader ? tree.root : node;
  return (reads ?? node.reads) === 'schemas' ? commands.filter(({ schema }) => schema) : commands;
}

const flagsAt = ({ node, reads }: Position, { flags }: CompletionTree): readonly Flag[] =>
  reads === undefined ? [...(node.flags ?? []), ...flags] : flags;

function answerAt(line: Line): Answer {
  const { typed, position, tree } = line;
  const { pending, flagsEnded } = position;
  if (pending?.value !== undefined) return valueAnswer(pending.value, '', line);
  if (REDIRECTED.test(typed)) return valueAnswer(FILE, '', line);
  if (flagsEnded || !typed.startsWith('-')) return operandAnswer(line);
  const { flag, value } = flagIn(typed, position, tree);
  if (flag?.value !== undefined && value !== undefined)
    return valueAnswer(flag.value, typed.slice(0, typed.length - value.length), line);
  const isShort = flag?.value !== undefined && !typed.startsWith('--');
  const joined = isShort ? valueAnswer(flag.value, typed, line).offers : [];
  const values = joined.map(([word, text]): Candidate => [typed + word, text]);
  return { how: 'words', label: 'flag', offers: [...flagOffers(line), ...values] };
}

/** Every flag by each of its names; after letters of switches (`-qn`), also the letters that can follow. */
function flagOffers({ typed, position, tree }: Line): readonly Candidate[] {
  const all = flagsAt(position, tree).flatMap(({ names, summary, value }) =>
    names.map((name) => ({ name, summary, isSwitch: value === undefined })),
  );
  const letters = all.filter(({ name }) => !name.startsWith('--'));
  const isSwitch = (letter: string) =>
    letters.some(({ name, isSwitch: is }) => is && name === `-${letter}`);
  const joins = /^-\w+$/.test(typed) && typed.slice(1).split('').every(isSwitch);
  const others = letters.filter(({ name }) => joins && !typed.includes(name[1]!));
  return [
    ...all.map(({ name, summary }): Candidate => [name, summary]),
    ...others.map(({ name, summary }): Candidate => [typed + name[1]!, summary]),
  ];
}

/** The answer for a value. The finished items of a list stay, and are not offered again. */
function valueAnswer(value: Value, before: string, { typed, known }: Line): Answer {
  const { label, files, many } = value;
  if (files) return { how: 'files', label, offers: [] };
  const written = typed.slice(before.length);
  const ended = many ? written.slice(0, written.lastIndexOf(',') + 1) : '';
  const taken = ended.split(',');
  const offers = offersOf(value, (kind) => known(kind, taken)).filter(
    ([word]) => !taken.includes(word),
  );
  return { how: many ? 'list' : 'words', label, kept: before + ended, offers };
}

/** The commands that can follow and the candidates of the operand; where there are neither, the flags. */
function operandAnswer(line: Line): Answer {
  const { typed, position, tree, known } = line;
  const { node, operands, operand, flagsEnded, reads } = position;
  const commands = commandsAt(position, tree);
  const values = reads === undefined ? (node.operands ?? []) : [];
  const last = values.at(-1);
  const place = values[operands] ?? (last?.many ? last : undefined);
  const { after = {} } = place ?? {};
  const value = Object.hasOwn(after, operand)
    ? { label: place!.label, words: after[operand]! }
    : place;
  if (typed === '' && !flagsEnded && commands.length === 0 && value === undefined)
    return { how: 'words', label: 'flag', offers: flagOffers(line) };
  const names = (operands > 0 ? [] : commands).flatMap(({ words, summary }) =>
    words.map((word): Candidate => [word, summary]),
  );
  // The listed words of an operand are only its first word: the commands say what follows.
  const isKnown = value !== undefined && (operands === 0 || place?.words === undefined);
  const offers = isKnown ? offersOf(value, (kind) => known(kind, [])) : [];
  const others = offers.filter(([word]) => !names.some(([name]) => name === word));
  const label = names.length > 0 ? 'command' : (value?.label ?? '');
  return { how: 'words', label, offers: [...names, ...others] };
}

const offersOf = (
  { words, known }: Value,
  ask: (kind: string) => readonly Candidate[],
): readonly Candidate[] =>
  known === undefined ? (words ?? []).map((word): Candidate => [word, '']) : ask(known);

function formatAnswer({ how, label, kept = '', offers }: Answer): string {
  const plain = offers.map(([word, summary]): Candidate => [kept + word, summary]);
  const lines = [[how, label] as const, ...plain.filter(([word]) => PLAIN.test(word))];
  return lines.map(([word, text]) => `${word}\t${printable(text)}\n`).join('');
}

/** Stored descriptions are sanitized when written, but the file can be changed. */
const printable = (text: string): string => text.replace(INVISIBLE, '').replace(/[\t\n]/g, ' ');
