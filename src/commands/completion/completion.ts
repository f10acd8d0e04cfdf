// `completion bash|zsh|fish`: prints the shell's script on stdout, and how to install it on stderr. `completion install`
// saves it where the shell looks for it (see install.ts). Each script passes the line up to the cursor to
// `social __complete`, and shows its answer (see complete.ts). None evaluates typed text.

import { usageFailure } from '../../base/errors.ts';
import { ownProperty } from '../../base/json.ts';
import { labelledLine } from '../../base/shell.ts';
import { notAmong } from '../../base/suggestions.ts';
import type { Invocation, WordBody } from '../../cli/command-spec.ts';
import { oneOf } from '../../config/flag-types.ts';
import { printText } from '../../output/write-result.ts';

interface Script {
  readonly text: string;
  /** Its file name in completions/. */
  readonly file: string;
}

/** The script for bash 3.2 or newer, without other packages. */
const bash = `# bash completion for social; written by: social completion bash
# Asks the program what can follow. Evaluates nothing that was typed.
_social() {
  local line how='' typed='' kept=''
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ -z $how ]]; then
      how=\${line%%$'\\t'*} typed=\${line#*$'\\t'}
      typed=\${typed%%$'\\t'*}
      # Bash replaces only the value of --flag=value.
      [[ $COMP_WORDBREAKS != *=* ]] || kept=\${typed%"\${typed##*=}"}
    else
      line=\${line%%$'\\t'*}
      [[ $line != "$typed"* ]] || COMPREPLY+=("\${line#"$kept"}")
    fi
  done < <(command social __complete "\${COMP_LINE:0:COMP_POINT}" 2>/dev/null </dev/null)
  [[ $how != files ]] || compopt -o default 2>/dev/null
  return 0
}
if type compopt >/dev/null 2>&1; then complete -F _social social
# Bash 3.2 has no compopt: it offers files wherever there are no candidates.
else complete -o default -F _social social
fi
`;

const zsh = `#compdef social
# zsh completion for social; written by: social completion zsh
# Asks the program what can follow. Evaluates nothing that was typed.
_social() {
  local line label
  local -a answer found
  answer=("\${(@f)$(command social __complete "\${(j: :)words[1,CURRENT-1]} $PREFIX" 2>/dev/null </dev/null)}")
  if [[ $answer[1] == files$'\\t'* ]]; then
    [[ $PREFIX != --*=* ]] || compset -P 1 '*='
    _files
    return
  fi
  label=\${answer[1]##*$'\\t'}
  for line in "\${(@)answer[2,-1]}"; do
    line=\${line/$'\\t'/:}
    [[ -z $line ]] || found+=("\${line%:}")
  done
  if (( $#found )); then _describe -t values "$label" found
  elif [[ -n $label ]]; then _message -e values "$label"
  fi
}
if [[ $funcstack[1] == _social ]]; then
  _social "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
  compdef _social social
fi
`;

const fish = `# fish completion for social; written by: social completion fish
# Asks the program what can follow. Evaluates nothing that was typed.

# Stores the candidates; fails if files are expected, because fish then offers them itself.
function __social_ask
    set -g __social_found
    command -q social
    or return 0
    set -l line (commandline -cp | string collect)
    set -l answer (command social __complete "$line" 2>/dev/null </dev/null)
    set -l fields (string split \\t -- "$answer[1]")
    # Filters by the beginning, because fish would also search the descriptions.
    set -g __social_found (string match -i -- "$fields[2]*" $answer[2..-1])
    test "$fields[1]" != files
end
complete -c social -e
complete -c social -n __social_ask -f -k -a '$__social_found'
`;

export const scripts: Readonly<Record<string, Script>> = {
  bash: { text: bash, file: 'social.bash' },
  zsh: { text: zsh, file: '_social' },
  fish: { text: fish, file: 'social.fish' },
};

const shells = Object.keys(scripts);

export const completionCommand: WordBody = {
  details:
    'Completes commands, flags, values, context names, and IDs shown earlier on this machine. TAB needs no network and evaluates nothing that was typed. social completion install saves the script for you; -q hides that advice.',
  operands: [{ name: 'shell', description: 'Shell', values: shells }],
  example: 'social completion bash',
  config: 'none',
  run: print,
  subcommands: [
    {
      words: ['completion', 'install'],
      summary: 'Install the completion script of your shell',
      effect: 'sets',
      details:
        'Saves the script where the shell looks for it. zsh, and bash without bash-completion, need a line in their start file too, which is added only after a yes; without a terminal it is shown, or added with --yes. It replaces only a script that it installed and that was not edited since.',
      flags: [
        {
          flags: '--shell <shell>',
          description: 'Shell (default: your login shell)',
          type: oneOf(shells),
        },
      ],
      example: 'social completion install',
      examples: { 'Without questions': 'social completion install --shell zsh --yes' },
      dryRun: true,
      config: 'any',
      run: async (call) => (await import('./install.ts')).installCompletion(call, scripts),
    },
  ],
};

async function print(call: Invocation): Promise<void> {
  const [shell] = call.operands;
  const chosen = ownProperty(scripts, shell ?? '');
  if (chosen === undefined) throw usageFailure(notAmong('shell', shell, shells));
  const { text: script } = chosen;
  await printText(call, script, { shell, script });
  const install = ['social', 'completion', 'install', '--shell', shell!];
  call.runtime.note(labelledLine('install', install));
}
