# The events, without a service or a token.
$ social webhooks events
EVENT
post.scheduled
post.updated
post.published
post.unpublished
post.failed
post.partial
post.recycled
account.connected
account.disconnected
ad.created
ad.status_changed
account.ads.initial_sync_completed

# An endpoint. Its name is the host's unless it is given.
$ social webhooks create --url https://ops.example.com/hook --event post.failed,post.partial
name:        ops.example.com
id:          nYWIaOmKdZCznwcU
url:         https://ops.example.com/hook
events:      post.failed, post.partial
active:      yes
secret:      no
headers:     -
failures:    0
last fired:  -
disabled:    -
! name set to ops.example.com, the host of the URL; use --name for another
! ✓ Created the endpoint ops.example.com: nYWIaOmKdZCznwcU
$ social webhooks create --url https://ops.example.com/all --all-events --name "Everything" --inactive --header "X-Team: growth"
name:        Everything
id:          XXYHnfUZvQpgSOfb
url:         https://ops.example.com/all
events:      post.scheduled, post.updated, post.published, post.unpublished,
             post.failed, post.partial, post.recycled, account.connected,
             account.disconnected, ad.created, ad.status_changed,
             account.ads.initial_sync_completed
active:      no
secret:      no
headers:     X-Team: [redacted]
failures:    0
last fired:  -
disabled:    -
! ✓ Created the endpoint Everything: XXYHnfUZvQpgSOfb

# A change: only what is named.
$ social webhooks update WebhookAlertsOps --inactive
name:        Alerts for operations
id:          WebhookAlertsOps
url:         https://ops.example.com/hooks/social
events:      post.failed, post.partial, account.disconnected
active:      no
secret:      yes
headers:     X-Team: [redacted]
failures:    0
last fired:  2 hours ago
disabled:    -
! ✓ The endpoint Alerts for operations is inactive now
$ social webhooks update WebhookAlertsOps --clear-secret --clear-headers
name:        Alerts for operations
id:          WebhookAlertsOps
url:         https://ops.example.com/hooks/social
events:      post.failed, post.partial, account.disconnected
active:      no
secret:      no
headers:     -
failures:    0
last fired:  2 hours ago
disabled:    -
! ✓ Updated the endpoint Alerts for operations
$ social webhooks update WebhookAlertsOps
! error: webhooks update has nothing to change
!   use one of --url, --event, --name, --secret-file, --active, --header
! try: social webhooks update --help
[exit 2]

# A secret comes from a variable or a file, and is not shown in what would be sent.
@ env HOOK_SECRET=correct-horse-battery
$ social webhooks update WebhookAlertsOps --secret-env HOOK_SECRET --dry-run
PATCH http://sandbox.localhost/v1/webhooks
accept: application/json
accept-encoding: identity
content-type: application/json
user-agent: social/0.1.0
authorization: Bearer $SOCIAL_TOKEN
.
{"id":"WebhookAlertsOps","secret":"[redacted]"}
$ social webhooks update WebhookAlertsOps --secret-env HOOK_SECRET
name:        Alerts for operations
id:          WebhookAlertsOps
url:         https://ops.example.com/hooks/social
events:      post.failed, post.partial, account.disconnected
active:      no
secret:      yes
headers:     -
failures:    0
last fired:  2 hours ago
disabled:    -
! ✓ Updated the endpoint Alerts for operations
$ social webhooks update WebhookAlertsOps --secret-env NO_SUCH_VARIABLE
! error: --secret-env refers to NO_SUCH_VARIABLE, which is not set
! try: social webhooks update --help
[exit 2]

# --event and --header replace the whole list; the answer shows what is there now.
$ social webhooks update WebhookAlertsOps --event post.failed --header "X-Team: ops"
name:        Alerts for operations
id:          WebhookAlertsOps
url:         https://ops.example.com/hooks/social
events:      post.failed
active:      no
secret:      yes
headers:     X-Team: [redacted]
failures:    0
last fired:  2 hours ago
disabled:    -
! --event replaces all events of this endpoint
! --header replaces all custom headers of this endpoint
! ✓ Updated the endpoint Alerts for operations
