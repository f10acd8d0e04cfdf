// The completion scripts of four shells: each passes the words of the line to `social __complete` and shows the answer.
// None evaluates what was typed. The first line of the answer says how to complete: from the candidates that follow
// (`words`, `list`), or with the shell's own file names (`files`).

interface Script {
  readonly text: string;
  /** Its file name in completions/. */
  readonly file: string;
  /** The line that installs it, as a file: running the program in each new shell costs 200 ms. */
  readonly install: string;
}

/** For bash 3.2 or newer, without other packages. */
const bash = `# bash completion for social; written by: social completion bash
# Asks the program what can follow. Evaluates nothing that was typed.
_social() {
  local IFS=$' \\t\\n' rest=$COMP_LINE words part typed='' kept='' how='' line left i n=0
  COMPREPLY=() words=()
  # The words as they stand on the line, the one at the cursor up to that: bash cuts them at = and : too.
  for (( i = 0; i < \${#COMP_WORDS[@]}; i++ )); do
    part=\${COMP_WORDS[i]}
    if [[ $i == 0 || -z $part || -z $rest || $rest == [[:space:]]* ]]; then
      [[ -z $part ]] || rest=\${rest#"\${rest%%[![:space:]]*}"}
      words+=('')
    elif (( i > COMP_CWORD && \${#words[@]} == n )); then
      rest=\${rest#"$part"}
      continue
    fi
    if (( i == COMP_CWORD )); then
      n=\${#words[@]}
      left=$(( COMP_POINT - \${#COMP_LINE} + \${#rest} ))
      if (( left < 0 )); then
        # The cursor is on a blank, before the word that bash names.
        words+=('')
      else
        part=\${part:0:left}
        # What stands before the part that bash will replace; it cuts at @ too, and replaces that as well.
        typed=\${words[n-1]}$part
        kept=\${words[n-1]%@}
        [[ $part != [:=] ]] || kept=$typed
      fi
    fi
    words[\${#words[@]}-1]+=$part
    rest=\${rest#"\${COMP_WORDS[i]}"}
  done
  typed=\${typed//[\\"\\'\\\\]/}
  while IFS= read -r line; do
    line=\${line%%$'\\t'*}
    if [[ -z $how ]]; then how=$line
    elif [[ $line == "$typed"* ]]; then COMPREPLY+=("\${line#"$kept"}")
    fi
  done < <(command social __complete $(( n - 2 )) "\${words[@]:1}" 2>/dev/null </dev/null)
  # Files are left to bash itself, which knows their quoting; bash 3.2 cannot be told so.
  [[ $how == files ]] && ! compopt -o default 2>/dev/null || return 0
  typed=\${typed#"$kept"}
  [[ $typed != *[\\$\\\`]* ]] || return 0
  while IFS= read -r line; do
    printf -v line %q "$line"
    COMPREPLY+=("$line")
  done < <(compgen -f -- "$typed")
}
complete -F _social social
`;

const zsh = `#compdef social
# zsh completion for social; written by: social completion zsh
# Asks the program what can follow. Evaluates nothing that was typed.
_social() {
  local line how label
  local -a asked answer found more
  asked=("\${(@)words[2,-1]}")
  asked[CURRENT-1]=$PREFIX
  answer=("\${(@f)$(command social __complete $(( CURRENT - 2 )) "\${(@)asked}" 2>/dev/null </dev/null)}")
  how=\${answer[1]%%$'\\t'*} label=\${answer[1]#*$'\\t'}
  if [[ $how == files ]]; then
    [[ $PREFIX != --*=* ]] || compset -P 1 '*='
    _files
    return
  fi
  for line in "\${(@)answer[2,-1]}"; do
    line=\${line/$'\\t'/:}
    [[ -z $line ]] || found+=("\${line%:}")
  done
  [[ $how != list ]] || more=(-qS ,)
  if (( $#found )); then _describe -t values "$label" found "\${(@)more}"
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

# Keeps the candidates; fails where files are wanted, which fish then offers itself.
function __social_ask
    set -g __social_found
    command -q social
    or return 0
    # Fish shows a completion nothing that follows the cursor.
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    set -l answer (command social __complete (math (count $words) - 1) $words[2..-1] "$typed" 2>/dev/null </dev/null)
    # By their words alone: fish would find what was typed in the descriptions as well.
    set -l letters (string replace -ra '["\\'\\\\\\\\]' '' -- "$typed" | string split '' | string escape --style=regex)
    set -g __social_found (string match -ir -- '^[^\\t]*'(string join '[^\\t]*' -- $letters)'.*' $answer[2..-1])
    not string match -q 'files*' -- "$answer[1]"
end
complete -c social -e
complete -c social -n __social_ask -f -k -a '$__social_found'
`;

/**
 * For Windows PowerShell 5.1 and PowerShell 7. ASCII only: 5.1 reads a file without a byte-order mark in the system's
 * code page.
 */
const powershell = `# PowerShell completion for social; written by: social completion powershell
# Asks the program what can follow. Invokes nothing that was typed.
Register-ArgumentCompleter -Native -CommandName social -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $typed = "$wordToComplete" -replace '["'']', ''
    $before = @()
    $after = @()
    foreach ($element in @($commandAst.CommandElements | Select-Object -Skip 1)) {
        if ($element.Extent.EndOffset -lt $cursorPosition) { $before += $element.Extent.Text }
        if ($element.Extent.StartOffset -gt $cursorPosition) { $after += $element.Extent.Text }
    }
    # The program may be a batch file, whose shell takes some characters for more than words and drops empty ones.
    $words = @(@($before) + @($typed) + @($after) | ForEach-Object {
            if ($_ -eq '') { '""' } else { $_ -creplace '[^A-Za-z0-9_=:.,/@-]', '_' }
        })
    $lines = @(social __complete $before.Count @words 2>$null)
    # Where nothing is returned PowerShell offers files; an empty text keeps it from that.
    if ("$($lines | Select-Object -First 1)" -clike 'files*') { return }
    $found = @(foreach ($line in @($lines | Select-Object -Skip 1)) {
            $value, $text = "$line" -split "\`t", 2
            if ("$text" -eq '') { $text = $value }
            # 5.1 reads what a program says in the system's code page, too.
            if ($PSVersionTable.PSVersion.Major -lt 6) { $text = $text -replace '[^ -~]+', '?' }
            $kind = if ($value.StartsWith('-') -and -not $value.Contains('=')) { 'ParameterName' } else { 'ParameterValue' }
            if ($value -ne '' -and $value.StartsWith($typed, [System.StringComparison]::Ordinal)) {
                # Without quotes an @ would stand for the values of a variable.
                $word = if ($value.Contains('@')) { "'$value'" } else { $value }
                [System.Management.Automation.CompletionResult]::new($word, $value, $kind, $text)
            }
        })
    if ($found.Count -eq 0) { return '' }
    $found
}
`;

export const scripts: Readonly<Record<string, Script>> = {
  bash: {
    text: bash,
    file: 'social.bash',
    install: `social completion bash -q > ~/.social.bash && echo '. ~/.social.bash' >> ~/.bashrc`,
  },
  zsh: {
    text: zsh,
    file: '_social',
    install: `social completion zsh -q > ~/.social.zsh && echo '. ~/.social.zsh' >> ~/.zshrc`,
  },
  fish: {
    text: fish,
    file: 'social.fish',
    install:
      'mkdir -p ~/.config/fish/completions && social completion fish -q > ~/.config/fish/completions/social.fish',
  },
  powershell: {
    text: powershell,
    file: 'social.ps1',
    install: `Add-Content $PROFILE 'social completion powershell -q | Out-String | Invoke-Expression'`,
  },
};
