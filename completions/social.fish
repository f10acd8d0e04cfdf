# fish completion for social; written by: social completion fish
# Asks the program what can follow. Evaluates nothing that was typed.

# Keeps the candidates; fails where files are wanted, which fish then offers itself.
function __social_ask
    set -g __social_found
    command -q social
    or return 0
    set -l before (commandline -opc)
    set -l typed (commandline -ct)
    set -l after (commandline -op)
    set -l token (commandline -t)
    set -e after[1..(count $before)]
    test -z "$token"
    or set -e after[1]
    set -l n (math (count $before) - 1)
    set -e before[1]
    set -l answer (command social __complete $n $before "$typed" $after 2>/dev/null </dev/null)
    set -g __social_found $answer[2..-1]
    not string match -q 'files*' -- "$answer[1]"
end
complete -c social -e
complete -c social -n __social_ask -f -k -a '$__social_found'
