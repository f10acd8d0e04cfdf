# fish completion for social; written by: social completion fish

# Whether the words before the cursor lead to this command, with no operand yet where --first is given.
function __social_at
    argparse first -- $argv
    set -l place ''
    set -l operands 0
    set -l skip 0
    set -l only 0
    set -l words (commandline -opc)
    for word in $words[2..-1]
        if test $skip = 1
            set skip 0
            continue
        end
        if test $only = 0
            switch $word
                case --
                    set only 1
                    continue
                case '-C' '--context' '--base-url' '-a' '--account' '-o' '--output' '--fields' '--color' '--confirm' '--timeout' '--retries' '--query' '--cacert' '--target' '--text' '--text-file' '--root-uri' '--root-cid' '--parent-uri' '--parent-cid' '--parent-status-id' '--for' '--wait-timeout' '--interval' '--profile' '--board' '--subreddit' '--url' '--event' '--name' '--secret-file' '--secret-env' '--secret-out' '--header' '--token-command' '--port'
                    set skip 1
                    continue
                case '-?*'
                    continue
            end
        end
        set -l next (__social_step (string trim -- "$place $word"))
        if test -n "$next"
            set place $next
        else
            set operands 1
        end
    end
    test "$place" = "$argv[1]"
    and test -z "$_flag_first" -o $operands = 0
end

# The command that one word more leads to.
function __social_step
    switch $argv[1]
        case 'posts'
            echo 'posts'
        case 'posts get'
            echo 'posts get'
        case 'posts reply'
            echo 'posts reply'
        case 'posts retry'
            echo 'posts retry'
        case 'posts wait'
            echo 'posts wait'
        case 'accounts'
            echo 'accounts'
        case 'accounts bluesky'
            echo 'accounts bluesky'
        case 'accounts bluesky send'
            echo 'accounts bluesky send'
        case 'accounts discord'
            echo 'accounts discord'
        case 'accounts discord channels'
            echo 'accounts discord channels'
        case 'accounts mastodon'
            echo 'accounts mastodon'
        case 'accounts mastodon favourite'
            echo 'accounts mastodon favourite'
        case 'accounts mastodon favorite'
            echo 'accounts mastodon favourite'
        case 'accounts mastodon unfavourite'
            echo 'accounts mastodon unfavourite'
        case 'accounts mastodon unfavorite'
            echo 'accounts mastodon unfavourite'
        case 'accounts mastodon reblog'
            echo 'accounts mastodon reblog'
        case 'accounts mastodon boost'
            echo 'accounts mastodon reblog'
        case 'accounts mastodon unreblog'
            echo 'accounts mastodon unreblog'
        case 'accounts mastodon unboost'
            echo 'accounts mastodon unreblog'
        case 'accounts mastodon bookmark'
            echo 'accounts mastodon bookmark'
        case 'accounts mastodon unbookmark'
            echo 'accounts mastodon unbookmark'
        case 'accounts mastodon mute'
            echo 'accounts mastodon mute'
        case 'accounts mastodon unmute'
            echo 'accounts mastodon unmute'
        case 'accounts tracking-tags'
            echo 'accounts tracking-tags'
        case 'accounts tracking-tags shared-accounts'
            echo 'accounts tracking-tags shared-accounts'
        case 'connect'
            echo 'connect'
        case 'connect facebook'
            echo 'connect facebook'
        case 'connect facebook pages'
            echo 'connect facebook pages'
        case 'connect pinterest'
            echo 'connect pinterest'
        case 'connect pinterest select-board'
            echo 'connect pinterest select-board'
        case 'connect reddit'
            echo 'connect reddit'
        case 'connect reddit flairs'
            echo 'connect reddit flairs'
        case 'connect telegram'
            echo 'connect telegram'
        case 'connect telegram access-code'
            echo 'connect telegram access-code'
        case 'connect telegram session'
            echo 'connect telegram session'
        case 'discord'
            echo 'discord'
        case 'discord pins'
            echo 'discord pins'
        case 'discord pins add'
            echo 'discord pins add'
        case 'discord roles'
            echo 'discord roles'
        case 'ads'
            echo 'ads'
        case 'ads audiences'
            echo 'ads audiences'
        case 'ads audiences delete'
            echo 'ads audiences delete'
        case 'credentials'
            echo 'credentials'
        case 'credentials disable'
            echo 'credentials disable'
        case 'webhooks'
            echo 'webhooks'
        case 'webhooks create'
            echo 'webhooks create'
        case 'webhooks update'
            echo 'webhooks update'
        case 'webhooks events'
            echo 'webhooks events'
        case 'auth'
            echo 'auth'
        case 'auth login'
            echo 'auth login'
        case 'auth logout'
            echo 'auth logout'
        case 'auth status'
            echo 'auth status'
        case 'auth token'
            echo 'auth token'
        case 'context'
            echo 'context'
        case 'context list'
            echo 'context list'
        case 'context show'
            echo 'context show'
        case 'context use'
            echo 'context use'
        case 'context set'
            echo 'context set'
        case 'context delete'
            echo 'context delete'
        case 'config'
            echo 'config'
        case 'config get'
            echo 'config get'
        case 'config set'
            echo 'config set'
        case 'config unset'
            echo 'config unset'
        case 'config list'
            echo 'config list'
        case 'config path'
            echo 'config path'
        case 'sandbox'
            echo 'sandbox'
        case 'sandbox serve'
            echo 'sandbox serve'
        case 'sandbox show'
            echo 'sandbox show'
        case 'sandbox reset'
            echo 'sandbox reset'
        case 'commands'
            echo 'commands'
        case 'completion'
            echo 'completion'
        case 'help'
            echo 'help'
        case 'help posts'
            echo 'posts'
        case 'help accounts'
            echo 'accounts'
        case 'help connect'
            echo 'connect'
        case 'help discord'
            echo 'discord'
        case 'help ads'
            echo 'ads'
        case 'help credentials'
            echo 'credentials'
        case 'help webhooks'
            echo 'webhooks'
        case 'help auth'
            echo 'auth'
        case 'help context'
            echo 'context'
        case 'help config'
            echo 'config'
        case 'help sandbox'
            echo 'sandbox'
        case 'help commands'
            echo 'commands'
        case 'help completion'
            echo 'completion'
        case 'help help'
            echo 'help'
    end
end

# Words, each after those that a comma already ends.
function __social_list
    set -l typed (commandline -ct | string replace -r -- '^--[^=]*=' '')
    set -l before ''
    string match -q -r -- '^[a-z0-9_.,-]*,' "$typed"
    and set before (string match -r -- '^.*,' "$typed")
    printf '%s\n' $before$argv
end

complete -c social -f

complete -c social -s C -l context -x -d 'Use this context; sandbox is the embedded service'
complete -c social -l base-url -x -d 'Address of the service'
complete -c social -s a -l account -x -d 'Connected account that acts'
complete -c social -l json -d 'The service’s data as JSON; same as -o json'
complete -c social -s o -l output -x -a 'table json ndjson tsv' -d 'table, json, ndjson or tsv'
complete -c social -l fields -x -d 'Only these fields, e.g. status,targets.id'
complete -c social -l utc -d 'Exact UTC times instead of relative ones'
complete -c social -s q -l quiet -d 'No notes or warnings on stderr'
complete -c social -l color -x -a 'auto always never' -d 'auto, always or never'
complete -c social -l accessible -d 'Plain lines: numbered questions, no redrawing'
complete -c social -s n -l dry-run -d 'Show the request as it would leave; send nothing'
complete -c social -l curl -d 'The same as a curl line, token as $SOCIAL_TOKEN'
complete -c social -s y -l yes -d 'Answer yes to the question before a change'
complete -c social -l confirm -x -d 'Consent to deleting or disabling this id'
complete -c social -l no-input -d 'Never ask anything'
complete -c social -l timeout -x -d 'Time for one attempt, e.g. 500ms, 30s, 5m (30s)'
complete -c social -l retries -x -d 'Further attempts where repeating is safe (2)'
complete -c social -l query -x -d 'Add or override a query parameter'
complete -c social -l cacert -r -F -d 'Further certificate authorities, PEM'
complete -c social -l debug -d 'HTTP on stderr, secrets masked'
complete -c social -s h -l help -d 'Show this help'

complete -c social -n '__social_at --first -- \'\'' -a 'posts' -d 'Read posts, retry failed targets, reply to comments'
complete -c social -n '__social_at --first -- \'\'' -a 'accounts' -d 'Act through connected accounts'
complete -c social -n '__social_at --first -- \'\'' -a 'connect' -d 'Choose destinations, follow pairings'
complete -c social -n '__social_at --first -- \'\'' -a 'discord' -d 'Pins and roles of a Discord guild'
complete -c social -n '__social_at --first -- \'\'' -a 'ads' -d 'Advertising audiences'
complete -c social -n '__social_at --first -- \'\'' -a 'credentials' -d 'Platform app credentials'
complete -c social -n '__social_at --first -- \'\'' -a 'webhooks' -d 'Endpoints that receive events'
complete -c social -n '__social_at --first -- \'\'' -a 'auth' -d 'Log in, log out, see which token counts'
complete -c social -n '__social_at --first -- \'\'' -a 'context' -d 'Services by name, with their defaults'
complete -c social -n '__social_at --first -- \'\'' -a 'config' -d 'Defaults that hold in every context'
complete -c social -n '__social_at --first -- \'\'' -a 'sandbox' -d 'The embedded service, for trying things out'
complete -c social -n '__social_at --first -- \'\'' -a 'commands' -d 'List every command'
complete -c social -n '__social_at --first -- \'\'' -a 'completion' -d 'Print the completion script of a shell'
complete -c social -n '__social_at --first -- \'\'' -a 'help' -d 'Help on a command or a topic'
complete -c social -n '__social_at \'\'' -s V -l version -d 'Show the version'

complete -c social -n '__social_at --first -- \'posts\'' -a 'get' -d 'Show a post and the state of its targets'
complete -c social -n '__social_at --first -- \'posts\'' -a 'reply' -d 'Reply to a comment on a published target'
complete -c social -n '__social_at --first -- \'posts\'' -a 'retry' -d 'Retry the failed platform targets of a post'
complete -c social -n '__social_at --first -- \'posts\'' -a 'wait' -d 'Wait until the targets of a post have settled'

complete -c social -n '__social_at \'posts reply\'' -l target -x -d 'Published target to reply on'
complete -c social -n '__social_at \'posts reply\'' -l text -x -d 'Text of the reply, 1 to 300 characters'
complete -c social -n '__social_at \'posts reply\'' -l text-file -r -F -d 'Read the text from a file, or from standard input with -'
complete -c social -n '__social_at \'posts reply\'' -l editor -d 'Write the text in $VISUAL or $EDITOR'
complete -c social -n '__social_at \'posts reply\'' -l root-uri -x -d 'Bluesky: URI of the thread’s root'
complete -c social -n '__social_at \'posts reply\'' -l root-cid -x -d 'Bluesky: CID of the thread’s root'
complete -c social -n '__social_at \'posts reply\'' -l parent-uri -x -d 'Bluesky: URI of the comment to answer'
complete -c social -n '__social_at \'posts reply\'' -l parent-cid -x -d 'Bluesky: CID of the comment to answer'
complete -c social -n '__social_at \'posts reply\'' -l parent-status-id -x -d 'Mastodon: status to answer'

complete -c social -n '__social_at \'posts retry\'' -l target -x -d 'Retry only this target; repeatable'
complete -c social -n '__social_at \'posts retry\'' -l failed -d 'Read the post first and name only its failed targets'
complete -c social -n '__social_at \'posts retry\'' -s i -l interactive -d 'Choose from the failed targets, on a terminal'
complete -c social -n '__social_at \'posts retry\'' -l wait -d 'Stay until the targets have settled'
complete -c social -n '__social_at \'posts retry\'' -l for -x -a '(__social_list draft scheduled publishing published unpublished action_required failed partial cancelled)' -d 'Status that is a good end too, besides published; repeatable'
complete -c social -n '__social_at \'posts retry\'' -l wait-timeout -x -d 'Longest wait (10m)'
complete -c social -n '__social_at \'posts retry\'' -l interval -x -d 'Time between looks at first; grows to 15s (3s)'

complete -c social -n '__social_at \'posts wait\'' -l target -x -d 'Only this target counts; repeatable'
complete -c social -n '__social_at \'posts wait\'' -l for -x -a '(__social_list draft scheduled publishing published unpublished action_required failed partial cancelled)' -d 'Status that is a good end too, besides published; repeatable'
complete -c social -n '__social_at \'posts wait\'' -l wait-timeout -x -d 'Longest wait (10m)'
complete -c social -n '__social_at \'posts wait\'' -l interval -x -d 'Time between looks at first; grows to 15s (3s)'

complete -c social -n '__social_at --first -- \'accounts\'' -a 'bluesky' -d 'Direct messages in Bluesky'
complete -c social -n '__social_at --first -- \'accounts\'' -a 'discord' -d 'Channels of an account’s guild'
complete -c social -n '__social_at --first -- \'accounts\'' -a 'mastodon' -d 'Favourite, reblog, bookmark and mute statuses'
complete -c social -n '__social_at --first -- \'accounts\'' -a 'tracking-tags' -d 'Who shares a tracking tag'

complete -c social -n '__social_at --first -- \'accounts bluesky\'' -a 'send' -d 'Send a direct message into a Bluesky conversation'

complete -c social -n '__social_at \'accounts bluesky send\'' -l text -x -d 'Text of the message, 1 to 10000 characters'
complete -c social -n '__social_at \'accounts bluesky send\'' -l text-file -r -F -d 'Read the text from a file, or from standard input with -'
complete -c social -n '__social_at \'accounts bluesky send\'' -l editor -d 'Write the text in $VISUAL or $EDITOR'

complete -c social -n '__social_at --first -- \'accounts discord\'' -a 'channels' -d 'List the guild channels an account manages'

complete -c social -n '__social_at --first -- \'accounts mastodon\'' -a 'favourite' -d 'Favourite a Mastodon status'
complete -c social -n '__social_at --first -- \'accounts mastodon\'' -a 'favorite' -d 'Favourite a Mastodon status'
complete -c social -n '__social_at --first -- \'accounts mastodon\'' -a 'unfavourite' -d 'Unfavourite a Mastodon status'
complete -c social -n '__social_at --first -- \'accounts mastodon\'' -a 'unfavorite' -d 'Unfavourite a Mastodon status'
complete -c social -n '__social_at --first -- \'accounts mastodon\'' -a 'reblog' -d 'Reblog a Mastodon status'
complete -c social -n '__social_at --first -- \'accounts mastodon\'' -a 'boost' -d 'Reblog a Mastodon status'
complete -c social -n '__social_at --first -- \'accounts mastodon\'' -a 'unreblog' -d 'Unreblog a Mastodon status'
complete -c social -n '__social_at --first -- \'accounts mastodon\'' -a 'unboost' -d 'Unreblog a Mastodon status'
complete -c social -n '__social_at --first -- \'accounts mastodon\'' -a 'bookmark' -d 'Bookmark a Mastodon status'
complete -c social -n '__social_at --first -- \'accounts mastodon\'' -a 'unbookmark' -d 'Unbookmark a Mastodon status'
complete -c social -n '__social_at --first -- \'accounts mastodon\'' -a 'mute' -d 'Mute a Mastodon status'
complete -c social -n '__social_at --first -- \'accounts mastodon\'' -a 'unmute' -d 'Unmute a Mastodon status'

complete -c social -n '__social_at --first -- \'accounts tracking-tags\'' -a 'shared-accounts' -d 'List the ad accounts that share a tracking tag'

complete -c social -n '__social_at --first -- \'connect\'' -a 'facebook' -d 'Facebook pages'
complete -c social -n '__social_at --first -- \'connect\'' -a 'pinterest' -d 'Pinterest boards'
complete -c social -n '__social_at --first -- \'connect\'' -a 'reddit' -d 'Reddit flairs'
complete -c social -n '__social_at --first -- \'connect\'' -a 'telegram' -d 'Telegram pairing'

complete -c social -n '__social_at --first -- \'connect facebook\'' -a 'pages' -d 'List the Facebook pages of an account and whether it can publish'

complete -c social -n '__social_at \'connect facebook pages\'' -l require-ready -d 'Exit 10 unless the account is ready to publish'

complete -c social -n '__social_at --first -- \'connect pinterest\'' -a 'select-board' -d 'Choose the Pinterest board an account publishes to'

complete -c social -n '__social_at \'connect pinterest select-board\'' -l profile -x -d 'Profile to attach the board to'
complete -c social -n '__social_at \'connect pinterest select-board\'' -l board -x -d 'Board to publish to'

complete -c social -n '__social_at --first -- \'connect reddit\'' -a 'flairs' -d 'List the post flairs of a subreddit'

complete -c social -n '__social_at \'connect reddit flairs\'' -l subreddit -x -d 'Subreddit, without r/'

complete -c social -n '__social_at --first -- \'connect telegram\'' -a 'access-code' -d 'Show the state of a Telegram access code'
complete -c social -n '__social_at --first -- \'connect telegram\'' -a 'session' -d 'Show an automatic Telegram business pairing session'

complete -c social -n '__social_at \'connect telegram access-code\'' -l wait -d 'Stay until it is paired or over'
complete -c social -n '__social_at \'connect telegram access-code\'' -l wait-timeout -x -d 'Longest wait (10m)'
complete -c social -n '__social_at \'connect telegram access-code\'' -l interval -x -d 'Time between looks at first; grows to 15s (3s)'

complete -c social -n '__social_at \'connect telegram session\'' -l wait -d 'Stay until it is paired or over'
complete -c social -n '__social_at \'connect telegram session\'' -l wait-timeout -x -d 'Longest wait (10m)'
complete -c social -n '__social_at \'connect telegram session\'' -l interval -x -d 'Time between looks at first; grows to 15s (3s)'

complete -c social -n '__social_at --first -- \'discord\'' -a 'pins' -d 'Pinned messages'
complete -c social -n '__social_at --first -- \'discord\'' -a 'roles' -d 'List the roles of a guild'

complete -c social -n '__social_at --first -- \'discord pins\'' -a 'add' -d 'Pin a message in a channel'

complete -c social -n '__social_at --first -- \'ads\'' -a 'audiences' -d 'Audiences at the ad provider'

complete -c social -n '__social_at --first -- \'ads audiences\'' -a 'delete' -d 'Delete an advertising audience at its provider'

complete -c social -n '__social_at --first -- \'credentials\'' -a 'disable' -d 'Disable a platform app credential and show whom it cuts off'

complete -c social -n '__social_at --first -- \'webhooks\'' -a 'create' -d 'Create a webhook endpoint'
complete -c social -n '__social_at --first -- \'webhooks\'' -a 'update' -d 'Change a webhook endpoint'
complete -c social -n '__social_at --first -- \'webhooks\'' -a 'events' -d 'List the events an endpoint can subscribe to'

complete -c social -n '__social_at \'webhooks create\'' -l url -x -d 'Address that receives the events'
complete -c social -n '__social_at \'webhooks create\'' -l event -x -a '(__social_list post.scheduled post.updated post.published post.unpublished post.failed post.partial post.recycled account.connected account.disconnected ad.created ad.status_changed account.ads.initial_sync_completed)' -d 'Event to subscribe to; see social webhooks events; repeatable'
complete -c social -n '__social_at \'webhooks create\'' -l all-events -d 'Every one of the 12 events'
complete -c social -n '__social_at \'webhooks create\'' -l name -x -d 'Name, 1 to 160 characters'
complete -c social -n '__social_at \'webhooks create\'' -l secret-file -r -F -d 'Signing secret, 8 to 1024 characters, read from a file, or from standard input with -'
complete -c social -n '__social_at \'webhooks create\'' -l secret-env -x -d 'Read the secret from this environment variable'
complete -c social -n '__social_at \'webhooks create\'' -l generate-secret -d 'Make a strong one; needs --secret-out'
complete -c social -n '__social_at \'webhooks create\'' -l secret-out -r -F -d 'New private file that receives the secret made here'
complete -c social -n '__social_at \'webhooks create\'' -l active -d 'Deliver events'
complete -c social -n '__social_at \'webhooks create\'' -l inactive -d 'Hold events back'
complete -c social -n '__social_at \'webhooks create\'' -l header -x -d 'Header to add to each delivery; repeatable'

complete -c social -n '__social_at \'webhooks update\'' -l url -x -d 'Address that receives the events'
complete -c social -n '__social_at \'webhooks update\'' -l event -x -a '(__social_list post.scheduled post.updated post.published post.unpublished post.failed post.partial post.recycled account.connected account.disconnected ad.created ad.status_changed account.ads.initial_sync_completed)' -d 'Event to subscribe to; see social webhooks events; repeatable'
complete -c social -n '__social_at \'webhooks update\'' -l all-events -d 'Every one of the 12 events'
complete -c social -n '__social_at \'webhooks update\'' -l name -x -d 'Name, 1 to 160 characters'
complete -c social -n '__social_at \'webhooks update\'' -l secret-file -r -F -d 'Signing secret, 8 to 1024 characters, read from a file, or from standard input with -'
complete -c social -n '__social_at \'webhooks update\'' -l secret-env -x -d 'Read the secret from this environment variable'
complete -c social -n '__social_at \'webhooks update\'' -l generate-secret -d 'Make a strong one; needs --secret-out'
complete -c social -n '__social_at \'webhooks update\'' -l secret-out -r -F -d 'New private file that receives the secret made here'
complete -c social -n '__social_at \'webhooks update\'' -l clear-secret -d 'Remove the secret'
complete -c social -n '__social_at \'webhooks update\'' -l active -d 'Deliver events'
complete -c social -n '__social_at \'webhooks update\'' -l inactive -d 'Hold events back'
complete -c social -n '__social_at \'webhooks update\'' -l header -x -d 'Header to add to each delivery; repeatable'
complete -c social -n '__social_at \'webhooks update\'' -l clear-headers -d 'Remove the headers'

complete -c social -n '__social_at --first -- \'auth\'' -a 'login' -d 'Store a token for a context'
complete -c social -n '__social_at --first -- \'auth\'' -a 'logout' -d 'Forget the stored token of a context'
complete -c social -n '__social_at --first -- \'auth\'' -a 'status' -d 'Show where each context’s token comes from'
complete -c social -n '__social_at --first -- \'auth\'' -a 'token' -d 'Print the token in use, into a pipe'

complete -c social -n '__social_at \'auth login\'' -l insecure-storage -d 'Keep it in the private file without trying the keychain'

complete -c social -n '__social_at \'auth status\'' -l check -d 'Send one harmless request with the token in use'

complete -c social -n '__social_at --first -- \'context\'' -a 'list' -d 'List the contexts'
complete -c social -n '__social_at --first -- \'context\'' -a 'show' -d 'Show a context'
complete -c social -n '__social_at --first -- \'context\'' -a 'use' -d 'Make a context the one in use'
complete -c social -n '__social_at --first -- \'context\'' -a 'set' -d 'Make a context, or change one'
complete -c social -n '__social_at --first -- \'context\'' -a 'delete' -d 'Delete a context and its stored token'

complete -c social -n '__social_at \'context set\'' -l token-command -x -d 'Program that prints the token, e.g. "pass show social"; run without a shell'
complete -c social -n '__social_at \'context set\'' -l protected -d 'Ask before every change'
complete -c social -n '__social_at \'context set\'' -l no-protected -d 'Ask only before deleting and disabling'

complete -c social -n '__social_at --first -- \'config\'' -a 'get' -d 'Show the value of a setting'
complete -c social -n '__social_at --first -- \'config\'' -a 'set' -d 'Keep a value for a setting'
complete -c social -n '__social_at --first -- \'config\'' -a 'unset' -d 'Forget the value of a setting'
complete -c social -n '__social_at --first -- \'config\'' -a 'list' -d 'List the settings and their values'
complete -c social -n '__social_at --first -- \'config\'' -a 'path' -d 'Show where settings are kept'

complete -c social -n '__social_at \'config list\'' -l show-origin -d 'Also where each value comes from'

complete -c social -n '__social_at --first -- \'sandbox\'' -a 'serve' -d 'Run the embedded service until Ctrl-C'
complete -c social -n '__social_at --first -- \'sandbox\'' -a 'show' -d 'Show an id of every kind that the sandbox holds'
complete -c social -n '__social_at --first -- \'sandbox\'' -a 'reset' -d 'Start the sandbox over, with a new token'

complete -c social -n '__social_at \'sandbox serve\'' -l port -x -d 'Port to listen on; 0 takes any (0)'

complete -c social -n '__social_at --first -- \'completion\'' -a 'bash'
complete -c social -n '__social_at --first -- \'completion\'' -a 'zsh'
complete -c social -n '__social_at --first -- \'completion\'' -a 'fish'
complete -c social -n '__social_at --first -- \'completion\'' -a 'powershell'

complete -c social -n '__social_at --first -- \'help\'' -a 'posts' -d 'Read posts, retry failed targets, reply to comments'
complete -c social -n '__social_at --first -- \'help\'' -a 'accounts' -d 'Act through connected accounts'
complete -c social -n '__social_at --first -- \'help\'' -a 'connect' -d 'Choose destinations, follow pairings'
complete -c social -n '__social_at --first -- \'help\'' -a 'discord' -d 'Pins and roles of a Discord guild'
complete -c social -n '__social_at --first -- \'help\'' -a 'ads' -d 'Advertising audiences'
complete -c social -n '__social_at --first -- \'help\'' -a 'credentials' -d 'Platform app credentials'
complete -c social -n '__social_at --first -- \'help\'' -a 'webhooks' -d 'Endpoints that receive events'
complete -c social -n '__social_at --first -- \'help\'' -a 'auth' -d 'Log in, log out, see which token counts'
complete -c social -n '__social_at --first -- \'help\'' -a 'context' -d 'Services by name, with their defaults'
complete -c social -n '__social_at --first -- \'help\'' -a 'config' -d 'Defaults that hold in every context'
complete -c social -n '__social_at --first -- \'help\'' -a 'sandbox' -d 'The embedded service, for trying things out'
complete -c social -n '__social_at --first -- \'help\'' -a 'commands' -d 'List every command'
complete -c social -n '__social_at --first -- \'help\'' -a 'completion' -d 'Print the completion script of a shell'
complete -c social -n '__social_at --first -- \'help\'' -a 'help' -d 'Help on a command or a topic'
complete -c social -n '__social_at --first -- \'help\'' -a 'environment'
complete -c social -n '__social_at --first -- \'help\'' -a 'exit-codes'
complete -c social -n '__social_at --first -- \'help\'' -a 'output'
complete -c social -n '__social_at --first -- \'help\'' -a 'assumptions'
