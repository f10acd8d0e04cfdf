// The fish script: fish's own `complete` lines under conditions that compare words. Runs no program and
// evaluates nothing that was typed.

import type { FlagNode, Tree } from '../tree.ts';
import { namesOf, placesOf, stepsOf, wantedBy, type Place } from './place.ts';

export function fishScript(tree: Tree): string {
  const places = placesOf(tree);
  return `# fish completion for social; written by: social completion fish

# Whether the words before the cursor lead to this command, with no operand yet where --first is given.
function __social_at
    argparse first -- $argv
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
                case ${valueFlags(tree, places).map(quoted).join(' ')}
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
            set operands 1
        end
    end
    test "$place" = "$argv[1]"
    and test -z "$_flag_first" -o $operands = 0
end

# The command that one word more leads to.
function __social_step
    switch $argv[1]
${stepsOf(tree)
  .map(({ typed, to }) => `        case ${quoted(typed)}\n            echo ${quoted(to)}`)
  .join('\n')}
    end
end

# Words, each after those that a comma already ends.
function __social_list
    set -l typed (commandline -ct | string replace -r -- '^--[^=]*=' '')
    set -l before ''
    string match -q -r -- '^[a-z0-9_.,-]*,' "$typed"
    and set before (string match -r -- '^.*,' "$typed")
    printf '%s\\n' $before$argv
end

complete -c social -f

${tree.globalFlags.map((flag) => flagLine(flag, '')).join('\n')}

${places
  .map(placeLines)
  .filter((lines) => lines !== '')
  .join('\n\n')}
`;
}

/** A text as a word of the shell. */
const quoted = (text: string): string => `'${text.replace(/[\\']/g, String.raw`\$&`)}'`;

/** The flags whose value is the next word, wherever they are known. */
function valueFlags({ globalFlags }: Tree, places: readonly Place[]): readonly string[] {
  const all = [...globalFlags, ...places.flatMap(({ flags }) => flags)];
  return [...new Set(all.filter((flag) => wantedBy(flag) !== undefined).flatMap(namesOf))];
}

function placeLines({ path, offers, flags }: Place): string {
  const first = `-n ${quoted(`__social_at --first -- ${quoted(path)}`)}`;
  const at = `-n ${quoted(`__social_at ${quoted(path)}`)} `;
  return [
    ...offers.map(({ word, summary }) => {
      const help = summary === '' ? '' : ` -d ${quoted(summary)}`;
      return `complete -c social ${first} -a ${quoted(word)}${help}`;
    }),
    ...flags.map((flag) => flagLine(flag, at)),
  ].join('\n');
}

function flagLine(flag: FlagNode, condition: string): string {
  const names = namesOf(flag).map((name) =>
    name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
  );
  const wanted = wantedBy(flag);
  const value =
    wanted === undefined
      ? ''
      : wanted.kind === 'files'
        ? ' -r -F'
        : wanted.kind === 'nothing'
          ? ' -x'
          : ` -x -a ${quoted(wanted.list ? `(__social_list ${wanted.words.join(' ')})` : wanted.words.join(' '))}`;
  return `complete -c social ${condition}${names.join(' ')}${value} -d ${quoted(flag.description)}`;
}
