// The half of the bash script that is the same whatever the commands are: finding the place on the line, and
// offering what goes on from what was typed. It compares words, calls the tables in `bash.ts`, and asks the program.

export const bashEngine = `# The words up to the cursor, as they stand on the line: bash cuts them at = and : too.
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

# Offers the words of \`offers\` that go on from what was typed. \`before\` is what stays of it: words of a list that
# are in it are not offered again. Bash would put a backslash before each comma, which needs none here.
_social_offer() {
  local word
  for word in \${offers[@]+"\${offers[@]}"}; do
    [[ $before$word == "$typed"* && ,\${before##*=} != *,"$word",* ]] || continue
    word=$before$word
    printf -v word %q "\${word#"$kept"}"
    word=\${word//'\\,'/,}
    COMPREPLY+=("$word")
  done
}

# Adds what the program knows of on this machine to \`offers\`. The words go along as they stand on the line, without
# the one that is being typed; of that only what commas already end.
_social_ask() {
  local line ended=()
  [[ $kind != list || $typed != *,* ]] || ended=("\${typed%,*}")
  while IFS= read -r line; do
    [[ -z $line ]] || offers+=("\${line%%$'\\t'*}")
  done < <(command social __complete "$1" "\${words[@]:1:\${#words[@]}-2}" \${ended[@]+"\${ended[@]}"} 2>/dev/null </dev/null)
}

_social() {
  local IFS=$' \\t\\n' typed='' kept='' place='' kind='' ask='' before='' operands=0 only=0 skip=0 many=0 i
  local words offers flags asks
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
    kind=words ask=''
    if [[ $typed == -* ]] && (( ! only )); then
      offers=(\${flags[@]+"\${flags[@]}"})
    else
      (( ! operands )) || offers=()
      i=$operands
      (( ! many || i < \${#asks[@]} )) || i=$(( \${#asks[@]} - 1 ))
      ask=\${asks[i]-}
    fi
  fi
  [[ -z $ask ]] || _social_ask "$ask"
  if [[ $kind == list && $typed == *,* ]]; then
    i=\${typed#"$before"}
    before=$before\${i%,*},
    [[ $before != *[!A-Za-z0-9_.,=-]* ]] || return 0
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
