@ pipe

# In a pipe the same rows are tab-separated, without a heading and with nothing cut.
$ social posts get PostSpringLaunch
twitter	published	TargetSpringTwit	-	https://twitter.example/@riverbank/188555385825580625	2026-03-02T10:00:00.000Z	AccountTwitterAa
linkedin	failed	TargetSpringLink	The LinkedIn access token had expired when the post went out; it has been renewed since.	-	2026-03-02T10:00:00.000Z	AccountLinkedInA
mastodon	failed	TargetSpringMast	mastodon.example answered 503 Service Unavailable after 3 attempts.	-	2026-03-02T10:00:00.000Z	AccountMastodonA
bluesky	published	TargetSpringBlue	-	https://bluesky.example/profile/riverbank.example/post/3ke5mkeojerza	2026-03-02T10:00:00.000Z	AccountBlueskyAa

# Only some fields, one row a target.
$ social posts get PostSpringLaunch --fields targets.platform,targets.status,status
twitter	published	partial
linkedin	failed	partial
mastodon	failed	partial
bluesky	published	partial

# The same as JSON, cut down to them.
$ social posts get PostSpringLaunch --fields targets.platform,targets.status,status --json
{"targets":[{"platform":"twitter","status":"published"},{"platform":"linkedin","status":"failed"},{"platform":"mastodon","status":"failed"},{"platform":"bluesky","status":"published"}],"status":"partial"}

# One line an item.
$ social posts get PostSpringLaunch -o ndjson --fields targets.id,targets.status
{"id":"TargetSpringTwit","status":"published"}
{"id":"TargetSpringLink","status":"failed"}
{"id":"TargetSpringMast","status":"failed"}
{"id":"TargetSpringBlue","status":"published"}

# Several posts at once: a line each, also for the one that fails.
$ social posts get PostAutumnRecaps PostNowhereToSee --json --fields id,status
{"line":1,"input":{"postId":"PostAutumnRecaps"},"ok":true,"exitCode":0,"data":{"id":"PostAutumnRecaps","status":"published"}}
{"line":2,"input":{"postId":"PostNowhereToSee"},"ok":false,"exitCode":5,"cause":"request","error":{"code":"post_not_found","message":"There is no post PostNowhereToSee.","details":[],"status":404,"sent":true,"outcome":"refused","accepted":false,"retryable":false,"hint":"check the ID: TAB offers those seen here, social history list shows those of changes","next":null,"exitCode":5,"kind":"not_found","why":[],"retryAfterMs":null,"timedOut":false,"attempts":1,"host":"sandbox","requestId":null,"clientRequestId":"REQUEST-ID"}}
! {"ok":false,"error":{"code":"batch_failed","message":"1 of 2 read, 1 failed: 1 not found","details":{"ok":1,"failed":1,"unknown":0,"inProgress":0,"skipped":0,"notStarted":0,"before":0,"stopped":null,"causes":[{"cause":"request","count":1,"texts":[{"text":"post_not_found: There is no post ….","count":1}],"more":0}],"skippedTargets":{}},"status":null,"sent":true,"outcome":"none","accepted":false,"retryable":false,"hint":null,"next":null,"exitCode":11,"kind":"batch_failed","why":["not found: 1","  1 × post_not_found: There is no post …."],"retryAfterMs":null,"timedOut":false,"attempts":0,"host":null,"requestId":null,"clientRequestId":null}}
[exit 11]

# An error is an object on the last line of stderr.
$ social posts get PostNowhereToSee --json
! {"ok":false,"error":{"code":"post_not_found","message":"There is no post PostNowhereToSee.","details":[],"status":404,"sent":true,"outcome":"refused","accepted":false,"retryable":false,"hint":"check the ID: TAB offers those seen here, social history list shows those of changes","next":null,"exitCode":5,"kind":"not_found","why":[],"retryAfterMs":null,"timedOut":false,"attempts":1,"host":"sandbox","requestId":null,"clientRequestId":"REQUEST-ID"}}
[exit 5]
$ social posts get nowhere --json
! {"ok":false,"error":{"code":"usage","message":"post ID must be exactly 16 letters a-z A-Z, got 7 characters","details":[{"field":"post ID","problem":"must be exactly 16 letters a-z A-Z, got 7 characters"}],"status":null,"sent":false,"outcome":"none","accepted":false,"retryable":false,"hint":null,"next":"social posts get --help","exitCode":2,"kind":"usage","why":[],"retryAfterMs":null,"timedOut":false,"attempts":0,"host":null,"requestId":null,"clientRequestId":null}}
[exit 2]

# What would be sent, for a person, for a program and for a shell.
$ social posts retry PostSpringLaunch --target TargetSpringLink --dry-run
POST http://sandbox.localhost/v1/posts/PostSpringLaunch/retry
accept: application/json
accept-encoding: identity
content-type: application/json
user-agent: social/0.1.0
authorization: Bearer $SOCIAL_TOKEN
.
{"targetIds":["TargetSpringLink"]}
$ social posts retry PostSpringLaunch --target TargetSpringLink --dry-run --json
{"method":"POST","url":"http://sandbox.localhost/v1/posts/PostSpringLaunch/retry","headers":{"accept":"application/json","accept-encoding":"identity","content-type":"application/json","user-agent":"social/0.1.0","authorization":"Bearer $SOCIAL_TOKEN"},"body":{"targetIds":["TargetSpringLink"]}}
$ social posts reply PostSpringLaunch --target TargetSpringLink --text "It's out" --curl
curl -X POST http://sandbox.localhost/v1/posts/PostSpringLaunch/comments/reply -H "Authorization: Bearer $SOCIAL_TOKEN" -H 'accept: application/json' -H 'accept-encoding: identity' -H 'content-type: application/json' -H 'user-agent: social/0.1.0' --data-raw '{"targetId":"TargetSpringLink","text":"It'"'"'s out"}'
