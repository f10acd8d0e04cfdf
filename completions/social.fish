# fish completion for social; written by: social completion fish
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
    set -l letters (string replace -ra '["\'\\\\]' '' -- "$typed" | string split '' | string escape --style=regex)
    set -g __social_found (string match -ir -- '^[^\t]*'(string join '[^\t]*' -- $letters)'.*' $answer[2..-1])
    not string match -q 'files*' -- "$answer[1]"
end
complete -c social -e
complete -c social -n __social_ask -f -k -a '$__social_found'
