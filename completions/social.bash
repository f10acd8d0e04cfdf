# bash completion for social; written by: social completion bash
# Asks the program what can follow. Evaluates nothing that was typed.
_social() {
  local line how='' typed='' kept=''
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ -z $how ]]; then
      how=${line%%$'\t'*} typed=${line#*$'\t'}
      typed=${typed%%$'\t'*}
      # Bash replaces only the value of --flag=value.
      [[ $COMP_WORDBREAKS != *=* ]] || kept=${typed%"${typed##*=}"}
    else
      line=${line%%$'\t'*}
      [[ $line != "$typed"* ]] || COMPREPLY+=("${line#"$kept"}")
    fi
  done < <(command social __complete "${COMP_LINE:0:COMP_POINT}" 2>/dev/null </dev/null)
  [[ $how != files ]] || compopt -o default 2>/dev/null
  return 0
}
if type compopt >/dev/null 2>&1; then complete -F _social social
# Bash 3.2 has no compopt: it offers files wherever there are no candidates.
else complete -o default -F _social social
fi
