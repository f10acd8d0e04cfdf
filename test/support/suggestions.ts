// Every command that the program suggests must be one that it accepts. Every wrapper that runs the program checks here
// that the parser accepts each `try:` and `next` that a test meets.

import { readFileSync } from 'node:fs';
import type { ArgumentNode, CommandTree, FlagNode } from '../../src/cli/command-tree.ts';
import { splitWords } from './shell-words.ts';

interface Node {
  readonly flags: readonly FlagNode[];
  readonly arguments: readonly ArgumentNode[];
  readonly group: boolean;
}

let known: CommandTree | undefined;

/** Returns the command line as the built program describes it; each worker reads it once. */
function commandTree(): CommandTree {
  const path = new URL('../../dist/completion.json', import.meta.url);
  return (known ??= JSON.parse(readFileSync(path, 'utf8')) as CommandTree);
}

/** Returns the lines that an output suggests: after `try:` and `resume:`, and as `next` of an error object. */
function suggestionsIn(stderr: string): readonly string[] {
  const typed = Array.from(stderr.matchAll(/^(?:try|resume): (social .*)$/gm), ([, line]) => line!);
  const last = stderr.trimEnd().split('\n').at(-1) ?? '';
  if (!last.startsWith('{"ok":false')) return typed;
  const { error } = JSON.parse(last) as { error: { next: string | null } };
  // A file is repaired by a command of the system.
  const { next } = error;
  return next === null || /^(?:chmod|mv -n) /.test(next) ? typed : [...typed, next];
}

/** The command of a line that the parser accepts, or the reason why it does not. */
type Reading =
  | { readonly refusal: string }
  | {
      readonly path: string;
      readonly isOperation: boolean;
      readonly changes: boolean;
      readonly isHelp: boolean;
    };

/** Flags whose value may also come from a context or a variable. */
const elsewhere = new Set(['--account']);

/** Reads a line as the parser does. A value in <angle brackets> is accepted for any value. */
export function readSuggestion(line: string): Reading {
  const refused = (refusal: string): Reading => ({ refusal });
  const tree = commandTree();
  const [program, ...words] = splitWords(line);
  if (program !== 'social') return refused('it is not a line of social');
  const rootNode: Node = { flags: tree.flags, arguments: [], group: true };
  let [node, path]: [Node, string] = [rootNode, ''];
  const [operands, given]: [string[], string[]] = [[], []];
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    if (word === '--') {
      operands.push(...words.slice(i + 1));
      break;
    }
    if (word.startsWith('-') && word !== '-') {
      if (word === '--help' || word === '-h')
        return { path, isOperation: false, changes: false, isHelp: true };
      const [name = '', value] = word.split(/=(.*)/s);
      const flag = [...node.flags, ...tree.globalFlags].find(
        ({ long, short }) => long === name || short === name,
      );
      if (flag === undefined) return refused(`${path} has no flag ${name}`);
      given.push(flag.long);
      const typed = flag.placeholder === undefined ? undefined : (value ?? words[++i]);
      if (flag.placeholder !== undefined && typed === undefined)
        return refused(`${name} has no value`);
      if (typed !== undefined && flag.values?.includes(typed) === false && !/[<,]/.test(typed))
        return refused(`${name} does not take ${typed}`);
      continue;
    }
    const below = node.group ? commandBelow(path, word) : undefined;
    if (below === undefined && node.group) return refused(`"${path}" has no command ${word}`);
    if (below === undefined) operands.push(word);
    else [node, path] = [below, below.path];
  }
  const isGiven =
    path === 'help' || ['--from', '--input', '--interactive'].some((flag) => given.includes(flag));
  const least = node.arguments.filter((each) => each.required).length;
  if (!isGiven && operands.length < least) return refused(`${path} lacks an argument`);
  const most = node.arguments.some((each) => each.repeatable) ? Infinity : node.arguments.length;
  if (operands.length > most) return refused(`${path} takes ${most} arguments`);
  const missing = node.flags.find(
    ({ required, long }) => required && !given.includes(long) && !elsewhere.has(long),
  );
  if (!isGiven && missing !== undefined) return refused(`${path} lacks ${missing.long}`);
  const command = tree.commands.find((each) => each.path === path);
  const isOperation = command?.operation !== undefined;
  return { path, isOperation, changes: command?.changes === true, isHelp: path === 'help' };
}

const parentOf = (path: string): string => path.split(' ').slice(0, -1).join(' ');

/** Returns the command or group below another, by its name or an alias. */
const commandBelow = (path: string, word: string) =>
  commandTree().commands.find(
    (each) =>
      each.path === `${path} ${word}`.trim() ||
      (each.aliases.includes(word) && parentOf(each.path) === path),
  );

/** Throws if a command ends with a code that the table of exit codes does not have. */
export function assertExitCodeIsListed(argv: readonly string[], exitCode = 0): void {
  if (argv[0] === '__complete' || commandTree().exitCodes.some(({ code }) => code === exitCode))
    return;
  throw new Error(`social ${argv.join(' ')} ended with ${exitCode}, not listed`);
}

const judged = new Map<string, Reading>();

/** Throws if the program suggests a line that it would refuse. */
export function assertSuggestionsWork(argv: readonly string[], stderr: string): void {
  for (const line of suggestionsIn(stderr)) {
    const reading = judged.get(line) ?? readSuggestion(line);
    judged.set(line, reading);
    if ('refusal' in reading)
      throw new Error(`social ${argv.join(' ')} suggests "${line}", but ${reading.refusal}`);
  }
}
