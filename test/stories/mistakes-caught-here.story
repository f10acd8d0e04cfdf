# A slip in an id, and three more on one line: all are said at once, and nothing is sent.
$ social posts get PostSpringL4unch
! error: post ID must be exactly 16 letters a-z A-Z, but character 12 is "4"
! try: social posts get --help
[exit 2]
$ social posts reply PostSpring --target TargetSpringLïnk --text "" --timeout 10
! error: 4 errors; nothing was sent
!   --timeout needs a whole number above 0 and a unit, e.g. 500ms, 30s, 5m; limit
!   24h, got "10"
!   post ID must be exactly 16 letters a-z A-Z, got 10 characters
!   --target must be exactly 16 letters a-z A-Z, but character 14 is U+00EF, not
!   an ASCII letter
!   --text must be 1 to 300 characters, got 0
! try: social posts reply --help
[exit 2]

# What is missing is named.
$ social posts reply PostSpringLaunch
! error: 2 errors; nothing was sent
!   --target is required
!   --text is required; or use --text-file
! try: social posts reply --help
[exit 2]
$ social connect pinterest select-board
! error: 3 errors; nothing was sent
!   --account is required; use -a, or set SOCIAL_ACCOUNT
!   --profile is required
!   --board is required
! try: social connect pinterest select-board --help
[exit 2]

# Words and flags that are not there, with what was probably meant.
$ social psots get PostSpringLaunch
! error: "psots" is not a command of social
!   did you mean social posts get?
! try: social posts get PostSpringLaunch
[exit 2]
$ social posts gte PostSpringLaunch --base-url https://api.example.com
! error: "gte" is not a command of social posts
!   did you mean social posts get?
! try: social posts get PostSpringLaunch --base-url https://api.example.com
[exit 2]
$ social posts retry PostSpringLaunch --tagret TargetSpringLink
! error: --tagret is an unknown flag of social posts retry
!   did you mean --target?
! try: social posts retry PostSpringLaunch --target TargetSpringLink
[exit 2]
$ social accounts mastodon like 113000000000000001
! error: "like" is not a command of social accounts mastodon
!   did you mean social accounts mastodon favourite?
! try: social accounts mastodon favourite 113000000000000001
[exit 2]
$ social posts get PostSpringLaunch --fields sttus
! error: --fields contains an unknown field: "sttus"
!   did you mean status?
! try: social posts get PostSpringLaunch --fields status
[exit 2]

# Secrets are never taken from the command line.
$ social webhooks create --url https://ops.example.com/hook --event post.failed --secret hunter22
! error: --secret does not exist: secrets are not accepted on the command line
!   use --secret-file or --secret-env
! try: social webhooks create --help
[exit 2]
$ social posts get PostSpringLaunch --token hunter22
! error: --token does not exist: secrets are not accepted on the command line
!   set SOCIAL_TOKEN
! try: social posts get --help
[exit 2]

# A webhook's address and events are judged before anything leaves.
$ social webhooks create --url http://ops.example.com/hook --event post.exploded
! error: 2 errors; nothing was sent
!   --url must be https:// with a host and no user name
!   --event must be one of: post.scheduled, post.updated, post.published,
!   post.unpublished, post.failed, post.partial, post.recycled, account.connected,
!   account.disconnected, ad.created, ad.status_changed,
!   account.ads.initial_sync_completed; got "post.exploded"; did you mean
!   post.updated?
! try: social webhooks create --help
[exit 2]

# What only the service can know, the service says.
$ social posts get PostNowhereToSee
! error: HTTP 404 post_not_found from the sandbox: There is no post
! PostNowhereToSee.
!   check the ID: TAB offers those seen here, social history list shows those of
!   changes
[exit 5]
$ social posts reply PostSpringLaunch --target TargetSpringLink --text "Hello?"
! error: HTTP 409 target_not_published from the sandbox: Target TargetSpringLink
! has the status failed; only a published target accepts replies.
[exit 6]

# A target that is none: the post lists its targets.
$ social posts retry PostSpringLaunch --target TargetSpringMas
! error: --target must be exactly 16 letters a-z A-Z, got 15 characters (in
! "TargetSpringMas")
! try: social -C sandbox posts get PostSpringLaunch
[exit 2]

$ social posts retry PostSpringLaunch --target TargetSpringMsat --wait
! error: the post has no target TargetSpringMsat; nothing was changed
!   did you mean TargetSpringMast? its targets: twitter TargetSpringTwit, linkedin
!   TargetSpringLink, mastodon TargetSpringMast, bluesky TargetSpringBlue
[exit 5]

# A draft is not published by waiting.
$ social posts wait PostWinterDrafts
title:       Winter ideas
id:          PostWinterDrafts
status:      · draft
content:     Advent calendar? Filter of the week? Ask the shops.
profile id:  ProfileMainBrand
.
PLATFORM  STATUS   ID                UPDATED      ACCOUNT
reddit    · draft  TargetWinterRedd  5 hours ago  AccountRedditAaa
! +0s reddit TargetWinterRedd draft
! error: 1 of 1 target draft: reddit
!   reddit: draft, which no retry changes; schedule or publish it in the service
[exit 10]
