# bash completion for social; written by: social completion bash
# Needs nothing but bash. Evaluates nothing that was typed; runs social alone, for what only this machine knows.

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
    'api') place='api' ;;
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
    'history') place='history' ;;
    'history list') place='history list' ;;
    'history show') place='history show' ;;
    'history path') place='history path' ;;
    'history clear') place='history clear' ;;
    'mcp') place='mcp' ;;
    'mcp serve') place='mcp serve' ;;
    'doctor') place='doctor' ;;
    'schema') place='schema' ;;
    'commands') place='commands' ;;
    'completion') place='completion' ;;
    'help') place='help' ;;
    'help posts') place='help posts' ;;
    'help posts get') place='help posts get' ;;
    'help posts reply') place='help posts reply' ;;
    'help posts retry') place='help posts retry' ;;
    'help posts wait') place='help posts wait' ;;
    'help accounts') place='help accounts' ;;
    'help accounts bluesky') place='help accounts bluesky' ;;
    'help accounts bluesky send') place='help accounts bluesky send' ;;
    'help accounts discord') place='help accounts discord' ;;
    'help accounts discord channels') place='help accounts discord channels' ;;
    'help accounts mastodon') place='help accounts mastodon' ;;
    'help accounts mastodon favourite') place='help accounts mastodon favourite' ;;
    'help accounts mastodon favorite') place='help accounts mastodon favourite' ;;
    'help accounts mastodon unfavourite') place='help accounts mastodon unfavourite' ;;
    'help accounts mastodon unfavorite') place='help accounts mastodon unfavourite' ;;
    'help accounts mastodon reblog') place='help accounts mastodon reblog' ;;
    'help accounts mastodon boost') place='help accounts mastodon reblog' ;;
    'help accounts mastodon unreblog') place='help accounts mastodon unreblog' ;;
    'help accounts mastodon unboost') place='help accounts mastodon unreblog' ;;
    'help accounts mastodon bookmark') place='help accounts mastodon bookmark' ;;
    'help accounts mastodon unbookmark') place='help accounts mastodon unbookmark' ;;
    'help accounts mastodon mute') place='help accounts mastodon mute' ;;
    'help accounts mastodon unmute') place='help accounts mastodon unmute' ;;
    'help accounts tracking-tags') place='help accounts tracking-tags' ;;
    'help accounts tracking-tags shared-accounts') place='help accounts tracking-tags shared-accounts' ;;
    'help connect') place='help connect' ;;
    'help connect facebook') place='help connect facebook' ;;
    'help connect facebook pages') place='help connect facebook pages' ;;
    'help connect pinterest') place='help connect pinterest' ;;
    'help connect pinterest select-board') place='help connect pinterest select-board' ;;
    'help connect reddit') place='help connect reddit' ;;
    'help connect reddit flairs') place='help connect reddit flairs' ;;
    'help connect telegram') place='help connect telegram' ;;
    'help connect telegram access-code') place='help connect telegram access-code' ;;
    'help connect telegram session') place='help connect telegram session' ;;
    'help discord') place='help discord' ;;
    'help discord pins') place='help discord pins' ;;
    'help discord pins add') place='help discord pins add' ;;
    'help discord roles') place='help discord roles' ;;
    'help ads') place='help ads' ;;
    'help ads audiences') place='help ads audiences' ;;
    'help ads audiences delete') place='help ads audiences delete' ;;
    'help credentials') place='help credentials' ;;
    'help credentials disable') place='help credentials disable' ;;
    'help webhooks') place='help webhooks' ;;
    'help webhooks create') place='help webhooks create' ;;
    'help webhooks update') place='help webhooks update' ;;
    'help webhooks events') place='help webhooks events' ;;
    'help api') place='help api' ;;
    'help auth') place='help auth' ;;
    'help auth login') place='help auth login' ;;
    'help auth logout') place='help auth logout' ;;
    'help auth status') place='help auth status' ;;
    'help auth token') place='help auth token' ;;
    'help context') place='help context' ;;
    'help context list') place='help context list' ;;
    'help context show') place='help context show' ;;
    'help context use') place='help context use' ;;
    'help context set') place='help context set' ;;
    'help context delete') place='help context delete' ;;
    'help config') place='help config' ;;
    'help config get') place='help config get' ;;
    'help config set') place='help config set' ;;
    'help config unset') place='help config unset' ;;
    'help config list') place='help config list' ;;
    'help config path') place='help config path' ;;
    'help sandbox') place='help sandbox' ;;
    'help sandbox serve') place='help sandbox serve' ;;
    'help sandbox show') place='help sandbox show' ;;
    'help sandbox reset') place='help sandbox reset' ;;
    'help history') place='help history' ;;
    'help history list') place='help history list' ;;
    'help history show') place='help history show' ;;
    'help history path') place='help history path' ;;
    'help history clear') place='help history clear' ;;
    'help mcp') place='help mcp' ;;
    'help mcp serve') place='help mcp serve' ;;
    'help doctor') place='help doctor' ;;
    'help schema') place='help schema' ;;
    'help commands') place='help commands' ;;
    'help completion') place='help completion' ;;
    'help help') place='help help' ;;
    'schema posts') place='schema posts' ;;
    'schema posts get') place='schema posts get' ;;
    'schema posts reply') place='schema posts reply' ;;
    'schema posts retry') place='schema posts retry' ;;
    'schema posts wait') place='schema posts wait' ;;
    'schema accounts') place='schema accounts' ;;
    'schema accounts bluesky') place='schema accounts bluesky' ;;
    'schema accounts bluesky send') place='schema accounts bluesky send' ;;
    'schema accounts discord') place='schema accounts discord' ;;
    'schema accounts discord channels') place='schema accounts discord channels' ;;
    'schema accounts mastodon') place='schema accounts mastodon' ;;
    'schema accounts mastodon favourite') place='schema accounts mastodon favourite' ;;
    'schema accounts mastodon favorite') place='schema accounts mastodon favourite' ;;
    'schema accounts mastodon unfavourite') place='schema accounts mastodon unfavourite' ;;
    'schema accounts mastodon unfavorite') place='schema accounts mastodon unfavourite' ;;
    'schema accounts mastodon reblog') place='schema accounts mastodon reblog' ;;
    'schema accounts mastodon boost') place='schema accounts mastodon reblog' ;;
    'schema accounts mastodon unreblog') place='schema accounts mastodon unreblog' ;;
    'schema accounts mastodon unboost') place='schema accounts mastodon unreblog' ;;
    'schema accounts mastodon bookmark') place='schema accounts mastodon bookmark' ;;
    'schema accounts mastodon unbookmark') place='schema accounts mastodon unbookmark' ;;
    'schema accounts mastodon mute') place='schema accounts mastodon mute' ;;
    'schema accounts mastodon unmute') place='schema accounts mastodon unmute' ;;
    'schema accounts tracking-tags') place='schema accounts tracking-tags' ;;
    'schema accounts tracking-tags shared-accounts') place='schema accounts tracking-tags shared-accounts' ;;
    'schema connect') place='schema connect' ;;
    'schema connect facebook') place='schema connect facebook' ;;
    'schema connect facebook pages') place='schema connect facebook pages' ;;
    'schema connect pinterest') place='schema connect pinterest' ;;
    'schema connect pinterest select-board') place='schema connect pinterest select-board' ;;
    'schema connect reddit') place='schema connect reddit' ;;
    'schema connect reddit flairs') place='schema connect reddit flairs' ;;
    'schema connect telegram') place='schema connect telegram' ;;
    'schema connect telegram access-code') place='schema connect telegram access-code' ;;
    'schema connect telegram session') place='schema connect telegram session' ;;
    'schema discord') place='schema discord' ;;
    'schema discord pins') place='schema discord pins' ;;
    'schema discord pins add') place='schema discord pins add' ;;
    'schema discord roles') place='schema discord roles' ;;
    'schema ads') place='schema ads' ;;
    'schema ads audiences') place='schema ads audiences' ;;
    'schema ads audiences delete') place='schema ads audiences delete' ;;
    'schema credentials') place='schema credentials' ;;
    'schema credentials disable') place='schema credentials disable' ;;
    'schema webhooks') place='schema webhooks' ;;
    'schema webhooks create') place='schema webhooks create' ;;
    'schema webhooks update') place='schema webhooks update' ;;
  esac
}

# Whether a flag takes a value, and which: sets `kind`, and `offers` or `ask` where the values are known.
_social_value() {
  kind='' ask='' offers=()
  case "$place $1" in
    'posts get --from') kind=files ;;
    'posts get --concurrency') kind=nothing ;;
    'posts get --rate') kind=nothing ;;
    'posts get --max-failures') kind=nothing ;;
    'posts get --failures-to') kind=files ;;
    'posts get --shard') kind=nothing ;;
    'posts get --journal') kind=files ;;
    'posts reply --target') kind=words ask='target' ;;
    'posts reply --text') kind=nothing ;;
    'posts reply --text-file') kind=files ;;
    'posts reply --root-uri') kind=nothing ;;
    'posts reply --root-cid') kind=nothing ;;
    'posts reply --parent-uri') kind=nothing ;;
    'posts reply --parent-cid') kind=nothing ;;
    'posts reply --parent-status-id') kind=words ask='status' ;;
    'posts reply --from') kind=files ;;
    'posts reply --concurrency') kind=nothing ;;
    'posts reply --rate') kind=nothing ;;
    'posts reply --max-failures') kind=nothing ;;
    'posts reply --failures-to') kind=files ;;
    'posts reply --shard') kind=nothing ;;
    'posts reply --journal') kind=files ;;
    'posts retry --target') kind=list ask='target' ;;
    'posts retry --for') kind=list offers=('draft' 'scheduled' 'publishing' 'published' 'unpublished' 'action_required' 'failed' 'partial' 'cancelled') ;;
    'posts retry --wait-timeout') kind=nothing ;;
    'posts retry --interval') kind=nothing ;;
    'posts retry --from') kind=files ;;
    'posts retry --concurrency') kind=nothing ;;
    'posts retry --rate') kind=nothing ;;
    'posts retry --max-failures') kind=nothing ;;
    'posts retry --failures-to') kind=files ;;
    'posts retry --shard') kind=nothing ;;
    'posts retry --journal') kind=files ;;
    'posts wait --target') kind=list ask='target' ;;
    'posts wait --for') kind=list offers=('draft' 'scheduled' 'publishing' 'published' 'unpublished' 'action_required' 'failed' 'partial' 'cancelled') ;;
    'posts wait --wait-timeout') kind=nothing ;;
    'posts wait --interval') kind=nothing ;;
    'posts wait --from') kind=files ;;
    'posts wait --concurrency') kind=nothing ;;
    'posts wait --rate') kind=nothing ;;
    'posts wait --max-failures') kind=nothing ;;
    'posts wait --failures-to') kind=files ;;
    'posts wait --shard') kind=nothing ;;
    'posts wait --journal') kind=files ;;
    'accounts bluesky send --text') kind=nothing ;;
    'accounts bluesky send --text-file') kind=files ;;
    'accounts bluesky send --from') kind=files ;;
    'accounts bluesky send --concurrency') kind=nothing ;;
    'accounts bluesky send --rate') kind=nothing ;;
    'accounts bluesky send --max-failures') kind=nothing ;;
    'accounts bluesky send --failures-to') kind=files ;;
    'accounts bluesky send --shard') kind=nothing ;;
    'accounts bluesky send --journal') kind=files ;;
    'accounts discord channels --from') kind=files ;;
    'accounts discord channels --concurrency') kind=nothing ;;
    'accounts discord channels --rate') kind=nothing ;;
    'accounts discord channels --max-failures') kind=nothing ;;
    'accounts discord channels --failures-to') kind=files ;;
    'accounts discord channels --shard') kind=nothing ;;
    'accounts discord channels --journal') kind=files ;;
    'accounts mastodon favourite --from') kind=files ;;
    'accounts mastodon favourite --concurrency') kind=nothing ;;
    'accounts mastodon favourite --rate') kind=nothing ;;
    'accounts mastodon favourite --max-failures') kind=nothing ;;
    'accounts mastodon favourite --failures-to') kind=files ;;
    'accounts mastodon favourite --shard') kind=nothing ;;
    'accounts mastodon favourite --journal') kind=files ;;
    'accounts mastodon unfavourite --from') kind=files ;;
    'accounts mastodon unfavourite --concurrency') kind=nothing ;;
    'accounts mastodon unfavourite --rate') kind=nothing ;;
    'accounts mastodon unfavourite --max-failures') kind=nothing ;;
    'accounts mastodon unfavourite --failures-to') kind=files ;;
    'accounts mastodon unfavourite --shard') kind=nothing ;;
    'accounts mastodon unfavourite --journal') kind=files ;;
    'accounts mastodon reblog --from') kind=files ;;
    'accounts mastodon reblog --concurrency') kind=nothing ;;
    'accounts mastodon reblog --rate') kind=nothing ;;
    'accounts mastodon reblog --max-failures') kind=nothing ;;
    'accounts mastodon reblog --failures-to') kind=files ;;
    'accounts mastodon reblog --shard') kind=nothing ;;
    'accounts mastodon reblog --journal') kind=files ;;
    'accounts mastodon unreblog --from') kind=files ;;
    'accounts mastodon unreblog --concurrency') kind=nothing ;;
    'accounts mastodon unreblog --rate') kind=nothing ;;
    'accounts mastodon unreblog --max-failures') kind=nothing ;;
    'accounts mastodon unreblog --failures-to') kind=files ;;
    'accounts mastodon unreblog --shard') kind=nothing ;;
    'accounts mastodon unreblog --journal') kind=files ;;
    'accounts mastodon bookmark --from') kind=files ;;
    'accounts mastodon bookmark --concurrency') kind=nothing ;;
    'accounts mastodon bookmark --rate') kind=nothing ;;
    'accounts mastodon bookmark --max-failures') kind=nothing ;;
    'accounts mastodon bookmark --failures-to') kind=files ;;
    'accounts mastodon bookmark --shard') kind=nothing ;;
    'accounts mastodon bookmark --journal') kind=files ;;
    'accounts mastodon unbookmark --from') kind=files ;;
    'accounts mastodon unbookmark --concurrency') kind=nothing ;;
    'accounts mastodon unbookmark --rate') kind=nothing ;;
    'accounts mastodon unbookmark --max-failures') kind=nothing ;;
    'accounts mastodon unbookmark --failures-to') kind=files ;;
    'accounts mastodon unbookmark --shard') kind=nothing ;;
    'accounts mastodon unbookmark --journal') kind=files ;;
    'accounts mastodon mute --from') kind=files ;;
    'accounts mastodon mute --concurrency') kind=nothing ;;
    'accounts mastodon mute --rate') kind=nothing ;;
    'accounts mastodon mute --max-failures') kind=nothing ;;
    'accounts mastodon mute --failures-to') kind=files ;;
    'accounts mastodon mute --shard') kind=nothing ;;
    'accounts mastodon mute --journal') kind=files ;;
    'accounts mastodon unmute --from') kind=files ;;
    'accounts mastodon unmute --concurrency') kind=nothing ;;
    'accounts mastodon unmute --rate') kind=nothing ;;
    'accounts mastodon unmute --max-failures') kind=nothing ;;
    'accounts mastodon unmute --failures-to') kind=files ;;
    'accounts mastodon unmute --shard') kind=nothing ;;
    'accounts mastodon unmute --journal') kind=files ;;
    'accounts tracking-tags shared-accounts --from') kind=files ;;
    'accounts tracking-tags shared-accounts --concurrency') kind=nothing ;;
    'accounts tracking-tags shared-accounts --rate') kind=nothing ;;
    'accounts tracking-tags shared-accounts --max-failures') kind=nothing ;;
    'accounts tracking-tags shared-accounts --failures-to') kind=files ;;
    'accounts tracking-tags shared-accounts --shard') kind=nothing ;;
    'accounts tracking-tags shared-accounts --journal') kind=files ;;
    'connect facebook pages --from') kind=files ;;
    'connect facebook pages --concurrency') kind=nothing ;;
    'connect facebook pages --rate') kind=nothing ;;
    'connect facebook pages --max-failures') kind=nothing ;;
    'connect facebook pages --failures-to') kind=files ;;
    'connect facebook pages --shard') kind=nothing ;;
    'connect facebook pages --journal') kind=files ;;
    'connect pinterest select-board --profile') kind=words ask='profile' ;;
    'connect pinterest select-board --board') kind=words ask='board' ;;
    'connect pinterest select-board --from') kind=files ;;
    'connect pinterest select-board --concurrency') kind=nothing ;;
    'connect pinterest select-board --rate') kind=nothing ;;
    'connect pinterest select-board --max-failures') kind=nothing ;;
    'connect pinterest select-board --failures-to') kind=files ;;
    'connect pinterest select-board --shard') kind=nothing ;;
    'connect pinterest select-board --journal') kind=files ;;
    'connect reddit flairs --subreddit') kind=nothing ;;
    'connect reddit flairs --from') kind=files ;;
    'connect reddit flairs --concurrency') kind=nothing ;;
    'connect reddit flairs --rate') kind=nothing ;;
    'connect reddit flairs --max-failures') kind=nothing ;;
    'connect reddit flairs --failures-to') kind=files ;;
    'connect reddit flairs --shard') kind=nothing ;;
    'connect reddit flairs --journal') kind=files ;;
    'connect telegram access-code --wait-timeout') kind=nothing ;;
    'connect telegram access-code --interval') kind=nothing ;;
    'connect telegram access-code --from') kind=files ;;
    'connect telegram access-code --concurrency') kind=nothing ;;
    'connect telegram access-code --rate') kind=nothing ;;
    'connect telegram access-code --max-failures') kind=nothing ;;
    'connect telegram access-code --failures-to') kind=files ;;
    'connect telegram access-code --shard') kind=nothing ;;
    'connect telegram access-code --journal') kind=files ;;
    'connect telegram session --wait-timeout') kind=nothing ;;
    'connect telegram session --interval') kind=nothing ;;
    'connect telegram session --from') kind=files ;;
    'connect telegram session --concurrency') kind=nothing ;;
    'connect telegram session --rate') kind=nothing ;;
    'connect telegram session --max-failures') kind=nothing ;;
    'connect telegram session --failures-to') kind=files ;;
    'connect telegram session --shard') kind=nothing ;;
    'connect telegram session --journal') kind=files ;;
    'discord pins add --from') kind=files ;;
    'discord pins add --concurrency') kind=nothing ;;
    'discord pins add --rate') kind=nothing ;;
    'discord pins add --max-failures') kind=nothing ;;
    'discord pins add --failures-to') kind=files ;;
    'discord pins add --shard') kind=nothing ;;
    'discord pins add --journal') kind=files ;;
    'discord roles --from') kind=files ;;
    'discord roles --concurrency') kind=nothing ;;
    'discord roles --rate') kind=nothing ;;
    'discord roles --max-failures') kind=nothing ;;
    'discord roles --failures-to') kind=files ;;
    'discord roles --shard') kind=nothing ;;
    'discord roles --journal') kind=files ;;
    'ads audiences delete --from') kind=files ;;
    'ads audiences delete --concurrency') kind=nothing ;;
    'ads audiences delete --rate') kind=nothing ;;
    'ads audiences delete --max-failures') kind=nothing ;;
    'ads audiences delete --failures-to') kind=files ;;
    'ads audiences delete --shard') kind=nothing ;;
    'ads audiences delete --journal') kind=files ;;
    'credentials disable --from') kind=files ;;
    'credentials disable --concurrency') kind=nothing ;;
    'credentials disable --rate') kind=nothing ;;
    'credentials disable --max-failures') kind=nothing ;;
    'credentials disable --failures-to') kind=files ;;
    'credentials disable --shard') kind=nothing ;;
    'credentials disable --journal') kind=files ;;
    'webhooks create --url') kind=nothing ;;
    'webhooks create --event') kind=list offers=('post.scheduled' 'post.updated' 'post.published' 'post.unpublished' 'post.failed' 'post.partial' 'post.recycled' 'account.connected' 'account.disconnected' 'ad.created' 'ad.status_changed' 'account.ads.initial_sync_completed') ;;
    'webhooks create --name') kind=nothing ;;
    'webhooks create --secret-file') kind=files ;;
    'webhooks create --secret-env') kind=nothing ;;
    'webhooks create --secret-out') kind=files ;;
    'webhooks create --header') kind=nothing ;;
    'webhooks create --from') kind=files ;;
    'webhooks create --concurrency') kind=nothing ;;
    'webhooks create --rate') kind=nothing ;;
    'webhooks create --max-failures') kind=nothing ;;
    'webhooks create --failures-to') kind=files ;;
    'webhooks create --shard') kind=nothing ;;
    'webhooks create --journal') kind=files ;;
    'webhooks update --url') kind=nothing ;;
    'webhooks update --event') kind=list offers=('post.scheduled' 'post.updated' 'post.published' 'post.unpublished' 'post.failed' 'post.partial' 'post.recycled' 'account.connected' 'account.disconnected' 'ad.created' 'ad.status_changed' 'account.ads.initial_sync_completed') ;;
    'webhooks update --name') kind=nothing ;;
    'webhooks update --secret-file') kind=files ;;
    'webhooks update --secret-env') kind=nothing ;;
    'webhooks update --secret-out') kind=files ;;
    'webhooks update --header') kind=nothing ;;
    'webhooks update --from') kind=files ;;
    'webhooks update --concurrency') kind=nothing ;;
    'webhooks update --rate') kind=nothing ;;
    'webhooks update --max-failures') kind=nothing ;;
    'webhooks update --failures-to') kind=files ;;
    'webhooks update --shard') kind=nothing ;;
    'webhooks update --journal') kind=files ;;
    'api -f' | 'api --field') kind=nothing ;;
    'api -F' | 'api --json-field') kind=nothing ;;
    'api --input') kind=files ;;
    'api -H' | 'api --header') kind=nothing ;;
    'context set --token-command') kind=nothing ;;
    'sandbox serve --port') kind=nothing ;;
    'sandbox serve --state') kind=words offers=('demo' 'outage' 'clean' 'big') ;;
    'sandbox serve --chaos') kind=nothing ;;
    'sandbox serve --seed') kind=nothing ;;
    'sandbox serve --record') kind=files ;;
    'sandbox show --ids') kind=words offers=('post' 'failed-post' 'account' 'audience' 'credential' 'webhook') ;;
    'sandbox reset --state') kind=words offers=('demo' 'outage' 'clean' 'big') ;;
    'history list --since') kind=nothing ;;
    'history list --op') kind=nothing ;;
    'history list --limit') kind=nothing ;;
    *)
      case "$1" in
        '-C' | '--context') kind=words ask='context' ;;
        '--base-url') kind=nothing ;;
        '-a' | '--account') kind=words ask='account' ;;
        '-o' | '--output') kind=words offers=('table' 'json' 'ndjson' 'tsv') ;;
        '--fields') kind=nothing ;;
        '--jq') kind=nothing ;;
        '--color') kind=words offers=('auto' 'always' 'never') ;;
        '--confirm') kind=nothing ;;
        '--force-unlock') kind=nothing ;;
        '--timeout') kind=nothing ;;
        '--retries') kind=nothing ;;
        '--query') kind=nothing ;;
        '--cacert') kind=files ;;
      esac ;;
  esac
}

# What can be typed at a place: sets `offers` and `flags`, `asks` for each operand, `many` where the last repeats.
_social_place() {
  offers=() flags=() asks=() many=0
  case "$place" in
    '') offers=('posts' 'accounts' 'connect' 'discord' 'ads' 'credentials' 'webhooks' 'api' 'auth' 'context' 'config' 'sandbox' 'history' 'mcp' 'doctor' 'schema' 'commands' 'completion' 'help') flags=('-V' '--version') ;;
    'posts') offers=('get' 'reply' 'retry' 'wait') ;;
    'posts get') flags=('--from' '--allow-empty' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') asks=('post') many=1 ;;
    'posts reply') flags=('--target' '--text' '--text-file' '--editor' '--root-uri' '--root-cid' '--parent-uri' '--parent-cid' '--parent-status-id' '--from' '--allow-empty' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') asks=('post') ;;
    'posts retry') flags=('--target' '--failed' '-i' '--interactive' '--wait' '--for' '--wait-timeout' '--interval' '--from' '--allow-empty' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') asks=('post') many=1 ;;
    'posts wait') flags=('--target' '--for' '--wait-timeout' '--interval' '--from' '--allow-empty' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') asks=('post') many=1 ;;
    'accounts') offers=('bluesky' 'discord' 'mastodon' 'tracking-tags') ;;
    'accounts bluesky') offers=('send') ;;
    'accounts bluesky send') flags=('--text' '--text-file' '--editor' '--from' '--allow-empty' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') asks=('conversation') ;;
    'accounts discord') offers=('channels') ;;
    'accounts discord channels') flags=('--from' '--allow-empty' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') ;;
    'accounts mastodon') offers=('favourite' 'favorite' 'unfavourite' 'unfavorite' 'reblog' 'boost' 'unreblog' 'unboost' 'bookmark' 'unbookmark' 'mute' 'unmute') ;;
    'accounts mastodon favourite') flags=('--from' '--allow-empty' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') asks=('status') many=1 ;;
    'accounts mastodon unfavourite') flags=('--from' '--allow-empty' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') asks=('status') many=1 ;;
    'accounts mastodon reblog') flags=('--from' '--allow-empty' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') asks=('status') many=1 ;;
    'accounts mastodon unreblog') flags=('--from' '--allow-empty' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') asks=('status') many=1 ;;
    'accounts mastodon bookmark') flags=('--from' '--allow-empty' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') asks=('status') many=1 ;;
    'accounts mastodon unbookmark') flags=('--from' '--allow-empty' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') asks=('status') many=1 ;;
    'accounts mastodon mute') flags=('--from' '--allow-empty' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') asks=('status') many=1 ;;
    'accounts mastodon unmute') flags=('--from' '--allow-empty' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') asks=('status') many=1 ;;
    'accounts tracking-tags') offers=('shared-accounts') ;;
    'accounts tracking-tags shared-accounts') flags=('--from' '--allow-empty' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') asks=('tag') ;;
    'connect') offers=('facebook' 'pinterest' 'reddit' 'telegram') ;;
    'connect facebook') offers=('pages') ;;
    'connect facebook pages') flags=('--require-ready' '--from' '--allow-empty' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') ;;
    'connect pinterest') offers=('select-board') ;;
    'connect pinterest select-board') flags=('--profile' '--board' '--from' '--allow-empty' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') ;;
    'connect reddit') offers=('flairs') ;;
    'connect reddit flairs') flags=('--subreddit' '--from' '--allow-empty' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') ;;
    'connect telegram') offers=('access-code' 'session') ;;
    'connect telegram access-code') flags=('--wait' '--wait-timeout' '--interval' '--from' '--allow-empty' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') ;;
    'connect telegram session') flags=('--wait' '--wait-timeout' '--interval' '--from' '--allow-empty' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') ;;
    'discord') offers=('pins' 'roles') ;;
    'discord pins') offers=('add') ;;
    'discord pins add') flags=('--from' '--allow-empty' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') asks=('channel' 'message') ;;
    'discord roles') flags=('--from' '--allow-empty' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') asks=('guild') ;;
    'ads') offers=('audiences') ;;
    'ads audiences') offers=('delete') ;;
    'ads audiences delete') flags=('--from' '--allow-empty' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') asks=('audience') many=1 ;;
    'credentials') offers=('disable') ;;
    'credentials disable') flags=('--from' '--allow-empty' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') asks=('credential') many=1 ;;
    'webhooks') offers=('create' 'update' 'events') ;;
    'webhooks create') flags=('--url' '--event' '--all-events' '--name' '--secret-file' '--secret-env' '--generate-secret' '--secret-out' '--active' '--inactive' '--header' '--from' '--allow-empty' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') ;;
    'webhooks update') flags=('--url' '--event' '--all-events' '--name' '--secret-file' '--secret-env' '--generate-secret' '--secret-out' '--clear-secret' '--active' '--inactive' '--header' '--clear-headers' '--from' '--allow-empty' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') asks=('webhook') ;;
    'api') offers=('GET' 'HEAD' 'POST' 'PUT' 'PATCH' 'DELETE') flags=('-f' '--field' '-F' '--json-field' '--input' '-H' '--header' '--whole') ;;
    'auth') offers=('login' 'logout' 'status' 'token') ;;
    'auth login') flags=('--insecure-storage' '--no-check') ;;
    'auth status') flags=('--check') ;;
    'context') offers=('list' 'show' 'use' 'set' 'delete') ;;
    'context show') asks=('context') ;;
    'context use') asks=('context') ;;
    'context set') flags=('--token-command' '--protected' '--no-protected' '--no-account' '--no-output' '--no-token-command') asks=('context') ;;
    'context delete') asks=('context') ;;
    'config') offers=('get' 'set' 'unset' 'list' 'path') ;;
    'config get') offers=('account' 'output' 'color' 'timeout' 'retries' 'utc' 'accessible') ;;
    'config set') offers=('account' 'output' 'color' 'timeout' 'retries' 'utc' 'accessible') ;;
    'config unset') offers=('account' 'output' 'color' 'timeout' 'retries' 'utc' 'accessible') ;;
    'config list') flags=('--show-origin') ;;
    'sandbox') offers=('serve' 'show' 'reset') ;;
    'sandbox serve') flags=('--port' '--state' '--chaos' '--seed' '--record') ;;
    'sandbox show') flags=('--ids') ;;
    'sandbox reset') flags=('--state') ;;
    'history') offers=('list' 'show' 'path' 'clear') ;;
    'history list') flags=('--since' '--op' '--limit') ;;
    'history show') asks=('change') ;;
    'mcp') offers=('serve') ;;
    'mcp serve') flags=('--allow-writes') ;;
    'doctor') flags=('--network') ;;
    'schema') offers=('posts' 'accounts' 'connect' 'discord' 'ads' 'credentials' 'webhooks') flags=('--openapi') ;;
    'completion') offers=('bash' 'zsh' 'fish' 'powershell') ;;
    'help') offers=('posts' 'accounts' 'connect' 'discord' 'ads' 'credentials' 'webhooks' 'api' 'auth' 'context' 'config' 'sandbox' 'history' 'mcp' 'doctor' 'schema' 'commands' 'completion' 'help' 'environment' 'exit-codes' 'output' 'scripting' 'contexts' 'batch' 'assumptions') ;;
    'help posts') offers=('get' 'reply' 'retry' 'wait') ;;
    'help accounts') offers=('bluesky' 'discord' 'mastodon' 'tracking-tags') ;;
    'help accounts bluesky') offers=('send') ;;
    'help accounts discord') offers=('channels') ;;
    'help accounts mastodon') offers=('favourite' 'favorite' 'unfavourite' 'unfavorite' 'reblog' 'boost' 'unreblog' 'unboost' 'bookmark' 'unbookmark' 'mute' 'unmute') ;;
    'help accounts tracking-tags') offers=('shared-accounts') ;;
    'help connect') offers=('facebook' 'pinterest' 'reddit' 'telegram') ;;
    'help connect facebook') offers=('pages') ;;
    'help connect pinterest') offers=('select-board') ;;
    'help connect reddit') offers=('flairs') ;;
    'help connect telegram') offers=('access-code' 'session') ;;
    'help discord') offers=('pins' 'roles') ;;
    'help discord pins') offers=('add') ;;
    'help ads') offers=('audiences') ;;
    'help ads audiences') offers=('delete') ;;
    'help credentials') offers=('disable') ;;
    'help webhooks') offers=('create' 'update' 'events') ;;
    'help auth') offers=('login' 'logout' 'status' 'token') ;;
    'help context') offers=('list' 'show' 'use' 'set' 'delete') ;;
    'help config') offers=('get' 'set' 'unset' 'list' 'path') ;;
    'help sandbox') offers=('serve' 'show' 'reset') ;;
    'help history') offers=('list' 'show' 'path' 'clear') ;;
    'help mcp') offers=('serve') ;;
    'schema posts') offers=('get' 'reply' 'retry' 'wait') ;;
    'schema accounts') offers=('bluesky' 'discord' 'mastodon' 'tracking-tags') ;;
    'schema accounts bluesky') offers=('send') ;;
    'schema accounts discord') offers=('channels') ;;
    'schema accounts mastodon') offers=('favourite' 'favorite' 'unfavourite' 'unfavorite' 'reblog' 'boost' 'unreblog' 'unboost' 'bookmark' 'unbookmark' 'mute' 'unmute') ;;
    'schema accounts tracking-tags') offers=('shared-accounts') ;;
    'schema connect') offers=('facebook' 'pinterest' 'reddit' 'telegram') ;;
    'schema connect facebook') offers=('pages') ;;
    'schema connect pinterest') offers=('select-board') ;;
    'schema connect reddit') offers=('flairs') ;;
    'schema connect telegram') offers=('access-code' 'session') ;;
    'schema discord') offers=('pins' 'roles') ;;
    'schema discord pins') offers=('add') ;;
    'schema ads') offers=('audiences') ;;
    'schema ads audiences') offers=('delete') ;;
    'schema credentials') offers=('disable') ;;
    'schema webhooks') offers=('create' 'update') ;;
  esac
  flags+=('-C' '--context' '--base-url' '-a' '--account' '--json' '-o' '--output' '--fields' '--jq' '--utc' '-q' '--quiet' '--color' '--no-color' '--accessible' '-n' '--dry-run' '--curl' '--strict' '-y' '--yes' '--confirm' '--force-unlock' '--no-input' '--timeout' '--retries' '--query' '--cacert' '--debug' '-h' '--help')
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

# Offers the words of `offers` that go on from what was typed. `before` is what stays of it: words of a list that
# are in it are not offered again. Bash would put a backslash before each comma, which needs none here.
_social_offer() {
  local word
  for word in ${offers[@]+"${offers[@]}"}; do
    [[ $before$word == "$typed"* && ,${before##*=} != *,"$word",* ]] || continue
    word=$before$word
    printf -v word %q "${word#"$kept"}"
    word=${word//'\,'/,}
    COMPREPLY+=("$word")
  done
}

# Adds what the program knows of on this machine to `offers`. The words go along as they stand on the line, without
# the one that is being typed; of that only what commas already end.
_social_ask() {
  local line ended=()
  [[ $kind != list || $typed != *,* ]] || ended=("${typed%,*}")
  while IFS= read -r line; do
    [[ -z $line ]] || offers+=("${line%%$'\t'*}")
  done < <(command social __complete "$1" "${words[@]:1:${#words[@]}-2}" ${ended[@]+"${ended[@]}"} 2>/dev/null </dev/null)
}

_social() {
  local IFS=$' \t\n' typed='' kept='' place='' kind='' ask='' before='' operands=0 only=0 skip=0 many=0 i
  local words offers flags asks
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
    kind=words ask=''
    if [[ $typed == -* ]] && (( ! only )); then
      offers=(${flags[@]+"${flags[@]}"})
    else
      (( ! operands )) || offers=()
      i=$operands
      (( ! many || i < ${#asks[@]} )) || i=$(( ${#asks[@]} - 1 ))
      ask=${asks[i]-}
    fi
  fi
  [[ -z $ask ]] || _social_ask "$ask"
  if [[ $kind == list && $typed == *,* ]]; then
    i=${typed#"$before"}
    before=$before${i%,*},
    [[ $before != *[!A-Za-z0-9_.,=-]* ]] || return 0
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
