# fish completion for social; written by: social completion fish
# Asks the program what can follow. Evaluates nothing that was typed.

# Stores the candidates; fails if files are expected, because fish then offers them itself.
function __social_ask
    set -g __social_found
    command -q social
    or return 0
    set -l line (commandline -cp | string collect)
    set -l answer (command social __complete "$line" 2>/dev/null </dev/null)
    set -l fields (string split \t -- "$answer[1]")
    # Filters by the beginning, because fish would also search the descriptions.
    set -g __social_found (string match -i -- "$fields[2]*" $answer[2..-1])
    test "$fields[1]" != files
end
complete -c social -e
complete -c social -n __social_ask -f -k -a '$__social_found'
