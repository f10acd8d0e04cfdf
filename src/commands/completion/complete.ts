// What can be typed next: answers `social __complete <n> <word>…`, where <n> says which of the words after `social` the
// cursor is in, and that word ends at the cursor. One line of the answer says how to complete, then each candidate has
// a line. Asks no network, evaluates nothing of what was typed, loads next to nothing, and is silent about whatever
// goes wrong: a shell waits for it at every TAB.

import { type Candidate, type Machine, candidates } from './candidates.ts';
import { configDirFrom, stateDirFrom } from '../../base/paths.ts';
import type { CompletionNode, CompletionTree, Flag, Value } from './completion-tree.ts';
import { INVISIBLE } from '../../base/sanitize.ts';

/** How a shell completes: from the candidates, as a list to which commas add, or by finding files itself. */
type How = 'words' | 'list' | 'files';

interface Answer {
  readonly how: How;
  /** What is wanted, for a shell that says so. */
  readonly label: string;
  /** What of the word at the cursor stays before each candidate. */
  readonly kept?: string;
  readonly offers: readonly Candidate[];
}

/** Where the words lead. */
interface Spot {
  readonly place: CompletionNode;
  /** Below a command that takes words of commands: only these, without flags and operands of their own. */
  readonly reads: CompletionNode['reads'];
  readonly operands: number;
  /** Behind `--` no word is a flag. */
  readonly only: boolean;
  /** What the next word is the value of. */
  readonly pending: Flag | undefined;
  /** The values of `--context` and `--base-url`. */
  readonly context: string | undefined;
  readonly baseUrl: string | undefined;
}

interface Line {
  readonly tree: CompletionTree;
  /** The word at the cursor, as far as that. */
  readonly typed: string;
  readonly spot: Spot;
  /** What this machine knows of a kind, without what is on the line or in these words already. */
  readonly known: (kind: string, taken: readonly string[]) => readonly Candidate[];
}

const FILE: Value = { label: 'file', files: true };
const REDIRECTION: Flag = { names: [], summary: '', value: FILE };
/** `>`, `2>>`: one shell does not keep these to itself. */
const REDIRECTED = /^(?:\d+|&)?[<>]+/;
/** What no shell takes for more than a word, so that none has to quote it. */
const PLAIN = /^[\w.,=@/+-]+$/;

/** The machine of a start that builds nothing else. */
export const machineOf = (env: Machine['env'], home: () => string): Machine => ({
  env,
  configDir: () => configDirFrom(env, home),
  stateDir: () => stateDirFrom(env, home),
});

/** The answer, or nothing where the question is none. */
export function complete(
  [at = '', ...quoted]: readonly string[],
  tree: CompletionTree,
  machine: Machine,
): string {
  try {
    if (!/^\d{1,5}$/.test(at)) return '';
    return shown(answerAt(lineOf(quoted.map(unquoted), Number(at), tree, machine)));
  } catch {
    return '';
  }
}

/** A word without the marks by which a shell quotes: some hand words on as they stand on the line. */
const unquoted = (word: string): string => word.replace(/\\(.)|["']/gs, '$1');

function lineOf(
  words: readonly string[],
  at: number,
  tree: CompletionTree,
  machine: Machine,
): Line {
  const start: Spot = {
    place: tree.root,
    reads: undefined,
    operands: 0,
    only: false,
    pending: undefined,
    context: undefined,
    baseUrl: undefined,
  };
  const advance = (from: Spot, each: readonly string[]) =>
    each.reduce((spot, word) => next(spot, word, tree), from);
  const [before, after] = [words.slice(0, at), words.slice(at + 1)];
  const spot = advance(start, before);
  const { context, baseUrl } = advance({ ...spot, pending: undefined }, after);
  const others = [...before, ...after];
  const known = (kind: string, taken: readonly string[]) =>
    candidates(kind, { ...machine, context, baseUrl, words: [...others, ...taken] });
  return { tree, typed: words[at] ?? '', spot, known };
}

function next(spot: Spot, word: string, tree: CompletionTree): Spot {
  const { place, pending, only, operands } = spot;
  if (pending !== undefined) return given(spot, pending, word);
  const redirected = REDIRECTED.exec(word)?.[0];
  if (redirected !== undefined)
    return word === redirected ? { ...spot, pending: REDIRECTION } : spot;
  if (!only && word === '--') return { ...spot, only: true };
  if (!only && /^-./.test(word)) {
    const { flag, value } = flagIn(word, spot, tree);
    if (flag?.value === undefined) return spot;
    return value === undefined ? { ...spot, pending: flag } : given(spot, flag, value);
  }
  const child = placesAt(spot, tree).find(({ words }) => words.includes(word));
  if (child === undefined) return { ...spot, operands: operands + 1 };
  return { ...spot, place: child, reads: spot.reads ?? place.reads };
}

function given(spot: Spot, { names }: Flag, value: string): Spot {
  const settled = { ...spot, pending: undefined };
  if (names.includes('--context')) return { ...settled, context: value };
  return names.includes('--base-url') ? { ...settled, baseUrl: value } : settled;
}

interface TypedFlag {
  readonly flag: Flag | undefined;
  readonly value: string | undefined;
}

/** The flag of a word, and its value where that is part of the word: `--flag=value`, `-qfvalue`. */
function flagIn(word: string, spot: Spot, tree: CompletionTree): TypedFlag {
  const known = (name: string) => flagsAt(spot, tree).find(({ names }) => names.includes(name));
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
function placesAt({ place, reads }: Spot, tree: CompletionTree): readonly CompletionNode[] {
  const isReader = reads === undefined && place.reads !== undefined;
  const { places = [] } = isReader ? tree.root : place;
  return (reads ?? place.reads) === 'schemas' ? places.filter(({ schema }) => schema) : places;
}

const flagsAt = ({ place, reads }: Spot, { flags }: CompletionTree): readonly Flag[] =>
  reads === undefined ? [...(place.flags ?? []), ...flags] : flags;

function answerAt(line: Line): Answer {
  const { typed, spot, tree } = line;
  const { pending, only } = spot;
  if (pending?.value !== undefined) return valueAnswer(pending.value, '', line);
  if (REDIRECTED.test(typed)) return valueAnswer(FILE, '', line);
  if (only || !typed.startsWith('-')) return operandAnswer(line);
  const { flag, value } = flagIn(typed, spot, tree);
  if (flag?.value !== undefined && value !== undefined)
    return valueAnswer(flag.value, typed.slice(0, typed.length - value.length), line);
  const isShort = flag?.value !== undefined && !typed.startsWith('--');
  const joined = isShort ? valueAnswer(flag.value, typed, line).offers : [];
  const values = joined.map(([word, text]): Candidate => [typed + word, text]);
  return { how: 'words', label: 'flag', offers: [...flagOffers(line), ...values] };
}

/** Every flag by each of its names; behind letters that are switches, also those that can join them. */
function flagOffers({ typed, spot, tree }: Line): readonly Candidate[] {
  const all = flagsAt(spot, tree).flatMap(({ names, summary, value }) =>
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

/** What completes a value. Of a list, the words that commas end stay, and are not offered again. */
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

/** The commands that can follow and what completes the operand; where neither can be, the flags. */
function operandAnswer(line: Line): Answer {
  const { typed, spot, tree, known } = line;
  const { place, operands, only, reads } = spot;
  const places = placesAt(spot, tree);
  const values = reads === undefined ? (place.operands ?? []) : [];
  const last = values.at(-1);
  const value = values[operands] ?? (last?.many ? last : undefined);
  if (typed === '' && !only && places.length === 0 && value === undefined)
    return { how: 'words', label: 'flag', offers: flagOffers(line) };
  const commands = (operands > 0 ? [] : places).flatMap(({ words, summary }) =>
    words.map((word): Candidate => [word, summary]),
  );
  // The words of an operand are its first word alone: what follows them is said by the commands.
  const isKnown = value !== undefined && (operands === 0 || value.words === undefined);
  const offers = isKnown ? offersOf(value, (kind) => known(kind, [])) : [];
  const others = offers.filter(([word]) => !commands.some(([command]) => command === word));
  const label = commands.length > 0 ? 'command' : (value?.label ?? '');
  return { how: 'words', label, offers: [...commands, ...others] };
}

const offersOf = (
  { words, known }: Value,
  ask: (kind: string) => readonly Candidate[],
): readonly Candidate[] =>
  known === undefined ? (words ?? []).map((word): Candidate => [word, '']) : ask(known);

function shown({ how, label, kept = '', offers }: Answer): string {
  const plain = offers.map(([word, summary]): Candidate => [kept + word, summary]);
  const lines = [[how, label] as const, ...plain.filter(([word]) => PLAIN.test(word))];
  return lines.map(([word, text]) => `${word}\t${printable(text)}\n`).join('');
}

/** What is kept was made safe before, but a file can be changed. */
const printable = (text: string): string => text.replace(INVISIBLE, '').replace(/[\t\n]/g, ' ');
