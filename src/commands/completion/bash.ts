// The bash script. It stands on bash alone (3.2 or newer) and evaluates nothing that was typed: the words are only ever
// compared, or handed to the program as they are.

import { bashEngine } from './bash-engine.ts';
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

export function bashScript(tree: CommandTree): string {
  return `# bash completion for social; written by: social completion bash
# Needs nothing but bash. Evaluates nothing that was typed; runs social alone, for what only this machine knows.

# Where the words lead: sets \`place\` to the command that is reached with one word more.
_social_step() {
  case "\${place:+$place }$1" in
${steps(tree)}
  esac
}

# Whether a flag takes a value, and which: sets \`kind\`, and \`offers\` or \`ask\` where the values are known.
_social_value() {
  kind='' ask='' offers=()
  case "$place $1" in
${placesOf(tree).flatMap(ownValues).join('\n')}
    *)
      case "$1" in
${tree.globalFlags.flatMap((flag) => valueCase(namesOf(flag).map(bashQuoted), wantedBy(flag), '        ')).join('\n')}
      esac ;;
  esac
}

# What can be typed at a place: sets \`offers\` and \`flags\`, \`asks\` for each operand, \`many\` where the last repeats.
_social_place() {
  offers=() flags=() asks=() many=0
  case "$place" in
${placesOf(tree).flatMap(placeCase).join('\n')}
  esac
  flags+=(${globalNames(tree)})
}

${bashEngine}`;
}

const bashQuoted = (text: string): string => `'${text}'`;
const words = (list: readonly string[]): string => list.map(bashQuoted).join(' ');

function steps(tree: CommandTree): string {
  return stepsOf(tree)
    .map(({ typed, to }) => `    ${bashQuoted(typed)}) place=${bashQuoted(to)} ;;`)
    .join('\n');
}

function ownValues({ path, flags }: Place): readonly string[] {
  return flags.flatMap((flag) =>
    valueCase(
      namesOf(flag).map((name) => bashQuoted(`${path} ${name}`)),
      wantedBy(flag),
      '    ',
    ),
  );
}

function valueCase(
  patterns: readonly string[],
  wanted: Wanted | undefined,
  margin: string,
): readonly string[] {
  if (wanted === undefined) return [];
  const known = wanted.kind === 'words' ? ` offers=(${words(wanted.words)})` : '';
  const ask = wanted.kind === 'asked' ? ` ask=${bashQuoted(wanted.what)}` : '';
  const listed = 'list' in wanted ? (wanted.list ? 'list' : 'words') : wanted.kind;
  return [`${margin}${patterns.join(' | ')}) kind=${listed}${known}${ask} ;;`];
}

function placeCase(place: Place): readonly string[] {
  const { path, offers, flags } = place;
  const asks = asksOf(place);
  const parts = [
    ...(offers.length === 0 ? [] : [`offers=(${words(offers.map(({ word }) => word))})`]),
    ...(flags.length === 0 ? [] : [`flags=(${words(flags.flatMap(namesOf))})`]),
    ...(asks.length === 0 ? [] : [`asks=(${words(asks)})`]),
    ...(asks.length === 0 || !takesMany(place) ? [] : ['many=1']),
  ];
  return parts.length === 0 ? [] : [`    ${bashQuoted(path)}) ${parts.join(' ')} ;;`];
}

const globalNames = ({ globalFlags }: { globalFlags: readonly FlagNode[] }): string =>
  words(globalFlags.flatMap(namesOf));
