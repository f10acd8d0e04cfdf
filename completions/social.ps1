# PowerShell completion for social; written by: social completion powershell

Register-ArgumentCompleter -Native -CommandName social -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    function Step([string] $typed) {
        switch -CaseSensitive -Exact ($typed) {
            'posts' { return 'posts' }
            'posts get' { return 'posts get' }
            'posts reply' { return 'posts reply' }
            'posts retry' { return 'posts retry' }
            'posts wait' { return 'posts wait' }
            'accounts' { return 'accounts' }
            'accounts bluesky' { return 'accounts bluesky' }
            'accounts bluesky send' { return 'accounts bluesky send' }
            'accounts discord' { return 'accounts discord' }
            'accounts discord channels' { return 'accounts discord channels' }
            'accounts mastodon' { return 'accounts mastodon' }
            'accounts mastodon favourite' { return 'accounts mastodon favourite' }
            'accounts mastodon favorite' { return 'accounts mastodon favourite' }
            'accounts mastodon unfavourite' { return 'accounts mastodon unfavourite' }
            'accounts mastodon unfavorite' { return 'accounts mastodon unfavourite' }
            'accounts mastodon reblog' { return 'accounts mastodon reblog' }
            'accounts mastodon boost' { return 'accounts mastodon reblog' }
            'accounts mastodon unreblog' { return 'accounts mastodon unreblog' }
            'accounts mastodon unboost' { return 'accounts mastodon unreblog' }
            'accounts mastodon bookmark' { return 'accounts mastodon bookmark' }
            'accounts mastodon unbookmark' { return 'accounts mastodon unbookmark' }
            'accounts mastodon mute' { return 'accounts mastodon mute' }
            'accounts mastodon unmute' { return 'accounts mastodon unmute' }
            'accounts tracking-tags' { return 'accounts tracking-tags' }
            'accounts tracking-tags shared-accounts' { return 'accounts tracking-tags shared-accounts' }
            'connect' { return 'connect' }
            'connect facebook' { return 'connect facebook' }
            'connect facebook pages' { return 'connect facebook pages' }
            'connect pinterest' { return 'connect pinterest' }
            'connect pinterest select-board' { return 'connect pinterest select-board' }
            'connect reddit' { return 'connect reddit' }
            'connect reddit flairs' { return 'connect reddit flairs' }
            'connect telegram' { return 'connect telegram' }
            'connect telegram access-code' { return 'connect telegram access-code' }
            'connect telegram session' { return 'connect telegram session' }
            'discord' { return 'discord' }
            'discord pins' { return 'discord pins' }
            'discord pins add' { return 'discord pins add' }
            'discord roles' { return 'discord roles' }
            'ads' { return 'ads' }
            'ads audiences' { return 'ads audiences' }
            'ads audiences delete' { return 'ads audiences delete' }
            'credentials' { return 'credentials' }
            'credentials disable' { return 'credentials disable' }
            'webhooks' { return 'webhooks' }
            'webhooks create' { return 'webhooks create' }
            'webhooks update' { return 'webhooks update' }
            'webhooks events' { return 'webhooks events' }
            'api' { return 'api' }
            'auth' { return 'auth' }
            'auth login' { return 'auth login' }
            'auth logout' { return 'auth logout' }
            'auth status' { return 'auth status' }
            'auth token' { return 'auth token' }
            'context' { return 'context' }
            'context list' { return 'context list' }
            'context show' { return 'context show' }
            'context use' { return 'context use' }
            'context set' { return 'context set' }
            'context delete' { return 'context delete' }
            'config' { return 'config' }
            'config get' { return 'config get' }
            'config set' { return 'config set' }
            'config unset' { return 'config unset' }
            'config list' { return 'config list' }
            'config path' { return 'config path' }
            'sandbox' { return 'sandbox' }
            'sandbox serve' { return 'sandbox serve' }
            'sandbox show' { return 'sandbox show' }
            'sandbox reset' { return 'sandbox reset' }
            'history' { return 'history' }
            'history list' { return 'history list' }
            'history show' { return 'history show' }
            'history path' { return 'history path' }
            'history clear' { return 'history clear' }
            'mcp' { return 'mcp' }
            'mcp serve' { return 'mcp serve' }
            'doctor' { return 'doctor' }
            'schema' { return 'schema' }
            'commands' { return 'commands' }
            'completion' { return 'completion' }
            'help' { return 'help' }
            'help posts' { return 'help posts' }
            'help posts get' { return 'help posts get' }
            'help posts reply' { return 'help posts reply' }
            'help posts retry' { return 'help posts retry' }
            'help posts wait' { return 'help posts wait' }
            'help accounts' { return 'help accounts' }
            'help accounts bluesky' { return 'help accounts bluesky' }
            'help accounts bluesky send' { return 'help accounts bluesky send' }
            'help accounts discord' { return 'help accounts discord' }
            'help accounts discord channels' { return 'help accounts discord channels' }
            'help accounts mastodon' { return 'help accounts mastodon' }
            'help accounts mastodon favourite' { return 'help accounts mastodon favourite' }
            'help accounts mastodon favorite' { return 'help accounts mastodon favourite' }
            'help accounts mastodon unfavourite' { return 'help accounts mastodon unfavourite' }
            'help accounts mastodon unfavorite' { return 'help accounts mastodon unfavourite' }
            'help accounts mastodon reblog' { return 'help accounts mastodon reblog' }
            'help accounts mastodon boost' { return 'help accounts mastodon reblog' }
            'help accounts mastodon unreblog' { return 'help accounts mastodon unreblog' }
            'help accounts mastodon unboost' { return 'help accounts mastodon unreblog' }
            'help accounts mastodon bookmark' { return 'help accounts mastodon bookmark' }
            'help accounts mastodon unbookmark' { return 'help accounts mastodon unbookmark' }
            'help accounts mastodon mute' { return 'help accounts mastodon mute' }
            'help accounts mastodon unmute' { return 'help accounts mastodon unmute' }
            'help accounts tracking-tags' { return 'help accounts tracking-tags' }
            'help accounts tracking-tags shared-accounts' { return 'help accounts tracking-tags shared-accounts' }
            'help connect' { return 'help connect' }
            'help connect facebook' { return 'help connect facebook' }
            'help connect facebook pages' { return 'help connect facebook pages' }
            'help connect pinterest' { return 'help connect pinterest' }
            'help connect pinterest select-board' { return 'help connect pinterest select-board' }
            'help connect reddit' { return 'help connect reddit' }
            'help connect reddit flairs' { return 'help connect reddit flairs' }
            'help connect telegram' { return 'help connect telegram' }
            'help connect telegram access-code' { return 'help connect telegram access-code' }
            'help connect telegram session' { return 'help connect telegram session' }
            'help discord' { return 'help discord' }
            'help discord pins' { return 'help discord pins' }
            'help discord pins add' { return 'help discord pins add' }
            'help discord roles' { return 'help discord roles' }
            'help ads' { return 'help ads' }
            'help ads audiences' { return 'help ads audiences' }
            'help ads audiences delete' { return 'help ads audiences delete' }
            'help credentials' { return 'help credentials' }
            'help credentials disable' { return 'help credentials disable' }
            'help webhooks' { return 'help webhooks' }
            'help webhooks create' { return 'help webhooks create' }
            'help webhooks update' { return 'help webhooks update' }
            'help webhooks events' { return 'help webhooks events' }
            'help api' { return 'help api' }
            'help auth' { return 'help auth' }
            'help auth login' { return 'help auth login' }
            'help auth logout' { return 'help auth logout' }
            'help auth status' { return 'help auth status' }
            'help auth token' { return 'help auth token' }
            'help context' { return 'help context' }
            'help context list' { return 'help context list' }
            'help context show' { return 'help context show' }
            'help context use' { return 'help context use' }
            'help context set' { return 'help context set' }
            'help context delete' { return 'help context delete' }
            'help config' { return 'help config' }
            'help config get' { return 'help config get' }
            'help config set' { return 'help config set' }
            'help config unset' { return 'help config unset' }
            'help config list' { return 'help config list' }
            'help config path' { return 'help config path' }
            'help sandbox' { return 'help sandbox' }
            'help sandbox serve' { return 'help sandbox serve' }
            'help sandbox show' { return 'help sandbox show' }
            'help sandbox reset' { return 'help sandbox reset' }
            'help history' { return 'help history' }
            'help history list' { return 'help history list' }
            'help history show' { return 'help history show' }
            'help history path' { return 'help history path' }
            'help history clear' { return 'help history clear' }
            'help mcp' { return 'help mcp' }
            'help mcp serve' { return 'help mcp serve' }
            'help doctor' { return 'help doctor' }
            'help schema' { return 'help schema' }
            'help commands' { return 'help commands' }
            'help completion' { return 'help completion' }
            'help help' { return 'help help' }
            'schema posts' { return 'schema posts' }
            'schema posts get' { return 'schema posts get' }
            'schema posts reply' { return 'schema posts reply' }
            'schema posts retry' { return 'schema posts retry' }
            'schema posts wait' { return 'schema posts wait' }
            'schema accounts' { return 'schema accounts' }
            'schema accounts bluesky' { return 'schema accounts bluesky' }
            'schema accounts bluesky send' { return 'schema accounts bluesky send' }
            'schema accounts discord' { return 'schema accounts discord' }
            'schema accounts discord channels' { return 'schema accounts discord channels' }
            'schema accounts mastodon' { return 'schema accounts mastodon' }
            'schema accounts mastodon favourite' { return 'schema accounts mastodon favourite' }
            'schema accounts mastodon favorite' { return 'schema accounts mastodon favourite' }
            'schema accounts mastodon unfavourite' { return 'schema accounts mastodon unfavourite' }
            'schema accounts mastodon unfavorite' { return 'schema accounts mastodon unfavourite' }
            'schema accounts mastodon reblog' { return 'schema accounts mastodon reblog' }
            'schema accounts mastodon boost' { return 'schema accounts mastodon reblog' }
            'schema accounts mastodon unreblog' { return 'schema accounts mastodon unreblog' }
            'schema accounts mastodon unboost' { return 'schema accounts mastodon unreblog' }
            'schema accounts mastodon bookmark' { return 'schema accounts mastodon bookmark' }
            'schema accounts mastodon unbookmark' { return 'schema accounts mastodon unbookmark' }
            'schema accounts mastodon mute' { return 'schema accounts mastodon mute' }
            'schema accounts mastodon unmute' { return 'schema accounts mastodon unmute' }
            'schema accounts tracking-tags' { return 'schema accounts tracking-tags' }
            'schema accounts tracking-tags shared-accounts' { return 'schema accounts tracking-tags shared-accounts' }
            'schema connect' { return 'schema connect' }
            'schema connect facebook' { return 'schema connect facebook' }
            'schema connect facebook pages' { return 'schema connect facebook pages' }
            'schema connect pinterest' { return 'schema connect pinterest' }
            'schema connect pinterest select-board' { return 'schema connect pinterest select-board' }
            'schema connect reddit' { return 'schema connect reddit' }
            'schema connect reddit flairs' { return 'schema connect reddit flairs' }
            'schema connect telegram' { return 'schema connect telegram' }
            'schema connect telegram access-code' { return 'schema connect telegram access-code' }
            'schema connect telegram session' { return 'schema connect telegram session' }
            'schema discord' { return 'schema discord' }
            'schema discord pins' { return 'schema discord pins' }
            'schema discord pins add' { return 'schema discord pins add' }
            'schema discord roles' { return 'schema discord roles' }
            'schema ads' { return 'schema ads' }
            'schema ads audiences' { return 'schema ads audiences' }
            'schema ads audiences delete' { return 'schema ads audiences delete' }
            'schema credentials' { return 'schema credentials' }
            'schema credentials disable' { return 'schema credentials disable' }
            'schema webhooks' { return 'schema webhooks' }
            'schema webhooks create' { return 'schema webhooks create' }
            'schema webhooks update' { return 'schema webhooks update' }
        }
        return ''
    }

    # What a flag takes: nothing, an array of words, or the word files, value, or ask and what for.
    function Value([string] $place, [string] $flag) {
        switch -CaseSensitive -Exact ("$place $flag") {
            'posts get --from' { return '<files>' }
            'posts get --concurrency' { return '<value>' }
            'posts get --rate' { return '<value>' }
            'posts get --max-failures' { return '<value>' }
            'posts get --failures-to' { return '<files>' }
            'posts get --shard' { return '<value>' }
            'posts get --journal' { return '<files>' }
            'posts reply --target' { return '<ask:target>' }
            'posts reply --text' { return '<value>' }
            'posts reply --text-file' { return '<files>' }
            'posts reply --root-uri' { return '<value>' }
            'posts reply --root-cid' { return '<value>' }
            'posts reply --parent-uri' { return '<value>' }
            'posts reply --parent-cid' { return '<value>' }
            'posts reply --parent-status-id' { return '<ask:status>' }
            'posts reply --from' { return '<files>' }
            'posts reply --concurrency' { return '<value>' }
            'posts reply --rate' { return '<value>' }
            'posts reply --max-failures' { return '<value>' }
            'posts reply --failures-to' { return '<files>' }
            'posts reply --shard' { return '<value>' }
            'posts reply --journal' { return '<files>' }
            'posts retry --target' { return '<ask:target>' }
            'posts retry --for' { return 'draft', 'scheduled', 'publishing', 'published', 'unpublished', 'action_required', 'failed', 'partial', 'cancelled' }
            'posts retry --wait-timeout' { return '<value>' }
            'posts retry --interval' { return '<value>' }
            'posts retry --from' { return '<files>' }
            'posts retry --concurrency' { return '<value>' }
            'posts retry --rate' { return '<value>' }
            'posts retry --max-failures' { return '<value>' }
            'posts retry --failures-to' { return '<files>' }
            'posts retry --shard' { return '<value>' }
            'posts retry --journal' { return '<files>' }
            'posts wait --target' { return '<ask:target>' }
            'posts wait --for' { return 'draft', 'scheduled', 'publishing', 'published', 'unpublished', 'action_required', 'failed', 'partial', 'cancelled' }
            'posts wait --wait-timeout' { return '<value>' }
            'posts wait --interval' { return '<value>' }
            'posts wait --from' { return '<files>' }
            'posts wait --concurrency' { return '<value>' }
            'posts wait --rate' { return '<value>' }
            'posts wait --max-failures' { return '<value>' }
            'posts wait --failures-to' { return '<files>' }
            'posts wait --shard' { return '<value>' }
            'posts wait --journal' { return '<files>' }
            'accounts bluesky send --text' { return '<value>' }
            'accounts bluesky send --text-file' { return '<files>' }
            'accounts bluesky send --from' { return '<files>' }
            'accounts bluesky send --concurrency' { return '<value>' }
            'accounts bluesky send --rate' { return '<value>' }
            'accounts bluesky send --max-failures' { return '<value>' }
            'accounts bluesky send --failures-to' { return '<files>' }
            'accounts bluesky send --shard' { return '<value>' }
            'accounts bluesky send --journal' { return '<files>' }
            'accounts discord channels --from' { return '<files>' }
            'accounts discord channels --concurrency' { return '<value>' }
            'accounts discord channels --rate' { return '<value>' }
            'accounts discord channels --max-failures' { return '<value>' }
            'accounts discord channels --failures-to' { return '<files>' }
            'accounts discord channels --shard' { return '<value>' }
            'accounts discord channels --journal' { return '<files>' }
            'accounts mastodon favourite --from' { return '<files>' }
            'accounts mastodon favourite --concurrency' { return '<value>' }
            'accounts mastodon favourite --rate' { return '<value>' }
            'accounts mastodon favourite --max-failures' { return '<value>' }
            'accounts mastodon favourite --failures-to' { return '<files>' }
            'accounts mastodon favourite --shard' { return '<value>' }
            'accounts mastodon favourite --journal' { return '<files>' }
            'accounts mastodon unfavourite --from' { return '<files>' }
            'accounts mastodon unfavourite --concurrency' { return '<value>' }
            'accounts mastodon unfavourite --rate' { return '<value>' }
            'accounts mastodon unfavourite --max-failures' { return '<value>' }
            'accounts mastodon unfavourite --failures-to' { return '<files>' }
            'accounts mastodon unfavourite --shard' { return '<value>' }
            'accounts mastodon unfavourite --journal' { return '<files>' }
            'accounts mastodon reblog --from' { return '<files>' }
            'accounts mastodon reblog --concurrency' { return '<value>' }
            'accounts mastodon reblog --rate' { return '<value>' }
            'accounts mastodon reblog --max-failures' { return '<value>' }
            'accounts mastodon reblog --failures-to' { return '<files>' }
            'accounts mastodon reblog --shard' { return '<value>' }
            'accounts mastodon reblog --journal' { return '<files>' }
            'accounts mastodon unreblog --from' { return '<files>' }
            'accounts mastodon unreblog --concurrency' { return '<value>' }
            'accounts mastodon unreblog --rate' { return '<value>' }
            'accounts mastodon unreblog --max-failures' { return '<value>' }
            'accounts mastodon unreblog --failures-to' { return '<files>' }
            'accounts mastodon unreblog --shard' { return '<value>' }
            'accounts mastodon unreblog --journal' { return '<files>' }
            'accounts mastodon bookmark --from' { return '<files>' }
            'accounts mastodon bookmark --concurrency' { return '<value>' }
            'accounts mastodon bookmark --rate' { return '<value>' }
            'accounts mastodon bookmark --max-failures' { return '<value>' }
            'accounts mastodon bookmark --failures-to' { return '<files>' }
            'accounts mastodon bookmark --shard' { return '<value>' }
            'accounts mastodon bookmark --journal' { return '<files>' }
            'accounts mastodon unbookmark --from' { return '<files>' }
            'accounts mastodon unbookmark --concurrency' { return '<value>' }
            'accounts mastodon unbookmark --rate' { return '<value>' }
            'accounts mastodon unbookmark --max-failures' { return '<value>' }
            'accounts mastodon unbookmark --failures-to' { return '<files>' }
            'accounts mastodon unbookmark --shard' { return '<value>' }
            'accounts mastodon unbookmark --journal' { return '<files>' }
            'accounts mastodon mute --from' { return '<files>' }
            'accounts mastodon mute --concurrency' { return '<value>' }
            'accounts mastodon mute --rate' { return '<value>' }
            'accounts mastodon mute --max-failures' { return '<value>' }
            'accounts mastodon mute --failures-to' { return '<files>' }
            'accounts mastodon mute --shard' { return '<value>' }
            'accounts mastodon mute --journal' { return '<files>' }
            'accounts mastodon unmute --from' { return '<files>' }
            'accounts mastodon unmute --concurrency' { return '<value>' }
            'accounts mastodon unmute --rate' { return '<value>' }
            'accounts mastodon unmute --max-failures' { return '<value>' }
            'accounts mastodon unmute --failures-to' { return '<files>' }
            'accounts mastodon unmute --shard' { return '<value>' }
            'accounts mastodon unmute --journal' { return '<files>' }
            'accounts tracking-tags shared-accounts --from' { return '<files>' }
            'accounts tracking-tags shared-accounts --concurrency' { return '<value>' }
            'accounts tracking-tags shared-accounts --rate' { return '<value>' }
            'accounts tracking-tags shared-accounts --max-failures' { return '<value>' }
            'accounts tracking-tags shared-accounts --failures-to' { return '<files>' }
            'accounts tracking-tags shared-accounts --shard' { return '<value>' }
            'accounts tracking-tags shared-accounts --journal' { return '<files>' }
            'connect facebook pages --from' { return '<files>' }
            'connect facebook pages --concurrency' { return '<value>' }
            'connect facebook pages --rate' { return '<value>' }
            'connect facebook pages --max-failures' { return '<value>' }
            'connect facebook pages --failures-to' { return '<files>' }
            'connect facebook pages --shard' { return '<value>' }
            'connect facebook pages --journal' { return '<files>' }
            'connect pinterest select-board --profile' { return '<ask:profile>' }
            'connect pinterest select-board --board' { return '<ask:board>' }
            'connect pinterest select-board --from' { return '<files>' }
            'connect pinterest select-board --concurrency' { return '<value>' }
            'connect pinterest select-board --rate' { return '<value>' }
            'connect pinterest select-board --max-failures' { return '<value>' }
            'connect pinterest select-board --failures-to' { return '<files>' }
            'connect pinterest select-board --shard' { return '<value>' }
            'connect pinterest select-board --journal' { return '<files>' }
            'connect reddit flairs --subreddit' { return '<value>' }
            'connect reddit flairs --from' { return '<files>' }
            'connect reddit flairs --concurrency' { return '<value>' }
            'connect reddit flairs --rate' { return '<value>' }
            'connect reddit flairs --max-failures' { return '<value>' }
            'connect reddit flairs --failures-to' { return '<files>' }
            'connect reddit flairs --shard' { return '<value>' }
            'connect reddit flairs --journal' { return '<files>' }
            'connect telegram access-code --wait-timeout' { return '<value>' }
            'connect telegram access-code --interval' { return '<value>' }
            'connect telegram access-code --from' { return '<files>' }
            'connect telegram access-code --concurrency' { return '<value>' }
            'connect telegram access-code --rate' { return '<value>' }
            'connect telegram access-code --max-failures' { return '<value>' }
            'connect telegram access-code --failures-to' { return '<files>' }
            'connect telegram access-code --shard' { return '<value>' }
            'connect telegram access-code --journal' { return '<files>' }
            'connect telegram session --wait-timeout' { return '<value>' }
            'connect telegram session --interval' { return '<value>' }
            'connect telegram session --from' { return '<files>' }
            'connect telegram session --concurrency' { return '<value>' }
            'connect telegram session --rate' { return '<value>' }
            'connect telegram session --max-failures' { return '<value>' }
            'connect telegram session --failures-to' { return '<files>' }
            'connect telegram session --shard' { return '<value>' }
            'connect telegram session --journal' { return '<files>' }
            'discord pins add --from' { return '<files>' }
            'discord pins add --concurrency' { return '<value>' }
            'discord pins add --rate' { return '<value>' }
            'discord pins add --max-failures' { return '<value>' }
            'discord pins add --failures-to' { return '<files>' }
            'discord pins add --shard' { return '<value>' }
            'discord pins add --journal' { return '<files>' }
            'discord roles --from' { return '<files>' }
            'discord roles --concurrency' { return '<value>' }
            'discord roles --rate' { return '<value>' }
            'discord roles --max-failures' { return '<value>' }
            'discord roles --failures-to' { return '<files>' }
            'discord roles --shard' { return '<value>' }
            'discord roles --journal' { return '<files>' }
            'ads audiences delete --from' { return '<files>' }
            'ads audiences delete --concurrency' { return '<value>' }
            'ads audiences delete --rate' { return '<value>' }
            'ads audiences delete --max-failures' { return '<value>' }
            'ads audiences delete --failures-to' { return '<files>' }
            'ads audiences delete --shard' { return '<value>' }
            'ads audiences delete --journal' { return '<files>' }
            'credentials disable --from' { return '<files>' }
            'credentials disable --concurrency' { return '<value>' }
            'credentials disable --rate' { return '<value>' }
            'credentials disable --max-failures' { return '<value>' }
            'credentials disable --failures-to' { return '<files>' }
            'credentials disable --shard' { return '<value>' }
            'credentials disable --journal' { return '<files>' }
            'webhooks create --url' { return '<value>' }
            'webhooks create --event' { return 'post.scheduled', 'post.updated', 'post.published', 'post.unpublished', 'post.failed', 'post.partial', 'post.recycled', 'account.connected', 'account.disconnected', 'ad.created', 'ad.status_changed', 'account.ads.initial_sync_completed' }
            'webhooks create --name' { return '<value>' }
            'webhooks create --secret-file' { return '<files>' }
            'webhooks create --secret-env' { return '<value>' }
            'webhooks create --secret-out' { return '<files>' }
            'webhooks create --header' { return '<value>' }
            'webhooks create --from' { return '<files>' }
            'webhooks create --concurrency' { return '<value>' }
            'webhooks create --rate' { return '<value>' }
            'webhooks create --max-failures' { return '<value>' }
            'webhooks create --failures-to' { return '<files>' }
            'webhooks create --shard' { return '<value>' }
            'webhooks create --journal' { return '<files>' }
            'webhooks update --url' { return '<value>' }
            'webhooks update --event' { return 'post.scheduled', 'post.updated', 'post.published', 'post.unpublished', 'post.failed', 'post.partial', 'post.recycled', 'account.connected', 'account.disconnected', 'ad.created', 'ad.status_changed', 'account.ads.initial_sync_completed' }
            'webhooks update --name' { return '<value>' }
            'webhooks update --secret-file' { return '<files>' }
            'webhooks update --secret-env' { return '<value>' }
            'webhooks update --secret-out' { return '<files>' }
            'webhooks update --header' { return '<value>' }
            'webhooks update --from' { return '<files>' }
            'webhooks update --concurrency' { return '<value>' }
            'webhooks update --rate' { return '<value>' }
            'webhooks update --max-failures' { return '<value>' }
            'webhooks update --failures-to' { return '<files>' }
            'webhooks update --shard' { return '<value>' }
            'webhooks update --journal' { return '<files>' }
            'api -f' { return '<value>' }
            'api --field' { return '<value>' }
            'api -F' { return '<value>' }
            'api --json-field' { return '<value>' }
            'api --input' { return '<files>' }
            'api -H' { return '<value>' }
            'api --header' { return '<value>' }
            'context set --token-command' { return '<value>' }
            'sandbox serve --port' { return '<value>' }
            'sandbox serve --state' { return 'demo', 'outage', 'clean', 'big' }
            'sandbox serve --chaos' { return '<value>' }
            'sandbox serve --seed' { return '<value>' }
            'sandbox serve --record' { return '<files>' }
            'sandbox show --ids' { return 'post', 'failed-post', 'account', 'audience', 'credential', 'webhook' }
            'sandbox reset --state' { return 'demo', 'outage', 'clean', 'big' }
            'history list --since' { return '<value>' }
            'history list --op' { return '<value>' }
            'history list --limit' { return '<value>' }
        }
        switch -CaseSensitive -Exact ($flag) {
            '-C' { return '<ask:context>' }
            '--context' { return '<ask:context>' }
            '--base-url' { return '<value>' }
            '-a' { return '<ask:account>' }
            '--account' { return '<ask:account>' }
            '-o' { return 'table', 'json', 'ndjson', 'tsv' }
            '--output' { return 'table', 'json', 'ndjson', 'tsv' }
            '--fields' { return '<value>' }
            '--jq' { return '<value>' }
            '--color' { return 'auto', 'always', 'never' }
            '--confirm' { return '<value>' }
            '--force-unlock' { return '<value>' }
            '--timeout' { return '<value>' }
            '--retries' { return '<value>' }
            '--query' { return '<value>' }
            '--cacert' { return '<files>' }
        }
    }

    # What can be typed at a place: pairs of a word and its description.
    function Offers([string] $place) {
        switch -CaseSensitive -Exact ($place) {
            '' {
                , @('posts', 'Read posts, retry failed targets, reply to comments')
                , @('accounts', 'Act through connected accounts')
                , @('connect', 'Choose destinations, follow pairings')
                , @('discord', 'Pins and roles of a Discord guild')
                , @('ads', 'Advertising audiences')
                , @('credentials', 'Platform app credentials')
                , @('webhooks', 'Endpoints that receive events')
                , @('api', 'Send a request to any path of the service')
                , @('auth', 'Log in, log out, see which token counts')
                , @('context', 'Services by name, with their defaults')
                , @('config', 'Defaults that hold in every context')
                , @('sandbox', 'The embedded service, for trying things out')
                , @('history', 'The changes that were made from this machine')
                , @('mcp', 'The operations as tools for an agent')
                , @('doctor', 'Find what is wrong with this set-up')
                , @('schema', 'Show what a command takes and gives, as JSON Schema')
                , @('commands', 'List every command')
                , @('completion', 'Print the completion script of a shell')
                , @('help', 'Help on a command or a topic')
            }
            'posts' {
                , @('get', 'Show a post and the state of its targets')
                , @('reply', 'Reply to a comment on a published target')
                , @('retry', 'Retry the failed platform targets of a post')
                , @('wait', 'Wait until the targets of a post have settled')
            }
            'accounts' {
                , @('bluesky', 'Direct messages in Bluesky')
                , @('discord', 'Channels of an account''s guild')
                , @('mastodon', 'Favourite, reblog, bookmark and mute statuses')
                , @('tracking-tags', 'Who shares a tracking tag')
            }
            'accounts bluesky' {
                , @('send', 'Send a direct message into a Bluesky conversation')
            }
            'accounts discord' {
                , @('channels', 'List the guild channels an account manages')
            }
            'accounts mastodon' {
                , @('favourite', 'Favourite a Mastodon status')
                , @('favorite', 'Favourite a Mastodon status')
                , @('unfavourite', 'Unfavourite a Mastodon status')
                , @('unfavorite', 'Unfavourite a Mastodon status')
                , @('reblog', 'Reblog a Mastodon status')
                , @('boost', 'Reblog a Mastodon status')
                , @('unreblog', 'Unreblog a Mastodon status')
                , @('unboost', 'Unreblog a Mastodon status')
                , @('bookmark', 'Bookmark a Mastodon status')
                , @('unbookmark', 'Unbookmark a Mastodon status')
                , @('mute', 'Mute a Mastodon status')
                , @('unmute', 'Unmute a Mastodon status')
            }
            'accounts tracking-tags' {
                , @('shared-accounts', 'List the ad accounts that share a tracking tag')
            }
            'connect' {
                , @('facebook', 'Facebook pages')
                , @('pinterest', 'Pinterest boards')
                , @('reddit', 'Reddit flairs')
                , @('telegram', 'Telegram pairing')
            }
            'connect facebook' {
                , @('pages', 'List the Facebook pages of an account and whether it can publish')
            }
            'connect pinterest' {
                , @('select-board', 'Choose the Pinterest board an account publishes to')
            }
            'connect reddit' {
                , @('flairs', 'List the post flairs of a subreddit')
            }
            'connect telegram' {
                , @('access-code', 'Show the state of a Telegram access code')
                , @('session', 'Show an automatic Telegram business pairing session')
            }
            'discord' {
                , @('pins', 'Pinned messages')
                , @('roles', 'List the roles of a guild')
            }
            'discord pins' {
                , @('add', 'Pin a message in a channel')
            }
            'ads' {
                , @('audiences', 'Audiences at the ad provider')
            }
            'ads audiences' {
                , @('delete', 'Delete an advertising audience at its provider')
            }
            'credentials' {
                , @('disable', 'Disable a platform app credential and show whom it cuts off')
            }
            'webhooks' {
                , @('create', 'Create a webhook endpoint')
                , @('update', 'Change a webhook endpoint')
                , @('events', 'List the events an endpoint can subscribe to')
            }
            'api' {
                , @('GET', 'GET')
                , @('HEAD', 'HEAD')
                , @('POST', 'POST')
                , @('PUT', 'PUT')
                , @('PATCH', 'PATCH')
                , @('DELETE', 'DELETE')
            }
            'auth' {
                , @('login', 'Store a token for a context')
                , @('logout', 'Forget the stored token of a context')
                , @('status', 'Show where each context''s token comes from')
                , @('token', 'Print the token in use, into a pipe')
            }
            'context' {
                , @('list', 'List the contexts')
                , @('show', 'Show a context')
                , @('use', 'Make a context the one in use')
                , @('set', 'Make a context, or change one')
                , @('delete', 'Delete a context and its stored token')
            }
            'config' {
                , @('get', 'Show the value of a setting')
                , @('set', 'Keep a value for a setting')
                , @('unset', 'Forget the value of a setting')
                , @('list', 'List the settings and their values')
                , @('path', 'Show where settings are kept')
            }
            'config get' {
                , @('account', 'account')
                , @('output', 'output')
                , @('color', 'color')
                , @('timeout', 'timeout')
                , @('retries', 'retries')
                , @('utc', 'utc')
                , @('accessible', 'accessible')
            }
            'config set' {
                , @('account', 'account')
                , @('output', 'output')
                , @('color', 'color')
                , @('timeout', 'timeout')
                , @('retries', 'retries')
                , @('utc', 'utc')
                , @('accessible', 'accessible')
            }
            'config unset' {
                , @('account', 'account')
                , @('output', 'output')
                , @('color', 'color')
                , @('timeout', 'timeout')
                , @('retries', 'retries')
                , @('utc', 'utc')
                , @('accessible', 'accessible')
            }
            'sandbox' {
                , @('serve', 'Run the embedded service until Ctrl-C')
                , @('show', 'Show what the sandbox holds, with an id of every kind')
                , @('reset', 'Start the sandbox over; its token stays the same')
            }
            'history' {
                , @('list', 'List the last changes, the newest first')
                , @('show', 'Show all that is known of a change')
                , @('path', 'Show where the record is kept')
                , @('clear', 'Delete the record')
            }
            'mcp' {
                , @('serve', 'Serve the operations as tools, over standard input and output')
            }
            'schema' {
                , @('posts', 'Read posts, retry failed targets, reply to comments')
                , @('accounts', 'Act through connected accounts')
                , @('connect', 'Choose destinations, follow pairings')
                , @('discord', 'Pins and roles of a Discord guild')
                , @('ads', 'Advertising audiences')
                , @('credentials', 'Platform app credentials')
                , @('webhooks', 'Endpoints that receive events')
            }
            'completion' {
                , @('bash', 'bash')
                , @('zsh', 'zsh')
                , @('fish', 'fish')
                , @('powershell', 'powershell')
            }
            'help' {
                , @('posts', 'Read posts, retry failed targets, reply to comments')
                , @('accounts', 'Act through connected accounts')
                , @('connect', 'Choose destinations, follow pairings')
                , @('discord', 'Pins and roles of a Discord guild')
                , @('ads', 'Advertising audiences')
                , @('credentials', 'Platform app credentials')
                , @('webhooks', 'Endpoints that receive events')
                , @('api', 'Send a request to any path of the service')
                , @('auth', 'Log in, log out, see which token counts')
                , @('context', 'Services by name, with their defaults')
                , @('config', 'Defaults that hold in every context')
                , @('sandbox', 'The embedded service, for trying things out')
                , @('history', 'The changes that were made from this machine')
                , @('mcp', 'The operations as tools for an agent')
                , @('doctor', 'Find what is wrong with this set-up')
                , @('schema', 'Show what a command takes and gives, as JSON Schema')
                , @('commands', 'List every command')
                , @('completion', 'Print the completion script of a shell')
                , @('help', 'Help on a command or a topic')
                , @('environment', 'environment')
                , @('exit-codes', 'exit-codes')
                , @('output', 'output')
                , @('scripting', 'scripting')
                , @('contexts', 'contexts')
                , @('batch', 'batch')
                , @('assumptions', 'assumptions')
            }
            'help posts' {
                , @('get', 'Show a post and the state of its targets')
                , @('reply', 'Reply to a comment on a published target')
                , @('retry', 'Retry the failed platform targets of a post')
                , @('wait', 'Wait until the targets of a post have settled')
            }
            'help accounts' {
                , @('bluesky', 'Direct messages in Bluesky')
                , @('discord', 'Channels of an account''s guild')
                , @('mastodon', 'Favourite, reblog, bookmark and mute statuses')
                , @('tracking-tags', 'Who shares a tracking tag')
            }
            'help accounts bluesky' {
                , @('send', 'Send a direct message into a Bluesky conversation')
            }
            'help accounts discord' {
                , @('channels', 'List the guild channels an account manages')
            }
            'help accounts mastodon' {
                , @('favourite', 'Favourite a Mastodon status')
                , @('favorite', 'Favourite a Mastodon status')
                , @('unfavourite', 'Unfavourite a Mastodon status')
                , @('unfavorite', 'Unfavourite a Mastodon status')
                , @('reblog', 'Reblog a Mastodon status')
                , @('boost', 'Reblog a Mastodon status')
                , @('unreblog', 'Unreblog a Mastodon status')
                , @('unboost', 'Unreblog a Mastodon status')
                , @('bookmark', 'Bookmark a Mastodon status')
                , @('unbookmark', 'Unbookmark a Mastodon status')
                , @('mute', 'Mute a Mastodon status')
                , @('unmute', 'Unmute a Mastodon status')
            }
            'help accounts tracking-tags' {
                , @('shared-accounts', 'List the ad accounts that share a tracking tag')
            }
            'help connect' {
                , @('facebook', 'Facebook pages')
                , @('pinterest', 'Pinterest boards')
                , @('reddit', 'Reddit flairs')
                , @('telegram', 'Telegram pairing')
            }
            'help connect facebook' {
                , @('pages', 'List the Facebook pages of an account and whether it can publish')
            }
            'help connect pinterest' {
                , @('select-board', 'Choose the Pinterest board an account publishes to')
            }
            'help connect reddit' {
                , @('flairs', 'List the post flairs of a subreddit')
            }
            'help connect telegram' {
                , @('access-code', 'Show the state of a Telegram access code')
                , @('session', 'Show an automatic Telegram business pairing session')
            }
            'help discord' {
                , @('pins', 'Pinned messages')
                , @('roles', 'List the roles of a guild')
            }
            'help discord pins' {
                , @('add', 'Pin a message in a channel')
            }
            'help ads' {
                , @('audiences', 'Audiences at the ad provider')
            }
            'help ads audiences' {
                , @('delete', 'Delete an advertising audience at its provider')
            }
            'help credentials' {
                , @('disable', 'Disable a platform app credential and show whom it cuts off')
            }
            'help webhooks' {
                , @('create', 'Create a webhook endpoint')
                , @('update', 'Change a webhook endpoint')
                , @('events', 'List the events an endpoint can subscribe to')
            }
            'help auth' {
                , @('login', 'Store a token for a context')
                , @('logout', 'Forget the stored token of a context')
                , @('status', 'Show where each context''s token comes from')
                , @('token', 'Print the token in use, into a pipe')
            }
            'help context' {
                , @('list', 'List the contexts')
                , @('show', 'Show a context')
                , @('use', 'Make a context the one in use')
                , @('set', 'Make a context, or change one')
                , @('delete', 'Delete a context and its stored token')
            }
            'help config' {
                , @('get', 'Show the value of a setting')
                , @('set', 'Keep a value for a setting')
                , @('unset', 'Forget the value of a setting')
                , @('list', 'List the settings and their values')
                , @('path', 'Show where settings are kept')
            }
            'help sandbox' {
                , @('serve', 'Run the embedded service until Ctrl-C')
                , @('show', 'Show what the sandbox holds, with an id of every kind')
                , @('reset', 'Start the sandbox over; its token stays the same')
            }
            'help history' {
                , @('list', 'List the last changes, the newest first')
                , @('show', 'Show all that is known of a change')
                , @('path', 'Show where the record is kept')
                , @('clear', 'Delete the record')
            }
            'help mcp' {
                , @('serve', 'Serve the operations as tools, over standard input and output')
            }
            'schema posts' {
                , @('get', 'Show a post and the state of its targets')
                , @('reply', 'Reply to a comment on a published target')
                , @('retry', 'Retry the failed platform targets of a post')
                , @('wait', 'Wait until the targets of a post have settled')
            }
            'schema accounts' {
                , @('bluesky', 'Direct messages in Bluesky')
                , @('discord', 'Channels of an account''s guild')
                , @('mastodon', 'Favourite, reblog, bookmark and mute statuses')
                , @('tracking-tags', 'Who shares a tracking tag')
            }
            'schema accounts bluesky' {
                , @('send', 'Send a direct message into a Bluesky conversation')
            }
            'schema accounts discord' {
                , @('channels', 'List the guild channels an account manages')
            }
            'schema accounts mastodon' {
                , @('favourite', 'Favourite a Mastodon status')
                , @('favorite', 'Favourite a Mastodon status')
                , @('unfavourite', 'Unfavourite a Mastodon status')
                , @('unfavorite', 'Unfavourite a Mastodon status')
                , @('reblog', 'Reblog a Mastodon status')
                , @('boost', 'Reblog a Mastodon status')
                , @('unreblog', 'Unreblog a Mastodon status')
                , @('unboost', 'Unreblog a Mastodon status')
                , @('bookmark', 'Bookmark a Mastodon status')
                , @('unbookmark', 'Unbookmark a Mastodon status')
                , @('mute', 'Mute a Mastodon status')
                , @('unmute', 'Unmute a Mastodon status')
            }
            'schema accounts tracking-tags' {
                , @('shared-accounts', 'List the ad accounts that share a tracking tag')
            }
            'schema connect' {
                , @('facebook', 'Facebook pages')
                , @('pinterest', 'Pinterest boards')
                , @('reddit', 'Reddit flairs')
                , @('telegram', 'Telegram pairing')
            }
            'schema connect facebook' {
                , @('pages', 'List the Facebook pages of an account and whether it can publish')
            }
            'schema connect pinterest' {
                , @('select-board', 'Choose the Pinterest board an account publishes to')
            }
            'schema connect reddit' {
                , @('flairs', 'List the post flairs of a subreddit')
            }
            'schema connect telegram' {
                , @('access-code', 'Show the state of a Telegram access code')
                , @('session', 'Show an automatic Telegram business pairing session')
            }
            'schema discord' {
                , @('pins', 'Pinned messages')
                , @('roles', 'List the roles of a guild')
            }
            'schema discord pins' {
                , @('add', 'Pin a message in a channel')
            }
            'schema ads' {
                , @('audiences', 'Audiences at the ad provider')
            }
            'schema ads audiences' {
                , @('delete', 'Delete an advertising audience at its provider')
            }
            'schema credentials' {
                , @('disable', 'Disable a platform app credential and show whom it cuts off')
            }
            'schema webhooks' {
                , @('create', 'Create a webhook endpoint')
                , @('update', 'Change a webhook endpoint')
            }
        }
    }

    # What the program is asked for at each operand of a place; a last * stands for as many as are typed.
    function Asks([string] $place) {
        switch -CaseSensitive -Exact ($place) {
            'posts get' { return 'post', '*' }
            'posts reply' { return 'post' }
            'posts retry' { return 'post', '*' }
            'posts wait' { return 'post', '*' }
            'accounts bluesky send' { return 'conversation' }
            'accounts mastodon favourite' { return 'status', '*' }
            'accounts mastodon unfavourite' { return 'status', '*' }
            'accounts mastodon reblog' { return 'status', '*' }
            'accounts mastodon unreblog' { return 'status', '*' }
            'accounts mastodon bookmark' { return 'status', '*' }
            'accounts mastodon unbookmark' { return 'status', '*' }
            'accounts mastodon mute' { return 'status', '*' }
            'accounts mastodon unmute' { return 'status', '*' }
            'accounts tracking-tags shared-accounts' { return 'tag' }
            'discord pins add' { return 'channel', 'message' }
            'discord roles' { return 'guild' }
            'ads audiences delete' { return 'audience', '*' }
            'credentials disable' { return 'credential', '*' }
            'webhooks update' { return 'webhook' }
            'context show' { return 'context' }
            'context use' { return 'context' }
            'context set' { return 'context' }
            'context delete' { return 'context' }
            'history show' { return 'change' }
        }
    }

    function Flags([string] $place) {
        switch -CaseSensitive -Exact ($place) {
            '' {
                , @('-V', 'Show the version')
                , @('--version', 'Show the version')
            }
            'posts get' {
                , @('--from', 'A record a line: ids, JSON or CSV; - for standard input')
                , @('--allow-empty', 'No records at all are nothing to do, not a mistake')
                , @('--concurrency', 'Requests under way at once, 1 to 32 (8)')
                , @('--rate', 'At most so many requests, e.g. 10/s or 90/m')
                , @('--fail-fast', 'Start nothing more after the first failure')
                , @('--max-failures', 'Start nothing more after n failures')
                , @('--failures-to', 'Write the failed records here, for another --from')
                , @('--shard', 'Do only part i of n of the records')
                , @('--journal', 'Keep what was done, and go on from there; auto picks a place')
                , @('--retry-unknown', 'With --journal: send again what has an unknown outcome')
            }
            'posts reply' {
                , @('--target', 'Published target to reply on')
                , @('--text', 'Text of the reply, 1 to 300 characters')
                , @('--text-file', 'Read the text from a file, or from standard input with -')
                , @('--editor', 'Write the text in $VISUAL or $EDITOR')
                , @('--root-uri', 'Bluesky: URI of the thread''s root')
                , @('--root-cid', 'Bluesky: CID of the thread''s root')
                , @('--parent-uri', 'Bluesky: URI of the comment to answer')
                , @('--parent-cid', 'Bluesky: CID of the comment to answer')
                , @('--parent-status-id', 'Mastodon: status to answer')
                , @('--from', 'A record a line: ids, JSON or CSV; - for standard input')
                , @('--allow-empty', 'No records at all are nothing to do, not a mistake')
                , @('--concurrency', 'Requests under way at once, 1 to 32 (8)')
                , @('--rate', 'At most so many requests, e.g. 10/s or 90/m')
                , @('--fail-fast', 'Start nothing more after the first failure')
                , @('--max-failures', 'Start nothing more after n failures')
                , @('--failures-to', 'Write the failed records here, for another --from')
                , @('--shard', 'Do only part i of n of the records')
                , @('--journal', 'Keep what was done, and go on from there; auto picks a place')
                , @('--retry-unknown', 'With --journal: send again what has an unknown outcome')
            }
            'posts retry' {
                , @('--target', 'Retry only this target; repeatable')
                , @('--failed', 'Read the post first and name only its failed targets')
                , @('-i', 'Choose from the failed targets, on a terminal')
                , @('--interactive', 'Choose from the failed targets, on a terminal')
                , @('--wait', 'Stay until the targets have settled')
                , @('--for', 'Status that is a good end too, besides published; repeatable')
                , @('--wait-timeout', 'Longest wait (10m)')
                , @('--interval', 'Time between looks at first; grows to 15s (3s)')
                , @('--from', 'A record a line: ids, JSON or CSV; - for standard input')
                , @('--allow-empty', 'No records at all are nothing to do, not a mistake')
                , @('--concurrency', 'Requests under way at once, 1 to 32 (8)')
                , @('--rate', 'At most so many requests, e.g. 10/s or 90/m')
                , @('--fail-fast', 'Start nothing more after the first failure')
                , @('--max-failures', 'Start nothing more after n failures')
                , @('--failures-to', 'Write the failed records here, for another --from')
                , @('--shard', 'Do only part i of n of the records')
                , @('--journal', 'Keep what was done, and go on from there; auto picks a place')
                , @('--retry-unknown', 'With --journal: send again what has an unknown outcome')
            }
            'posts wait' {
                , @('--target', 'Only this target counts; repeatable')
                , @('--for', 'Status that is a good end too, besides published; repeatable')
                , @('--wait-timeout', 'Longest wait (10m)')
                , @('--interval', 'Time between looks at first; grows to 15s (3s)')
                , @('--from', 'A record a line: ids, JSON or CSV; - for standard input')
                , @('--allow-empty', 'No records at all are nothing to do, not a mistake')
                , @('--concurrency', 'Requests under way at once, 1 to 32 (8)')
                , @('--rate', 'At most so many requests, e.g. 10/s or 90/m')
                , @('--fail-fast', 'Start nothing more after the first failure')
                , @('--max-failures', 'Start nothing more after n failures')
                , @('--failures-to', 'Write the failed records here, for another --from')
                , @('--shard', 'Do only part i of n of the records')
                , @('--journal', 'Keep what was done, and go on from there; auto picks a place')
                , @('--retry-unknown', 'With --journal: send again what has an unknown outcome')
            }
            'accounts bluesky send' {
                , @('--text', 'Text of the message, 1 to 10000 characters')
                , @('--text-file', 'Read the text from a file, or from standard input with -')
                , @('--editor', 'Write the text in $VISUAL or $EDITOR')
                , @('--from', 'A record a line: ids, JSON or CSV; - for standard input')
                , @('--allow-empty', 'No records at all are nothing to do, not a mistake')
                , @('--concurrency', 'Requests under way at once, 1 to 32 (8)')
                , @('--rate', 'At most so many requests, e.g. 10/s or 90/m')
                , @('--fail-fast', 'Start nothing more after the first failure')
                , @('--max-failures', 'Start nothing more after n failures')
                , @('--failures-to', 'Write the failed records here, for another --from')
                , @('--shard', 'Do only part i of n of the records')
                , @('--journal', 'Keep what was done, and go on from there; auto picks a place')
                , @('--retry-unknown', 'With --journal: send again what has an unknown outcome')
            }
            'accounts discord channels' {
                , @('--from', 'A record a line: ids, JSON or CSV; - for standard input')
                , @('--allow-empty', 'No records at all are nothing to do, not a mistake')
                , @('--concurrency', 'Requests under way at once, 1 to 32 (8)')
                , @('--rate', 'At most so many requests, e.g. 10/s or 90/m')
                , @('--fail-fast', 'Start nothing more after the first failure')
                , @('--max-failures', 'Start nothing more after n failures')
                , @('--failures-to', 'Write the failed records here, for another --from')
                , @('--shard', 'Do only part i of n of the records')
                , @('--journal', 'Keep what was done, and go on from there; auto picks a place')
                , @('--retry-unknown', 'With --journal: send again what has an unknown outcome')
            }
            'accounts mastodon favourite' {
                , @('--from', 'A record a line: ids, JSON or CSV; - for standard input')
                , @('--allow-empty', 'No records at all are nothing to do, not a mistake')
                , @('--concurrency', 'Requests under way at once, 1 to 32 (8)')
                , @('--rate', 'At most so many requests, e.g. 10/s or 90/m')
                , @('--fail-fast', 'Start nothing more after the first failure')
                , @('--max-failures', 'Start nothing more after n failures')
                , @('--failures-to', 'Write the failed records here, for another --from')
                , @('--shard', 'Do only part i of n of the records')
                , @('--journal', 'Keep what was done, and go on from there; auto picks a place')
                , @('--retry-unknown', 'With --journal: send again what has an unknown outcome')
            }
            'accounts mastodon unfavourite' {
                , @('--from', 'A record a line: ids, JSON or CSV; - for standard input')
                , @('--allow-empty', 'No records at all are nothing to do, not a mistake')
                , @('--concurrency', 'Requests under way at once, 1 to 32 (8)')
                , @('--rate', 'At most so many requests, e.g. 10/s or 90/m')
                , @('--fail-fast', 'Start nothing more after the first failure')
                , @('--max-failures', 'Start nothing more after n failures')
                , @('--failures-to', 'Write the failed records here, for another --from')
                , @('--shard', 'Do only part i of n of the records')
                , @('--journal', 'Keep what was done, and go on from there; auto picks a place')
                , @('--retry-unknown', 'With --journal: send again what has an unknown outcome')
            }
            'accounts mastodon reblog' {
                , @('--from', 'A record a line: ids, JSON or CSV; - for standard input')
                , @('--allow-empty', 'No records at all are nothing to do, not a mistake')
                , @('--concurrency', 'Requests under way at once, 1 to 32 (8)')
                , @('--rate', 'At most so many requests, e.g. 10/s or 90/m')
                , @('--fail-fast', 'Start nothing more after the first failure')
                , @('--max-failures', 'Start nothing more after n failures')
                , @('--failures-to', 'Write the failed records here, for another --from')
                , @('--shard', 'Do only part i of n of the records')
                , @('--journal', 'Keep what was done, and go on from there; auto picks a place')
                , @('--retry-unknown', 'With --journal: send again what has an unknown outcome')
            }
            'accounts mastodon unreblog' {
                , @('--from', 'A record a line: ids, JSON or CSV; - for standard input')
                , @('--allow-empty', 'No records at all are nothing to do, not a mistake')
                , @('--concurrency', 'Requests under way at once, 1 to 32 (8)')
                , @('--rate', 'At most so many requests, e.g. 10/s or 90/m')
                , @('--fail-fast', 'Start nothing more after the first failure')
                , @('--max-failures', 'Start nothing more after n failures')
                , @('--failures-to', 'Write the failed records here, for another --from')
                , @('--shard', 'Do only part i of n of the records')
                , @('--journal', 'Keep what was done, and go on from there; auto picks a place')
                , @('--retry-unknown', 'With --journal: send again what has an unknown outcome')
            }
            'accounts mastodon bookmark' {
                , @('--from', 'A record a line: ids, JSON or CSV; - for standard input')
                , @('--allow-empty', 'No records at all are nothing to do, not a mistake')
                , @('--concurrency', 'Requests under way at once, 1 to 32 (8)')
                , @('--rate', 'At most so many requests, e.g. 10/s or 90/m')
                , @('--fail-fast', 'Start nothing more after the first failure')
                , @('--max-failures', 'Start nothing more after n failures')
                , @('--failures-to', 'Write the failed records here, for another --from')
                , @('--shard', 'Do only part i of n of the records')
                , @('--journal', 'Keep what was done, and go on from there; auto picks a place')
                , @('--retry-unknown', 'With --journal: send again what has an unknown outcome')
            }
            'accounts mastodon unbookmark' {
                , @('--from', 'A record a line: ids, JSON or CSV; - for standard input')
                , @('--allow-empty', 'No records at all are nothing to do, not a mistake')
                , @('--concurrency', 'Requests under way at once, 1 to 32 (8)')
                , @('--rate', 'At most so many requests, e.g. 10/s or 90/m')
                , @('--fail-fast', 'Start nothing more after the first failure')
                , @('--max-failures', 'Start nothing more after n failures')
                , @('--failures-to', 'Write the failed records here, for another --from')
                , @('--shard', 'Do only part i of n of the records')
                , @('--journal', 'Keep what was done, and go on from there; auto picks a place')
                , @('--retry-unknown', 'With --journal: send again what has an unknown outcome')
            }
            'accounts mastodon mute' {
                , @('--from', 'A record a line: ids, JSON or CSV; - for standard input')
                , @('--allow-empty', 'No records at all are nothing to do, not a mistake')
                , @('--concurrency', 'Requests under way at once, 1 to 32 (8)')
                , @('--rate', 'At most so many requests, e.g. 10/s or 90/m')
                , @('--fail-fast', 'Start nothing more after the first failure')
                , @('--max-failures', 'Start nothing more after n failures')
                , @('--failures-to', 'Write the failed records here, for another --from')
                , @('--shard', 'Do only part i of n of the records')
                , @('--journal', 'Keep what was done, and go on from there; auto picks a place')
                , @('--retry-unknown', 'With --journal: send again what has an unknown outcome')
            }
            'accounts mastodon unmute' {
                , @('--from', 'A record a line: ids, JSON or CSV; - for standard input')
                , @('--allow-empty', 'No records at all are nothing to do, not a mistake')
                , @('--concurrency', 'Requests under way at once, 1 to 32 (8)')
                , @('--rate', 'At most so many requests, e.g. 10/s or 90/m')
                , @('--fail-fast', 'Start nothing more after the first failure')
                , @('--max-failures', 'Start nothing more after n failures')
                , @('--failures-to', 'Write the failed records here, for another --from')
                , @('--shard', 'Do only part i of n of the records')
                , @('--journal', 'Keep what was done, and go on from there; auto picks a place')
                , @('--retry-unknown', 'With --journal: send again what has an unknown outcome')
            }
            'accounts tracking-tags shared-accounts' {
                , @('--from', 'A record a line: ids, JSON or CSV; - for standard input')
                , @('--allow-empty', 'No records at all are nothing to do, not a mistake')
                , @('--concurrency', 'Requests under way at once, 1 to 32 (8)')
                , @('--rate', 'At most so many requests, e.g. 10/s or 90/m')
                , @('--fail-fast', 'Start nothing more after the first failure')
                , @('--max-failures', 'Start nothing more after n failures')
                , @('--failures-to', 'Write the failed records here, for another --from')
                , @('--shard', 'Do only part i of n of the records')
                , @('--journal', 'Keep what was done, and go on from there; auto picks a place')
                , @('--retry-unknown', 'With --journal: send again what has an unknown outcome')
            }
            'connect facebook pages' {
                , @('--require-ready', 'Exit 10 unless the account is ready to publish')
                , @('--from', 'A record a line: ids, JSON or CSV; - for standard input')
                , @('--allow-empty', 'No records at all are nothing to do, not a mistake')
                , @('--concurrency', 'Requests under way at once, 1 to 32 (8)')
                , @('--rate', 'At most so many requests, e.g. 10/s or 90/m')
                , @('--fail-fast', 'Start nothing more after the first failure')
                , @('--max-failures', 'Start nothing more after n failures')
                , @('--failures-to', 'Write the failed records here, for another --from')
                , @('--shard', 'Do only part i of n of the records')
                , @('--journal', 'Keep what was done, and go on from there; auto picks a place')
                , @('--retry-unknown', 'With --journal: send again what has an unknown outcome')
            }
            'connect pinterest select-board' {
                , @('--profile', 'Profile to attach the board to')
                , @('--board', 'Board to publish to')
                , @('--from', 'A record a line: ids, JSON or CSV; - for standard input')
                , @('--allow-empty', 'No records at all are nothing to do, not a mistake')
                , @('--concurrency', 'Requests under way at once, 1 to 32 (8)')
                , @('--rate', 'At most so many requests, e.g. 10/s or 90/m')
                , @('--fail-fast', 'Start nothing more after the first failure')
                , @('--max-failures', 'Start nothing more after n failures')
                , @('--failures-to', 'Write the failed records here, for another --from')
                , @('--shard', 'Do only part i of n of the records')
                , @('--journal', 'Keep what was done, and go on from there; auto picks a place')
                , @('--retry-unknown', 'With --journal: send again what has an unknown outcome')
            }
            'connect reddit flairs' {
                , @('--subreddit', 'Subreddit, without r/')
                , @('--from', 'A record a line: ids, JSON or CSV; - for standard input')
                , @('--allow-empty', 'No records at all are nothing to do, not a mistake')
                , @('--concurrency', 'Requests under way at once, 1 to 32 (8)')
                , @('--rate', 'At most so many requests, e.g. 10/s or 90/m')
                , @('--fail-fast', 'Start nothing more after the first failure')
                , @('--max-failures', 'Start nothing more after n failures')
                , @('--failures-to', 'Write the failed records here, for another --from')
                , @('--shard', 'Do only part i of n of the records')
                , @('--journal', 'Keep what was done, and go on from there; auto picks a place')
                , @('--retry-unknown', 'With --journal: send again what has an unknown outcome')
            }
            'connect telegram access-code' {
                , @('--wait', 'Stay until it is paired or over')
                , @('--wait-timeout', 'Longest wait (10m)')
                , @('--interval', 'Time between looks at first; grows to 15s (3s)')
                , @('--from', 'A record a line: ids, JSON or CSV; - for standard input')
                , @('--allow-empty', 'No records at all are nothing to do, not a mistake')
                , @('--concurrency', 'Requests under way at once, 1 to 32 (8)')
                , @('--rate', 'At most so many requests, e.g. 10/s or 90/m')
                , @('--fail-fast', 'Start nothing more after the first failure')
                , @('--max-failures', 'Start nothing more after n failures')
                , @('--failures-to', 'Write the failed records here, for another --from')
                , @('--shard', 'Do only part i of n of the records')
                , @('--journal', 'Keep what was done, and go on from there; auto picks a place')
                , @('--retry-unknown', 'With --journal: send again what has an unknown outcome')
            }
            'connect telegram session' {
                , @('--wait', 'Stay until it is paired or over')
                , @('--wait-timeout', 'Longest wait (10m)')
                , @('--interval', 'Time between looks at first; grows to 15s (3s)')
                , @('--from', 'A record a line: ids, JSON or CSV; - for standard input')
                , @('--allow-empty', 'No records at all are nothing to do, not a mistake')
                , @('--concurrency', 'Requests under way at once, 1 to 32 (8)')
                , @('--rate', 'At most so many requests, e.g. 10/s or 90/m')
                , @('--fail-fast', 'Start nothing more after the first failure')
                , @('--max-failures', 'Start nothing more after n failures')
                , @('--failures-to', 'Write the failed records here, for another --from')
                , @('--shard', 'Do only part i of n of the records')
                , @('--journal', 'Keep what was done, and go on from there; auto picks a place')
                , @('--retry-unknown', 'With --journal: send again what has an unknown outcome')
            }
            'discord pins add' {
                , @('--from', 'A record a line: ids, JSON or CSV; - for standard input')
                , @('--allow-empty', 'No records at all are nothing to do, not a mistake')
                , @('--concurrency', 'Requests under way at once, 1 to 32 (8)')
                , @('--rate', 'At most so many requests, e.g. 10/s or 90/m')
                , @('--fail-fast', 'Start nothing more after the first failure')
                , @('--max-failures', 'Start nothing more after n failures')
                , @('--failures-to', 'Write the failed records here, for another --from')
                , @('--shard', 'Do only part i of n of the records')
                , @('--journal', 'Keep what was done, and go on from there; auto picks a place')
                , @('--retry-unknown', 'With --journal: send again what has an unknown outcome')
            }
            'discord roles' {
                , @('--from', 'A record a line: ids, JSON or CSV; - for standard input')
                , @('--allow-empty', 'No records at all are nothing to do, not a mistake')
                , @('--concurrency', 'Requests under way at once, 1 to 32 (8)')
                , @('--rate', 'At most so many requests, e.g. 10/s or 90/m')
                , @('--fail-fast', 'Start nothing more after the first failure')
                , @('--max-failures', 'Start nothing more after n failures')
                , @('--failures-to', 'Write the failed records here, for another --from')
                , @('--shard', 'Do only part i of n of the records')
                , @('--journal', 'Keep what was done, and go on from there; auto picks a place')
                , @('--retry-unknown', 'With --journal: send again what has an unknown outcome')
            }
            'ads audiences delete' {
                , @('--from', 'A record a line: ids, JSON or CSV; - for standard input')
                , @('--allow-empty', 'No records at all are nothing to do, not a mistake')
                , @('--concurrency', 'Requests under way at once, 1 to 32 (8)')
                , @('--rate', 'At most so many requests, e.g. 10/s or 90/m')
                , @('--fail-fast', 'Start nothing more after the first failure')
                , @('--max-failures', 'Start nothing more after n failures')
                , @('--failures-to', 'Write the failed records here, for another --from')
                , @('--shard', 'Do only part i of n of the records')
                , @('--journal', 'Keep what was done, and go on from there; auto picks a place')
                , @('--retry-unknown', 'With --journal: send again what has an unknown outcome')
            }
            'credentials disable' {
                , @('--from', 'A record a line: ids, JSON or CSV; - for standard input')
                , @('--allow-empty', 'No records at all are nothing to do, not a mistake')
                , @('--concurrency', 'Requests under way at once, 1 to 32 (8)')
                , @('--rate', 'At most so many requests, e.g. 10/s or 90/m')
                , @('--fail-fast', 'Start nothing more after the first failure')
                , @('--max-failures', 'Start nothing more after n failures')
                , @('--failures-to', 'Write the failed records here, for another --from')
                , @('--shard', 'Do only part i of n of the records')
                , @('--journal', 'Keep what was done, and go on from there; auto picks a place')
                , @('--retry-unknown', 'With --journal: send again what has an unknown outcome')
            }
            'webhooks create' {
                , @('--url', 'Address that receives the events')
                , @('--event', 'Event to subscribe to; see social webhooks events; repeatable')
                , @('--all-events', 'Every one of the 12 events')
                , @('--name', 'Name, 1 to 160 characters')
                , @('--secret-file', 'Signing secret, 8 to 1024 characters, read from a file, or from standard input with -')
                , @('--secret-env', 'Read the secret from this environment variable')
                , @('--generate-secret', 'Make a strong one; needs --secret-out')
                , @('--secret-out', 'New private file that receives the secret made here')
                , @('--active', 'Deliver events')
                , @('--inactive', 'Hold events back')
                , @('--header', 'Header to add to each delivery; repeatable')
                , @('--from', 'A record a line: ids, JSON or CSV; - for standard input')
                , @('--allow-empty', 'No records at all are nothing to do, not a mistake')
                , @('--concurrency', 'Requests under way at once, 1 to 32 (8)')
                , @('--rate', 'At most so many requests, e.g. 10/s or 90/m')
                , @('--fail-fast', 'Start nothing more after the first failure')
                , @('--max-failures', 'Start nothing more after n failures')
                , @('--failures-to', 'Write the failed records here, for another --from')
                , @('--shard', 'Do only part i of n of the records')
                , @('--journal', 'Keep what was done, and go on from there; auto picks a place')
                , @('--retry-unknown', 'With --journal: send again what has an unknown outcome')
            }
            'webhooks update' {
                , @('--url', 'Address that receives the events')
                , @('--event', 'Replace the events with this one; see social webhooks events; repeatable')
                , @('--all-events', 'Every one of the 12 events')
                , @('--name', 'Name, 1 to 160 characters')
                , @('--secret-file', 'Signing secret, 8 to 1024 characters, read from a file, or from standard input with -')
                , @('--secret-env', 'Read the secret from this environment variable')
                , @('--generate-secret', 'Make a strong one; needs --secret-out')
                , @('--secret-out', 'New private file that receives the secret made here')
                , @('--clear-secret', 'Remove the secret')
                , @('--active', 'Deliver events')
                , @('--inactive', 'Hold events back')
                , @('--header', 'Replace the headers of each delivery with this one; repeatable')
                , @('--clear-headers', 'Remove the headers')
                , @('--from', 'A record a line: ids, JSON or CSV; - for standard input')
                , @('--allow-empty', 'No records at all are nothing to do, not a mistake')
                , @('--concurrency', 'Requests under way at once, 1 to 32 (8)')
                , @('--rate', 'At most so many requests, e.g. 10/s or 90/m')
                , @('--fail-fast', 'Start nothing more after the first failure')
                , @('--max-failures', 'Start nothing more after n failures')
                , @('--failures-to', 'Write the failed records here, for another --from')
                , @('--shard', 'Do only part i of n of the records')
                , @('--journal', 'Keep what was done, and go on from there; auto picks a place')
                , @('--retry-unknown', 'With --journal: send again what has an unknown outcome')
            }
            'api' {
                , @('-f', 'A field with a text; repeatable')
                , @('--field', 'A field with a text; repeatable')
                , @('-F', 'A field with a number, true, null, a list, an object; repeatable')
                , @('--json-field', 'A field with a number, true, null, a list, an object; repeatable')
                , @('--input', 'The JSON body; - for standard input')
                , @('-H', 'A further header; repeatable')
                , @('--header', 'A further header; repeatable')
                , @('--whole', 'The whole answer, not only its data')
            }
            'auth login' {
                , @('--insecure-storage', 'Keep it in the private file without trying the keychain')
                , @('--no-check', 'Store the token without asking the service about it')
            }
            'auth status' {
                , @('--check', 'Send one harmless request with the token in use')
            }
            'context set' {
                , @('--token-command', 'Program that prints the token, e.g. "pass show social"; run without a shell')
                , @('--protected', 'Ask before every change')
                , @('--no-protected', 'Ask only before deleting and disabling')
                , @('--no-account', 'Remove the default account')
                , @('--no-output', 'Remove the default output')
                , @('--no-token-command', 'Remove the token command')
            }
            'config list' {
                , @('--show-origin', 'Also where each value comes from')
            }
            'sandbox serve' {
                , @('--port', 'Port to listen on; 0 takes any (0)')
                , @('--state', 'Start over in this state; what is there is lost')
                , @('--chaos', 'Make faults on purpose; none without it')
                , @('--seed', 'With --chaos: which requests meet them (random)')
                , @('--record', 'New private file with a line for each request')
            }
            'sandbox show' {
                , @('--ids', 'List the ids of this kind')
            }
            'sandbox reset' {
                , @('--state', 'What to start with (demo)')
            }
            'history list' {
                , @('--since', 'Only changes of this time, e.g. 30m, 12h, 7d')
                , @('--op', 'Only changes of this command, e.g. "posts retry"')
                , @('--limit', 'At most so many (50)')
            }
            'mcp serve' {
                , @('--allow-writes', 'Also serve the tools that change something')
            }
            'doctor' {
                , @('--network', 'Send the service one harmless request, and compare clocks')
            }
            'schema' {
                , @('--openapi', 'The operations of the service as OpenAPI 3.1 instead')
            }
        }
        , @('-C', 'Use this context; sandbox is the embedded service')
        , @('--context', 'Use this context; sandbox is the embedded service')
        , @('--base-url', 'Address of the service')
        , @('-a', 'Connected account that acts')
        , @('--account', 'Connected account that acts')
        , @('--json', 'The service''s data as JSON; same as -o json')
        , @('-o', 'table, json, ndjson or tsv')
        , @('--output', 'table, json, ndjson or tsv')
        , @('--fields', 'Only these fields, e.g. status,targets.id')
        , @('--jq', 'Put the JSON through jq; strings are printed raw, one result a line')
        , @('--utc', 'Exact UTC times instead of relative ones')
        , @('-q', 'No notes or warnings on stderr')
        , @('--quiet', 'No notes or warnings on stderr')
        , @('--color', 'auto, always or never')
        , @('--no-color', 'Same as --color never')
        , @('--accessible', 'Plain lines: numbered questions, no redrawing')
        , @('-n', 'Show the request as it would leave; send nothing')
        , @('--dry-run', 'Show the request as it would leave; send nothing')
        , @('--curl', 'The same as a curl line, token as $SOCIAL_TOKEN')
        , @('--strict', 'A read that is not answered as the API document says ends with 9')
        , @('-y', 'Answer yes to the question before a change')
        , @('--yes', 'Answer yes to the question before a change')
        , @('--confirm', 'Consent to deleting or disabling this id')
        , @('--force-unlock', 'Take over the lock of this holder; only where its process has ended')
        , @('--no-input', 'Never ask anything')
        , @('--timeout', 'Time for one attempt, e.g. 500ms, 30s, 5m (30s)')
        , @('--retries', 'Further attempts where repeating is safe (2)')
        , @('--query', 'Add or override a query parameter')
        , @('--cacert', 'Trust these certificate authorities alone, PEM')
        , @('--debug', 'HTTP on stderr, secrets masked')
        , @('-h', 'Show this help')
        , @('--help', 'Show this help')
    }

    # What this machine may know: pairs of a value and a word. Only plain words go along, for the program may be a
    # batch file, whose shell would take others for more than words.
    function Ask([string] $what) {
        $plain = @($words | Where-Object { $_ -cmatch '^[\w=:./-]+$' })
        $lines = @(social __complete $what @plain 2>$null)
        foreach ($line in $lines) {
            $value, $text = "$line" -split "`t", 2
            if ("$text" -eq '') { $text = $value }
            if ("$value" -ne '') { , @("$before$value", $text) }
        }
    }

    $place = ''
    $wanted = $null
    $operands = 0
    $only = $false
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
        ForEach-Object { $_.Extent.Text })
    foreach ($word in $words) {
        if ($null -ne $wanted) { $wanted = $null; continue }
        if (-not $only -and $word -ceq '--') { $only = $true; continue }
        if (-not $only -and $word -clike '--*=*') { continue }
        if (-not $only -and $word -clike '-?*') { $wanted = Value $place $word; continue }
        $next = if ($only) { '' } else { Step ("$place $word".Trim()) }
        if ($next -ne '') { $place = $next } else { $operands += 1 }
    }

    $typed = "$wordToComplete"
    $before = ''
    $kind = 'ParameterValue'
    if ($null -eq $wanted -and -not $only -and $typed -clike '--*=*') {
        $flag = $typed.Substring(0, $typed.IndexOf('='))
        $wanted = Value $place $flag
        $before = "$flag="
    }
    if ($null -ne $wanted) {
        # Where nothing is returned PowerShell offers files.
        if ("$wanted" -ceq '<files>') { return }
        if ("$wanted" -clike '<ask:*>') {
            $candidates = @(Ask ("$wanted".Substring(5).TrimEnd('>')))
        } else {
            $candidates = @($wanted | Where-Object { $_ -cne '<value>' } | ForEach-Object { , @("$before$_", $_) })
        }
    } elseif ($typed.StartsWith('-') -and -not $only) {
        $candidates = @(Flags $place)
        $kind = 'ParameterName'
    } else {
        $candidates = @(if ($operands -eq 0 -and -not $only) { Offers $place })
        $asks = @(Asks $place)
        $last = $asks.Count - 1
        if ($last -ge 0 -and $asks[$last] -ceq '*') {
            $at = [Math]::Min($operands, $last - 1)
        } else {
            $at = $operands
        }
        if ($at -le $last -and $asks[$at] -cne '') { $candidates += @(Ask $asks[$at]) }
    }
    $found = @($candidates | Where-Object { $_[0].StartsWith($typed, [System.StringComparison]::Ordinal) })
    # An empty text keeps PowerShell from offering files where an id is wanted.
    if ($found.Count -eq 0) { return '' }
    $found | ForEach-Object {
        [System.Management.Automation.CompletionResult]::new($_[0], $_[0], $kind, $_[1])
    }
}
