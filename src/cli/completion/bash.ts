// The bash script. It stands on bash alone (3.2 or newer), runs no program, and evaluates nothing that was typed:
// the words are only ever compared.

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

${ENGINE}`;
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

const ENGINE = `# The words up to the cursor, as they stand on the line: bash cuts them at = and : too.
_social_words() {
  local rest=$COMP_LINE part i
  words=()
  for (( i = 0; i <= COMP_CWORD; i++ )); do
    part=\${COMP_WORDS[i]}
    if (( i > 0 )) && [[ -n $rest && $rest != [[:space:]]* ]]; then
      words[\${#words[@]}-1]+=$part
    else
      words+=("$part")
      rest=\${rest#"\${rest%%[![:space:]]*}"}
    fi
    rest=\${rest#"$part"}
  done
  typed=\${words[\${#words[@]}-1]}
  # What stands before the part that bash will replace.
  kept=\${typed%"$part"}
  [[ $part != [:=] ]] || kept=$typed
  typed=\${typed#[\\"\\']}
}

# Offers the words of \`offers\` and \`flags\` that go on from what was typed. \`before\` is what stays of it.
_social_offer() {
  local word
  for word in \${offers[@]+"\${offers[@]}"}; do
    [[ $before$word == "$typed"* ]] || continue
    word=$before$word
    printf -v word %q "\${word#"$kept"}"
    COMPREPLY+=("$word")
  done
}

_social() {
  local IFS=$' \\t\\n' typed='' kept='' place='' kind='' before='' operands=0 only=0 skip=0 i
  local words offers flags
  COMPREPLY=()
  _social_words
  for (( i = 1; i < \${#words[@]} - 1; i++ )); do
    if (( skip )); then skip=0; continue; fi
    if (( only )); then (( operands += 1 )); continue; fi
    kind=''
    case "\${words[i]}" in
      --) only=1 ;;
      --*=*) ;;
      *[\\<\\>]) kind=files skip=1 ;;
      -?*) _social_value "\${words[i]}"; [[ -z $kind ]] || skip=1 ;;
      *)
        before=$place
        _social_step "\${words[i]}"
        [[ $place != "$before" ]] || (( operands += 1 )) ;;
    esac
  done
  before=''
  if (( ! skip )) && (( ! only )) && [[ $typed == --*=* ]]; then
    _social_value "\${typed%%=*}"
    before=\${typed%%=*}=
  elif (( ! skip )); then
    _social_place
    kind=words
    if [[ $typed == -* ]] && (( ! only )); then
      offers=(\${flags[@]+"\${flags[@]}"})
    elif (( operands )); then
      offers=()
    fi
  fi
  if [[ $kind == list && $typed == *,* ]]; then
    i=\${typed#"$before"}
    before=$before\${i%,*},
    [[ $before != *[!a-z0-9_.,=-]* ]] || return 0
  fi
  case "$kind" in
    words | list) _social_offer ;;
    # Files are left to bash itself, which knows their quoting; bash 3.2 cannot be told so.
    files)
      compopt -o default 2>/dev/null && return
      before=\${typed#"$before"} typed='' kept=''
      [[ $before != *[\\$\\\`]* ]] || return 0
      while IFS= read -r i; do offers+=("$i"); done < <(compgen -f -- "$before")
      before='' && _social_offer ;;
  esac
}

complete -F _social social
`;
