// The fish script: fish's own `complete` lines under conditions that compare words. Evaluates nothing that was typed:
// the program is given the words as they are.

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

export function fishScript(tree: CommandTree): string {
  const places = placesOf(tree);
  return `# fish completion for social; written by: social completion fish

# Whether the words before the cursor lead to this command, with so many operands where that is asked.
function __social_at
    argparse 'operands=' -- $argv
    set -l place ''
    set -l operands 0
    set -l skip 0
    set -l only 0
    set -l words (commandline -opc)
    for word in $words[2..-1]
        if test $skip = 1
            set skip 0
            continue
        end
        if test $only = 0
            switch $word
                case --
                    set only 1
                    continue
                case ${valueFlags(tree, places).map(fishQuoted).join(' ')}
                    set skip 1
                    continue
                case '-?*'
                    continue
            end
        end
        set -l next (__social_step (string trim -- "$place $word"))
        if test -n "$next"
            set place $next
        else
            set operands (math $operands + 1)
        end
    end
    test "$place" = "$argv[1]"
    and test -z "$_flag_operands" -o "$operands" = "$_flag_operands"
end

# The command that one word more leads to.
function __social_step
    switch $argv[1]
${stepsOf(tree)
  .map(({ typed, to }) => `        case ${fishQuoted(typed)}\n            echo ${fishQuoted(to)}`)
  .join('\n')}
    end
end

${looking}
complete -c social -f

${tree.globalFlags.map((flag) => flagLine(flag, '')).join('\n')}

${places
  .map(placeLines)
  .filter((lines) => lines !== '')
  .join('\n\n')}
`;
}

/** The functions that complete a value: the same whatever the commands are. */
const looking = `# What commas end already of the word at the cursor.
function __social_ended
    commandline -ct | string replace -r -- '^--[^=]*=' '' | string match -r -- '^[A-Za-z0-9_.,-]*,'
end

# What this machine may know: asks the program, which is given the words as they stand on the line, without the one that
# is being typed; in a list, what commas already end. An empty description keeps fish from repeating that of the flag.
function __social_ask
    set -l typed (commandline -ct | string replace -r -- '^--[^=]*=' '')
    string match -q -- '-*' "$typed"
    and return
    command -q social
    or return
    set -l words (commandline -opc)
    set -l ended
    test "$argv[2]" = list
    and set ended (__social_ended)
    for line in (command social __complete $argv[1] $words[2..-1] $ended 2>/dev/null </dev/null)
        string match -q -- '*'\\t'*' "$line"
        or set line $line\\t
        printf '%s\\n' "$ended$line"
    end
end

# Words, each after those that a comma already ends, without these.
function __social_list
    set -l ended (__social_ended)
    for word in $argv
        contains -- $word (string split , -- "$ended")
        or printf '%s\\t\\n' "$ended$word"
    end
end
`;

/** A text as a word of the shell. */
const fishQuoted = (text: string): string => `'${text.replace(/[\\']/g, String.raw`\$&`)}'`;

/** The flags whose value is the next word, wherever they are known. */
function valueFlags({ globalFlags }: CommandTree, places: readonly Place[]): readonly string[] {
  const all = [...globalFlags, ...places.flatMap(({ flags }) => flags)];
  return [...new Set(all.filter((flag) => wantedBy(flag) !== undefined).flatMap(namesOf))];
}

function placeLines(place: Place): string {
  const { path, offers, flags } = place;
  const at = `-n ${fishQuoted(`__social_at ${fishQuoted(path)}`)} `;
  const nth = (operand: number) =>
    `-n ${fishQuoted(`__social_at --operands ${operand} -- ${fishQuoted(path)}`)} `;
  const asks = asksOf(place);
  const isLast = (i: number) => i === asks.length - 1 && takesMany(place);
  return [
    ...offers.map(({ word, summary }) => {
      const help = summary === '' ? '' : ` -d ${fishQuoted(summary)}`;
      return `complete -c social ${nth(0)}-a ${fishQuoted(word)}${help}`;
    }),
    ...asks.map((what, i) =>
      what === ''
        ? ''
        : `complete -c social ${isLast(i) && i === 0 ? at : nth(i)}-k -a ${fishQuoted(`(__social_ask ${what})`)}`,
    ),
    ...flags.map((flag) => flagLine(flag, at)),
  ]
    .filter((line) => line !== '')
    .join('\n');
}

function flagLine(flag: FlagNode, condition: string): string {
  const names = namesOf(flag).map((name) =>
    name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
  );
  const value = valueOf(wantedBy(flag));
  return `complete -c social ${condition}${names.join(' ')}${value} -d ${fishQuoted(flag.description)}`;
}

/** How a flag's value is completed, as `complete` takes it. */
function valueOf(wanted: Wanted | undefined): string {
  if (wanted === undefined) return '';
  if (wanted.kind === 'files') return ' -r -F';
  if (wanted.kind === 'nothing') return ' -x';
  if (wanted.kind === 'asked')
    return ` -x -k -a ${fishQuoted(`(__social_ask ${wanted.what}${wanted.list ? ' list' : ''})`)}`;
  const { words } = wanted;
  return wanted.list
    ? ` -x -a ${fishQuoted(`(__social_list ${words.join(' ')})`)}`
    : ` -x -a '${words.map((word) => String.raw`${word}\t`).join(' ')}'`;
}
