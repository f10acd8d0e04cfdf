# bash completion for social; written by: social completion bash
# Asks the program what can follow. Evaluates nothing that was typed.
_social() {
  local IFS=$' \t\n' rest=$COMP_LINE words part typed='' kept='' how='' line left i n=0
  COMPREPLY=() words=()
  # The words as they stand on the line, the one at the cursor up to that: bash cuts them at = and : too.
  for (( i = 0; i < ${#COMP_WORDS[@]}; i++ )); do
    part=${COMP_WORDS[i]}
    if [[ $i == 0 || -z $part || -z $rest || $rest == [[:space:]]* ]]; then
      [[ -z $part ]] || rest=${rest#"${rest%%[![:space:]]*}"}
      words+=('')
    elif (( i > COMP_CWORD && ${#words[@]} == n )); then
      rest=${rest#"$part"}
      continue
    fi
    if (( i == COMP_CWORD )); then
      n=${#words[@]}
      left=$(( COMP_POINT - ${#COMP_LINE} + ${#rest} ))
      if (( left < 0 )); then
        # The cursor is on a blank, before the word that bash names.
        words+=('')
      else
        part=${part:0:left}
        # What stands before the part that bash will replace; it cuts at @ too, and replaces that as well.
        typed=${words[n-1]}$part
        kept=${words[n-1]%@}
        [[ $part != [:=] ]] || kept=$typed
      fi
    fi
    words[${#words[@]}-1]+=$part
    rest=${rest#"${COMP_WORDS[i]}"}
  done
  typed=${typed//[\"\'\\]/}
  while IFS= read -r line; do
    line=${line%%$'\t'*}
    if [[ -z $how ]]; then how=$line
    elif [[ $line == "$typed"* ]]; then COMPREPLY+=("${line#"$kept"}")
    fi
  done < <(command social __complete $(( n - 2 )) "${words[@]:1}" 2>/dev/null </dev/null)
  # Files are left to bash itself, which knows their quoting; bash 3.2 cannot be told so.
  [[ $how == files ]] && ! compopt -o default 2>/dev/null || return 0
  typed=${typed#"$kept"}
  [[ $typed != *[\$\`]* ]] || return 0
  while IFS= read -r line; do
    printf -v line %q "$line"
    COMPREPLY+=("$line")
  done < <(compgen -f -- "$typed")
}
complete -F _social social
