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
    'schema posts') place='posts' ;;
    'schema accounts') place='accounts' ;;
    'schema connect') place='connect' ;;
    'schema discord') place='discord' ;;
    'schema ads') place='ads' ;;
    'schema credentials') place='credentials' ;;
    'schema webhooks') place='webhooks' ;;
    'schema api') place='api' ;;
    'schema auth') place='auth' ;;
    'schema context') place='context' ;;
    'schema config') place='config' ;;
    'schema sandbox') place='sandbox' ;;
    'schema history') place='history' ;;
    'schema mcp') place='mcp' ;;
    'schema doctor') place='doctor' ;;
    'schema schema') place='schema' ;;
    'schema commands') place='commands' ;;
    'schema completion') place='completion' ;;
    'schema help') place='help' ;;
    'help posts') place='posts' ;;
    'help accounts') place='accounts' ;;
    'help connect') place='connect' ;;
    'help discord') place='discord' ;;
    'help ads') place='ads' ;;
    'help credentials') place='credentials' ;;
    'help webhooks') place='webhooks' ;;
    'help api') place='api' ;;
    'help auth') place='auth' ;;
    'help context') place='context' ;;
    'help config') place='config' ;;
    'help sandbox') place='sandbox' ;;
    'help history') place='history' ;;
    'help mcp') place='mcp' ;;
    'help doctor') place='doctor' ;;
    'help schema') place='schema' ;;
    'help commands') place='commands' ;;
    'help completion') place='completion' ;;
    'help help') place='help' ;;
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
    'posts get') flags=('--from' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') asks=('post') many=1 ;;
    'posts reply') flags=('--target' '--text' '--text-file' '--editor' '--root-uri' '--root-cid' '--parent-uri' '--parent-cid' '--parent-status-id' '--from' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') asks=('post') ;;
    'posts retry') flags=('--target' '--failed' '-i' '--interactive' '--wait' '--for' '--wait-timeout' '--interval' '--from' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') asks=('post') many=1 ;;
    'posts wait') flags=('--target' '--for' '--wait-timeout' '--interval' '--from' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') asks=('post') many=1 ;;
    'accounts') offers=('bluesky' 'discord' 'mastodon' 'tracking-tags') ;;
    'accounts bluesky') offers=('send') ;;
    'accounts bluesky send') flags=('--text' '--text-file' '--editor' '--from' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') asks=('conversation') ;;
    'accounts discord') offers=('channels') ;;
    'accounts discord channels') flags=('--from' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') ;;
    'accounts mastodon') offers=('favourite' 'favorite' 'unfavourite' 'unfavorite' 'reblog' 'boost' 'unreblog' 'unboost' 'bookmark' 'unbookmark' 'mute' 'unmute') ;;
    'accounts mastodon favourite') flags=('--from' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') asks=('status') many=1 ;;
    'accounts mastodon unfavourite') flags=('--from' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') asks=('status') many=1 ;;
    'accounts mastodon reblog') flags=('--from' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') asks=('status') many=1 ;;
    'accounts mastodon unreblog') flags=('--from' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') asks=('status') many=1 ;;
    'accounts mastodon bookmark') flags=('--from' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') asks=('status') many=1 ;;
    'accounts mastodon unbookmark') flags=('--from' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') asks=('status') many=1 ;;
    'accounts mastodon mute') flags=('--from' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') asks=('status') many=1 ;;
    'accounts mastodon unmute') flags=('--from' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') asks=('status') many=1 ;;
    'accounts tracking-tags') offers=('shared-accounts') ;;
    'accounts tracking-tags shared-accounts') flags=('--from' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') asks=('tag') ;;
    'connect') offers=('facebook' 'pinterest' 'reddit' 'telegram') ;;
    'connect facebook') offers=('pages') ;;
    'connect facebook pages') flags=('--require-ready' '--from' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') ;;
    'connect pinterest') offers=('select-board') ;;
    'connect pinterest select-board') flags=('--profile' '--board' '--from' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') ;;
    'connect reddit') offers=('flairs') ;;
    'connect reddit flairs') flags=('--subreddit' '--from' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') ;;
    'connect telegram') offers=('access-code' 'session') ;;
    'connect telegram access-code') flags=('--wait' '--wait-timeout' '--interval' '--from' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') ;;
    'connect telegram session') flags=('--wait' '--wait-timeout' '--interval' '--from' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') ;;
    'discord') offers=('pins' 'roles') ;;
    'discord pins') offers=('add') ;;
    'discord pins add') flags=('--from' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') asks=('channel' 'message') ;;
    'discord roles') flags=('--from' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') asks=('guild') ;;
    'ads') offers=('audiences') ;;
    'ads audiences') offers=('delete') ;;
    'ads audiences delete') flags=('--from' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') asks=('audience') many=1 ;;
    'credentials') offers=('disable') ;;
    'credentials disable') flags=('--from' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') asks=('credential') many=1 ;;
    'webhooks') offers=('create' 'update' 'events') ;;
    'webhooks create') flags=('--url' '--event' '--all-events' '--name' '--secret-file' '--secret-env' '--generate-secret' '--secret-out' '--active' '--inactive' '--header' '--from' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') ;;
    'webhooks update') flags=('--url' '--event' '--all-events' '--name' '--secret-file' '--secret-env' '--generate-secret' '--secret-out' '--clear-secret' '--active' '--inactive' '--header' '--clear-headers' '--from' '--concurrency' '--rate' '--fail-fast' '--max-failures' '--failures-to' '--shard' '--journal' '--retry-unknown') asks=('webhook') ;;
    'api') offers=('GET' 'HEAD' 'POST' 'PUT' 'PATCH' 'DELETE') flags=('-f' '--field' '-F' '--json-field' '--input' '-H' '--header' '--whole') ;;
    'auth') offers=('login' 'logout' 'status' 'token') ;;
    'auth login') flags=('--insecure-storage') ;;
    'auth status') flags=('--check') ;;
    'context') offers=('list' 'show' 'use' 'set' 'delete') ;;
    'context show') asks=('context') ;;
    'context use') asks=('context') ;;
    'context set') flags=('--token-command' '--protected' '--no-protected') asks=('context') ;;
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
    'mcp') offers=('serve') ;;
    'mcp serve') flags=('--allow-writes') ;;
    'doctor') flags=('--network') ;;
    'schema') offers=('posts' 'accounts' 'connect' 'discord' 'ads' 'credentials' 'webhooks' 'api' 'auth' 'context' 'config' 'sandbox' 'history' 'mcp' 'doctor' 'schema' 'commands' 'completion' 'help') flags=('--openapi') ;;
    'completion') offers=('bash' 'zsh' 'fish' 'powershell') ;;
    'help') offers=('posts' 'accounts' 'connect' 'discord' 'ads' 'credentials' 'webhooks' 'api' 'auth' 'context' 'config' 'sandbox' 'history' 'mcp' 'doctor' 'schema' 'commands' 'completion' 'help' 'environment' 'exit-codes' 'output' 'scripting' 'contexts' 'batch' 'assumptions') ;;
  esac
  flags+=('-C' '--context' '--base-url' '-a' '--account' '--json' '-o' '--output' '--fields' '--jq' '--utc' '-q' '--quiet' '--color' '--accessible' '-n' '--dry-run' '--curl' '-y' '--yes' '--confirm' '--no-input' '--timeout' '--retries' '--query' '--cacert' '--debug' '-h' '--help')
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

# Adds what the program knows of on this machine to `offers`. The words go along as they stand on the line.
_social_ask() {
  local line
  while IFS= read -r line; do
    [[ -z $line ]] || offers+=("${line%%$'\t'*}")
  done < <(command social __complete "$1" "${words[@]:1}" 2>/dev/null </dev/null)
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
