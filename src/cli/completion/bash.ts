// The bash script. It stands on bash alone (3.2 or newer), runs no program, and evaluates nothing that was typed:
// the words are only ever compared.

import { bashEngine } from './bash-engine.ts';
import type { FlagNode, Tree } from '../tree.ts';
import { namesOf, placesOf, stepsOf, wantedBy, type Place, type Wanted } from './place.ts';

export function bashScript(tree: Tree): string {
  return `# bash completion for social; written by: social completion bash
# Needs nothing but bash. Runs no program and evaluates nothing that was typed.

# Where the words lead: sets \`place\` to the command that is reached with one word more.
_social_step() {
  case "\${place:+$place }$1" in
${steps(tree)}
  esac
}

# Whether a flag takes a value, and which: sets \`kind\`, and \`offers\` where the values are known.
_social_value() {
  kind='' offers=()
  case "$place $1" in
${placesOf(tree).flatMap(ownValues).join('\n')}
    *)
      case "$1" in
${tree.globalFlags.flatMap((flag) => valueCase(namesOf(flag).map(quoted), wantedBy(flag), '        ')).join('\n')}
      esac ;;
  esac
}

# What can be typed at a place: sets \`offers\` and \`flags\`.
_social_place() {
  offers=() flags=()
  case "$place" in
${placesOf(tree).flatMap(placeCase).join('\n')}
  esac
  flags+=(${globalNames(tree)})
}

${bashEngine}`;
}

const quoted = (text: string): string => `'${text}'`;
const words = (list: readonly string[]): string => list.map(quoted).join(' ');

function steps(tree: Tree): string {
  return stepsOf(tree)
    .map(({ typed, to }) => `    ${quoted(typed)}) place=${quoted(to)} ;;`)
    .join('\n');
}

function ownValues({ path, flags }: Place): readonly string[] {
  return flags.flatMap((flag) =>
    valueCase(
      namesOf(flag).map((name) => quoted(`${path} ${name}`)),
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
  const kind = wanted.kind === 'words' && wanted.list ? 'list' : wanted.kind;
  return [`${margin}${patterns.join(' | ')}) kind=${kind}${known} ;;`];
}

function placeCase({ path, offers, flags }: Place): readonly string[] {
  if (offers.length === 0 && flags.length === 0) return [];
  const parts = [
    ...(offers.length === 0 ? [] : [`offers=(${words(offers.map(({ word }) => word))})`]),
    ...(flags.length === 0 ? [] : [`flags=(${words(flags.flatMap(namesOf))})`]),
  ];
  return [`    ${quoted(path)}) ${parts.join(' ')} ;;`];
}

const globalNames = ({ globalFlags }: { globalFlags: readonly FlagNode[] }): string =>
  words(globalFlags.flatMap(namesOf));
