// The PowerShell script, for Windows PowerShell 5.1 and PowerShell 7. Invokes nothing that was typed: the words come from
// the syntax tree and are compared; plain ones go to the program, which may be a batch file. Plain ASCII, for 5.1 reads a file without a mark in the system's code page.

import { powershellEngine } from './powershell-engine.ts';
import type { FlagNode, CommandTree } from '../../cli/command-tree.ts';
import {
  asksOf,
  namesOf,
  placesOf,
  stepsOf,
  takesMany,
  wantedBy,
  type Place,
  type Wanted,
} from './complete.ts';

export function powershellScript(tree: CommandTree): string {
  return ascii(`# PowerShell completion for social; written by: social completion powershell

Register-ArgumentCompleter -Native -CommandName social -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    function Step([string] $typed) {
        switch -CaseSensitive -Exact ($typed) {
${stepsOf(tree)
  .map(({ typed, to }) => `            ${psQuoted(typed)} { return ${psQuoted(to)} }`)
  .join('\n')}
        }
        return ''
    }

    # What a flag takes: nothing, an array of words, or the word files, value, or ask and what for.
    function Value([string] $place, [string] $flag) {
        switch -CaseSensitive -Exact ("$place $flag") {
${placesOf(tree)
  .flatMap(({ path, flags }) => flags.flatMap((flag) => valueCases(flag, `${path} `)))
  .join('\n')}
        }
        switch -CaseSensitive -Exact ($flag) {
${tree.globalFlags.flatMap((flag) => valueCases(flag, '')).join('\n')}
        }
    }

    # What can be typed at a place: pairs of a word and its description.
    function Offers([string] $place) {
        switch -CaseSensitive -Exact ($place) {
${placesOf(tree)
  .flatMap((place) => offerCase(place))
  .join('\n')}
        }
    }

    # What the program is asked for at each operand of a place; a last * stands for as many as are typed.
    function Asks([string] $place) {
        switch -CaseSensitive -Exact ($place) {
${placesOf(tree)
  .flatMap((place) => askCase(place))
  .join('\n')}
        }
    }

    function Flags([string] $place) {
        switch -CaseSensitive -Exact ($place) {
${placesOf(tree)
  .flatMap((place) => flagCase(place))
  .join('\n')}
        }
${pairs(tree.globalFlags.flatMap(flagPairs), '        ')}
    }

${powershellEngine}}
`);
}

/** A text as a literal: PowerShell takes curly quotes for quotes, too. */
const psQuoted = (text: string): string => `'${ascii(text).replaceAll("'", "''")}'`;

function ascii(text: string): string {
  return text
    .replace(/[‘’]/g, "'")
    .replaceAll('…', '...')
    .replace(/[–—]/g, '-')
    .replace(/[^\n\x20-\x7e]/g, '?');
}

function valueCases(flag: FlagNode, before: string): readonly string[] {
  const wanted = wantedBy(flag);
  if (wanted === undefined) return [];
  return namesOf(flag).map(
    (name) => `            ${psQuoted(before + name)} { return ${psValueOf(wanted)} }`,
  );
}

function psValueOf(wanted: Wanted): string {
  if (wanted.kind === 'words') return wanted.words.map(psQuoted).join(', ');
  if (wanted.kind === 'asked') return psQuoted(`<ask:${wanted.what}>`);
  return psQuoted(wanted.kind === 'files' ? '<files>' : '<value>');
}

function askCase(place: Place): readonly string[] {
  const asks = asksOf(place);
  if (asks.length === 0) return [];
  const words = [...asks, ...(takesMany(place) ? ['*'] : [])].map(psQuoted);
  return [`            ${psQuoted(place.path)} { return ${words.join(', ')} }`];
}

type Pair = readonly [word: string, text: string];

const flagPairs = (flag: FlagNode): readonly Pair[] =>
  namesOf(flag).map((name) => [name, flag.description] as const);

/** One array a line; the comma keeps each from being unrolled. */
const pairs = (list: readonly Pair[], margin: string): string =>
  list
    .map(
      ([word, text]) => `${margin}, @(${psQuoted(word)}, ${psQuoted(text === '' ? word : text)})`,
    )
    .join('\n');

function caseOf(path: string, list: readonly Pair[]): readonly string[] {
  if (list.length === 0) return [];
  const margin = ' '.repeat(16);
  return [`            ${psQuoted(path)} {\n${pairs(list, margin)}\n            }`];
}

const offerCase = ({ path, offers }: Place): readonly string[] =>
  caseOf(
    path,
    offers.map(({ word, summary }) => [word, summary]),
  );

const flagCase = ({ path, flags }: Place): readonly string[] =>
  caseOf(path, flags.flatMap(flagPairs));
