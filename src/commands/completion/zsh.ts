// The zsh script: one function a command, each a call of zsh's own `_arguments` with texts that are all known here.
// What was typed is left to zsh, which never evaluates it, or handed to the program as it is.

import type { ArgumentNode, FlagNode, CommandTree } from '../../cli/command-tree.ts';
import { asksOf, namesOf, placesOf, wantedBy, type Place, type Wanted } from './complete.ts';

export function zshScript(tree: CommandTree): string {
  const [root, ...places] = placesOf(tree);
  const own = places.filter((place) => !isBare(place));
  return `#compdef social
# zsh completion for social; written by: social completion zsh

${own.map((place) => placeFunction(place, places)).join('\n')}
# A command that takes nothing but what can be typed everywhere.
_social_bare() { _arguments -s -S : $global_flags }

# A value that is not known here: says what is wanted. A message would keep a flag from being put in.
_social_value() {
  [[ $PREFIX == -* ]] || _message -e values "$@[-1]"
  return 1
}

# A value that this machine may know: asks the program, which is given the words as they stand on the line, without the
# one that is being typed; of that only what commas already end.
_social_ask() {
  [[ $PREFIX != -* ]] || return 1
  local line
  local -a found ended more
  if [[ $@[-3] == list ]]; then
    more=(-qS ,)
    [[ $PREFIX != *,* ]] || { ended=("\${PREFIX%,*}"); compset -P '*,' }
  fi
  for line in "\${(@f)$(command social __complete $@[-2] "$social_words[@]" "$ended[@]" 2>/dev/null </dev/null)}"; do
    line=\${line/$'\\t'/:}
    [[ -z $line ]] || found+=("\${line%:}")
  done
  (( $#found )) || { _social_value $@[-1]; return 1 }
  _describe -t values $@[-1] found "$more[@]"
}

# The flags that can be typed everywhere.
_social_flags() {
  global_flags=(
${tree.globalFlags.flatMap(flagSpecs).map(indented).join('\n')}
  )
}

_social() {
  local -a global_flags social_words=("\${(@)words[2,CURRENT-1]}" "\${(@)words[CURRENT+1,-1]}")
  _social_flags
${groupBody(root!, places)}
}

if [[ $funcstack[1] == _social ]]; then
  _social "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
  compdef _social social
fi
`;
}

/** A text as a word of the shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const indented = (line: string): string => `    ${line}`;

const functionOf = (path: string): string => ['_social', ...path.split(' ')].join('_');

function placeFunction(place: Place, places: readonly Place[]): string {
  const body = leads(place, places) ? groupBody(place, places) : leafBody(place);
  return `${functionOf(place.path)}() {\n${body}\n}\n`;
}

/** Whether commands follow. */
const leads = ({ path }: Place, places: readonly Place[]): boolean =>
  places.some(({ path: each }) => each.startsWith(`${path} `));

/** Where only what can be typed everywhere can follow; one function serves them all. */
const isBare = ({ flags, operands, offers }: Place): boolean =>
  [...flags, ...operands, ...offers].length === 0;

function leafBody(place: Place): string {
  const { flags, operands, offers } = place;
  const words = offers.map(({ word }) => word);
  const asks = asksOf(place);
  const specs = [
    ...flags.flatMap(flagSpecs),
    ...operands.map((operand, i) => operandSpec(operand, i === 0 ? words : [], asks[i])),
  ];
  return ['  _arguments -s -S : $global_flags \\', ...specs.map((spec) => `    ${spec} \\`)]
    .join('\n')
    .replace(/ \\$/, '');
}

/** The commands of a group, and on to the one that was typed. */
function groupBody({ path, flags, offers }: Place, places: readonly Place[]): string {
  const prefix = path === '' ? '' : `${path} `;
  const children = places.filter(
    (each) => each.path.startsWith(prefix) && !each.path.slice(prefix.length).includes(' '),
  );
  const cases = children.map((child) => {
    const typed = [child.path.slice(prefix.length), ...child.aliases].join('|');
    return `        ${typed}) ${isBare(child) ? '_social_bare' : functionOf(child.path)} && ret=0 ;;`;
  });
  return `  local curcontext=$curcontext state line ret=1
  local -A opt_args
  local -a offers=(
${offers.map(({ word, summary }) => indented(quoted(summary === '' ? word : `${word}:${summary}`))).join('\n')}
  )
  _arguments -s -S -C : $global_flags \\
${flags
  .flatMap(flagSpecs)
  .map((spec) => `    ${spec} \\\n`)
  .join('')}    '(-)1: :->word' '(-)*:: :->rest' && ret=0
  case $state in
    word) _describe -t commands command offers && ret=0 ;;
    rest)
      case $line[1] in
${cases.join('\n')}
      esac ;;
  esac
  return ret`;
}

/** `'(-o --output)'{-o+,--output=}'[help]:form:(table json)'` */
function flagSpecs(flag: FlagNode): readonly string[] {
  const wanted = wantedBy(flag);
  const names = namesOf(flag);
  const marks =
    wanted === undefined
      ? names
      : names.map((name) => `${name}${name.startsWith('--') ? '=' : '+'}`);
  const exclusive = flag.repeatable ? '*' : `(${names.join(' ')})`;
  const text = `[${flag.description.replace(/[\\[\]:]/g, String.raw`\$&`)}]${valueSpec(flag, wanted)}`;
  return [
    names.length === 1
      ? quoted(`${exclusive}${marks[0]!}${text}`)
      : `${quoted(exclusive)}{${marks.join(',')}}${quoted(text)}`,
  ];
}

function valueSpec({ placeholder = '' }: FlagNode, wanted: Wanted | undefined): string {
  if (wanted === undefined) return '';
  const label = placeholder.replace(/[\\:]/g, String.raw`\$&`);
  if (wanted.kind === 'files') return `:${label}:_files`;
  const name = placeholder.replace(/\W+/g, '-');
  if (wanted.kind === 'nothing') return `:${label}:_social_value ${name}`;
  if (wanted.kind === 'asked')
    return `:${label}:_social_ask ${wanted.list ? 'list ' : ''}${wanted.what} ${name}`;
  const list = wanted.words.join(' ');
  return `:${label}:${wanted.list ? `_sequence compadd - ${list}` : `(${list})`}`;
}

function operandSpec(
  { name, repeatable }: ArgumentNode,
  words: readonly string[],
  ask: string | undefined,
): string {
  const unknown = ask ? `_social_ask ${ask} ${name}` : `_social_value ${name}`;
  const action = words.length === 0 ? unknown : `(${words.join(' ')})`;
  return quoted(`${repeatable ? '*' : ''}:${name}:${action}`);
}
