# bash completion for social; written by: social completion bash
# Needs nothing but bash. Runs no program and evaluates nothing that was typed.

# Where the words lead: sets `place` to the command that is reached with one word more.
_social_step() {
  case "${place:+$place }$1" in
    'posts') place='posts' ;;
    'posts get') place='posts get' ;;
    'posts reply') place='posts reply' ;;
    'posts retry') place='posts retry' ;;
    'posts wait') place='posts wait' ;;
    'accounts') place='accounts' ;;
    'accounts bluesky') place='accounts bluesky' ;;
    'accounts bluesky send') place='accounts bluesky send' ;;
    'accounts discord') place='accounts discord' ;;
    'accounts discord channels') place='accounts discord channels' ;;
    'accounts mastodon') place='accounts mastodon' ;;
    'accounts mastodon favourite') place='accounts mastodon favourite' ;;
    'accounts mastodon favorite') place='accounts mastodon favourite' ;;
    'accounts mastodon unfavourite') place='accounts mastodon unfavourite' ;;
    'accounts mastodon unfavorite') place='accounts mastodon unfavourite' ;;
    'accounts mastodon reblog') place='accounts mastodon reblog' ;;
    'accounts mastodon boost') place='accounts mastodon reblog' ;;
    'accounts mastodon unreblog') place='accounts mastodon unreblog' ;;
    'accounts mastodon unboost') place='accounts mastodon unreblog' ;;
    'accounts mastodon bookmark') place='accounts mastodon bookmark' ;;
    'accounts mastodon unbookmark') place='accounts mastodon unbookmark' ;;
    'accounts mastodon mute') place='accounts mastodon mute' ;;
    'accounts mastodon unmute') place='accounts mastodon unmute' ;;
    'accounts tracking-tags') place='accounts tracking-tags' ;;
    'accounts tracking-tags shared-accounts') place='accounts tracking-tags shared-accounts' ;;
    'connect') place='connect' ;;
    'connect facebook') place='connect facebook' ;;
    'connect facebook pages') place='connect facebook pages' ;;
    'connect pinterest') place='connect pinterest' ;;
    'connect pinterest select-board') place='connect pinterest select-board' ;;
    'connect reddit') place='connect reddit' ;;
    'connect reddit flairs') place='connect reddit flairs' ;;
    'connect telegram') place='connect telegram' ;;
    'connect telegram access-code') place='connect telegram access-code' ;;
    'connect telegram session') place='connect telegram session' ;;
    'discord') place='discord' ;;
    'discord pins') place='discord pins' ;;
    'discord pins add') place='discord pins add' ;;
    'discord roles') place='discord roles' ;;
    'ads') place='ads' ;;
    'ads audiences') place='ads audiences' ;;
    'ads audiences delete') place='ads audiences delete' ;;
    'credentials') place='credentials' ;;
    'credentials disable') place='credentials disable' ;;
    'webhooks') place='webhooks' ;;
    'webhooks create') place='webhooks create' ;;
    'webhooks update') place='webhooks update' ;;
    'webhooks events') place='webhooks events' ;;
    'auth') place='auth' ;;
    'auth login') place='auth login' ;;
    'auth logout') place='auth logout' ;;
    'auth status') place='auth status' ;;
    'auth token') place='auth token' ;;
    'context') place='context' ;;
    'context list') place='context list' ;;
    'context show') place='context show' ;;
    'context use') place='context use' ;;
    'context set') place='context set' ;;
    'context delete') place='context delete' ;;
    'config') place='config' ;;
    'config get') place='config get' ;;
    'config set') place='config set' ;;
    'config unset') place='config unset' ;;
    'config list') place='config list' ;;
    'config path') place='config path' ;;
    'sandbox') place='sandbox' ;;
    'sandbox serve') place='sandbox serve' ;;
    'sandbox show') place='sandbox show' ;;
    'sandbox reset') place='sandbox reset' ;;
    'commands') place='commands' ;;
    'completion') place='completion' ;;
    'help') place='help' ;;
    'help posts') place='posts' ;;
    'help accounts') place='accounts' ;;
    'help connect') place='connect' ;;
    'help discord') place='discord' ;;
    'help ads') place='ads' ;;
    'help credentials') place='credentials' ;;
    'help webhooks') place='webhooks' ;;
    'help auth') place='auth' ;;
    'help context') place='context' ;;
    'help config') place='config' ;;
    'help sandbox') place='sandbox' ;;
    'help commands') place='commands' ;;
    'help completion') place='completion' ;;
    'help help') place='help' ;;
  esac
}

# Whether a flag takes a value, and which: sets `kind`, and `offers` where the values are known.
_social_value() {
  kind='' offers=()
  case "$place $1" in
    'posts reply --target') kind=nothing ;;
    'posts reply --text') kind=nothing ;;
    'posts reply --text-file') kind=files ;;
    'posts reply --root-uri') kind=nothing ;;
    'posts reply --root-cid') kind=nothing ;;
    'posts reply --parent-uri') kind=nothing ;;
    'posts reply --parent-cid') kind=nothing ;;
    'posts reply --parent-status-id') kind=nothing ;;
    'posts retry --target') kind=nothing ;;
    'posts retry --for') kind=list offers=('draft' 'scheduled' 'publishing' 'published' 'unpublished' 'action_required' 'failed' 'partial' 'cancelled') ;;
    'posts retry --wait-timeout') kind=nothing ;;
    'posts retry --interval') kind=nothing ;;
    'posts wait --target') kind=nothing ;;
    'posts wait --for') kind=list offers=('draft' 'scheduled' 'publishing' 'published' 'unpublished' 'action_required' 'failed' 'partial' 'cancelled') ;;
    'posts wait --wait-timeout') kind=nothing ;;
    'posts wait --interval') kind=nothing ;;
    'accounts bluesky send --text') kind=nothing ;;
    'accounts bluesky send --text-file') kind=files ;;
    'connect pinterest select-board --profile') kind=nothing ;;
    'connect pinterest select-board --board') kind=nothing ;;
    'connect reddit flairs --subreddit') kind=nothing ;;
    'connect telegram access-code --wait-timeout') kind=nothing ;;
    'connect telegram access-code --interval') kind=nothing ;;
    'connect telegram session --wait-timeout') kind=nothing ;;
    'connect telegram session --interval') kind=nothing ;;
    'webhooks create --url') kind=nothing ;;
    'webhooks create --event') kind=list offers=('post.scheduled' 'post.updated' 'post.published' 'post.unpublished' 'post.failed' 'post.partial' 'post.recycled' 'account.connected' 'account.disconnected' 'ad.created' 'ad.status_changed' 'account.ads.initial_sync_completed') ;;
    'webhooks create --name') kind=nothing ;;
    'webhooks create --secret-file') kind=files ;;
    'webhooks create --secret-env') kind=nothing ;;
    'webhooks create --secret-out') kind=files ;;
    'webhooks create --header') kind=nothing ;;
    'webhooks update --url') kind=nothing ;;
    'webhooks update --event') kind=list offers=('post.scheduled' 'post.updated' 'post.published' 'post.unpublished' 'post.failed' 'post.partial' 'post.recycled' 'account.connected' 'account.disconnected' 'ad.created' 'ad.status_changed' 'account.ads.initial_sync_completed') ;;
    'webhooks update --name') kind=nothing ;;
    'webhooks update --secret-file') kind=files ;;
    'webhooks update --secret-env') kind=nothing ;;
    'webhooks update --secret-out') kind=files ;;
    'webhooks update --header') kind=nothing ;;
    'context set --token-command') kind=nothing ;;
    'sandbox serve --port') kind=nothing ;;
    *)
      case "$1" in
        '-C' | '--context') kind=nothing ;;
        '--base-url') kind=nothing ;;
        '-a' | '--account') kind=nothing ;;
        '-o' | '--output') kind=words offers=('table' 'json' 'ndjson' 'tsv') ;;
        '--fields') kind=nothing ;;
        '--color') kind=words offers=('auto' 'always' 'never') ;;
        '--confirm') kind=nothing ;;
        '--timeout') kind=nothing ;;
        '--retries') kind=nothing ;;
        '--query') kind=nothing ;;
        '--cacert') kind=files ;;
      esac ;;
  esac
}

# What can be typed at a place: sets `offers` and `flags`.
_social_place() {
  offers=() flags=()
  case "$place" in
    '') offers=('posts' 'accounts' 'connect' 'discord' 'ads' 'credentials' 'webhooks' 'auth' 'context' 'config' 'sandbox' 'commands' 'completion' 'help') flags=('-V' '--version') ;;
    'posts') offers=('get' 'reply' 'retry' 'wait') ;;
    'posts reply') flags=('--target' '--text' '--text-file' '--editor' '--root-uri' '--root-cid' '--parent-uri' '--parent-cid' '--parent-status-id') ;;
    'posts retry') flags=('--target' '--failed' '-i' '--interactive' '--wait' '--for' '--wait-timeout' '--interval') ;;
    'posts wait') flags=('--target' '--for' '--wait-timeout' '--interval') ;;
    'accounts') offers=('bluesky' 'discord' 'mastodon' 'tracking-tags') ;;
    'accounts bluesky') offers=('send') ;;
    'accounts bluesky send') flags=('--text' '--text-file' '--editor') ;;
    'accounts discord') offers=('channels') ;;
    'accounts mastodon') offers=('favourite' 'favorite' 'unfavourite' 'unfavorite' 'reblog' 'boost' 'unreblog' 'unboost' 'bookmark' 'unbookmark' 'mute' 'unmute') ;;
    'accounts tracking-tags') offers=('shared-accounts') ;;
    'connect') offers=('facebook' 'pinterest' 'reddit' 'telegram') ;;
    'connect facebook') offers=('pages') ;;
    'connect facebook pages') flags=('--require-ready') ;;
    'connect pinterest') offers=('select-board') ;;
    'connect pinterest select-board') flags=('--profile' '--board') ;;
    'connect reddit') offers=('flairs') ;;
    'connect reddit flairs') flags=('--subreddit') ;;
    'connect telegram') offers=('access-code' 'session') ;;
    'connect telegram access-code') flags=('--wait' '--wait-timeout' '--interval') ;;
    'connect telegram session') flags=('--wait' '--wait-timeout' '--interval') ;;
    'discord') offers=('pins' 'roles') ;;
    'discord pins') offers=('add') ;;
    'ads') offers=('audiences') ;;
    'ads audiences') offers=('delete') ;;
    'credentials') offers=('disable') ;;
    'webhooks') offers=('create' 'update' 'events') ;;
    'webhooks create') flags=('--url' '--event' '--all-events' '--name' '--secret-file' '--secret-env' '--generate-secret' '--secret-out' '--active' '--inactive' '--header') ;;
    'webhooks update') flags=('--url' '--event' '--all-events' '--name' '--secret-file' '--secret-env' '--generate-secret' '--secret-out' '--clear-secret' '--active' '--inactive' '--header' '--clear-headers') ;;
    'auth') offers=('login' 'logout' 'status' 'token') ;;
    'auth login') flags=('--insecure-storage') ;;
    'auth status') flags=('--check') ;;
    'context') offers=('list' 'show' 'use' 'set' 'delete') ;;
    'context set') flags=('--token-command' '--protected' '--no-protected') ;;
    'config') offers=('get' 'set' 'unset' 'list' 'path') ;;
    'config list') flags=('--show-origin') ;;
    'sandbox') offers=('serve' 'show' 'reset') ;;
    'sandbox serve') flags=('--port') ;;
    'completion') offers=('bash' 'zsh' 'fish' 'powershell') ;;
    'help') offers=('posts' 'accounts' 'connect' 'discord' 'ads' 'credentials' 'webhooks' 'auth' 'context' 'config' 'sandbox' 'commands' 'completion' 'help' 'environment' 'exit-codes' 'output' 'assumptions') ;;
  esac
  flags+=('-C' '--context' '--base-url' '-a' '--account' '--json' '-o' '--output' '--fields' '--utc' '-q' '--quiet' '--color' '--accessible' '-n' '--dry-run' '--curl' '-y' '--yes' '--confirm' '--no-input' '--timeout' '--retries' '--query' '--cacert' '--debug' '-h' '--help')
}

# The words up to the cursor, as they stand on the line: bash cuts them at = and : too.
_social_words() {
  local rest=$COMP_LINE part i
  words=()
  for (( i = 0; i <= COMP_CWORD; i++ )); do
    part=${COMP_WORDS[i]}
    if (( i > 0 )) && [[ -n $rest && $rest != [[:space:]]* ]]; then
      words[${#words[@]}-1]+=$part
    else
      words+=("$part")
      rest=${rest#"${rest%%[![:space:]]*}"}
    fi
    rest=${rest#"$part"}
  done
  typed=${words[${#words[@]}-1]}
  # What stands before the part that bash will replace.
  kept=${typed%"$part"}
  [[ $part != [:=] ]] || kept=$typed
  typed=${typed#[\"\']}
}

# Offers the words of `offers` and `flags` that go on from what was typed. `before` is what stays of it.
_social_offer() {
  local word
  for word in ${offers[@]+"${offers[@]}"}; do
    [[ $before$word == "$typed"* ]] || continue
    word=$before$word
    printf -v word %q "${word#"$kept"}"
    COMPREPLY+=("$word")
  done
}

_social() {
  local IFS=$' \t\n' typed='' kept='' place='' kind='' before='' operands=0 only=0 skip=0 i
  local words offers flags
  COMPREPLY=()
  _social_words
  for (( i = 1; i < ${#words[@]} - 1; i++ )); do
    if (( skip )); then skip=0; continue; fi
    if (( only )); then (( operands += 1 )); continue; fi
    kind=''
    case "${words[i]}" in
      --) only=1 ;;
      --*=*) ;;
      *[\<\>]) kind=files skip=1 ;;
      -?*) _social_value "${words[i]}"; [[ -z $kind ]] || skip=1 ;;
      *)
        before=$place
        _social_step "${words[i]}"
        [[ $place != "$before" ]] || (( operands += 1 )) ;;
    esac
  done
  before=''
  if (( ! skip )) && (( ! only )) && [[ $typed == --*=* ]]; then
    _social_value "${typed%%=*}"
    before=${typed%%=*}=
  elif (( ! skip )); then
    _social_place
    kind=words
    if [[ $typed == -* ]] && (( ! only )); then
      offers=(${flags[@]+"${flags[@]}"})
    elif (( operands )); then
      offers=()
    fi
  fi
  if [[ $kind == list && $typed == *,* ]]; then
    i=${typed#"$before"}
    before=$before${i%,*},
    [[ $before != *[!a-z0-9_.,=-]* ]] || return 0
  fi
  case "$kind" in
    words | list) _social_offer ;;
    # Files are left to bash itself, which knows their quoting; bash 3.2 cannot be told so.
    files)
      compopt -o default 2>/dev/null && return
      before=${typed#"$before"} typed='' kept=''
      [[ $before != *[\$\`]* ]] || return 0
      while IFS= read -r i; do offers+=("$i"); done < <(compgen -f -- "$before")
      before='' && _social_offer ;;
  esac
}

complete -F _social social
