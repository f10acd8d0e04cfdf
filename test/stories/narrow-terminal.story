@ columns 50

# Below sixty columns there are blocks instead of a table that does not fit.
$ social posts get PostSpringLaunch
title:       Spring launch 🌱 春の新作
id:          PostSpringLaunch
status:      ✗ partial
content:     Our spring roast is here: apricot,…
published:   2 hours ago
profile id:  ProfileMainBrand
.
platform:  twitter
status:    ✓ published
id:        TargetSpringTwit
url:
  https://twitter.example/@riverbank/188555385825580625
updated:   2 hours ago
account:   AccountTwitterAa
.
platform:  linkedin
status:    ✗ failed
id:        TargetSpringLink
error:     The LinkedIn access token had expired
           when the post went out; it has been
           renewed since. (reconnect: "token")
updated:   2 hours ago
account:   AccountLinkedInA
.
platform:  mastodon
status:    ✗ failed
id:        TargetSpringMast
error:     mastodon.example answered 503 Service
           Unavailable after 3 attempts.
           (temporary: HTTP 503)
updated:   2 hours ago
account:   AccountMastodonA
.
platform:  bluesky
status:    ✓ published
id:        TargetSpringBlue
url:
  https://bluesky.example/profile/riverbank.example/post/3ke5mkeojerza
updated:   2 hours ago
account:   AccountBlueskyAa
! linkedin: check the account’s connection before
!   you retry
! try: social -C sandbox posts retry PostSpringLaunch --target TargetSpringMast

# A row of long texts.
$ social posts get PostFlashSaleNow
title:       Flash sale: 24 hours only
id:          PostFlashSaleNow
status:      ✗ failed
content:     A quarter off all filters until…
profile id:  ProfileMainBrand
.
platform:  twitter
status:    ✗ failed
id:        TargetFlashATwit
error:     X refused the post: its text repeats a
           post of the last 24 hours. (content:
           "repeats a")
updated:   1 day ago
account:   AccountTwitterAa
.
platform:  facebook
status:    ✗ failed
id:        TargetFlashBFace
error:     Facebook refused the post with code 200
           (permission error): the page Riverbank
           Roasters Linz has not granted
           pages_manage_posts to this connection.
           The permission was there until the page
           changed its owner on Monday. A person
           who manages the page has to open the
           connection, choose the page again and
           confirm every permission that is asked
           for; until then each attempt to publish
           on it will end like this one.
           (reconnect: "permission")
updated:   1 day ago
account:   AccountFacebookB
! twitter: check the content before you retry;
!   facebook: check the account’s connection before
!   you retry
! try: social -C sandbox connect facebook pages -a AccountFacebookB

# What is one thing is a list of its fields on any terminal.
$ social accounts mastodon favourite 113000000000000001 -a AccountMastodonA
action:      ✓ favourite
status id:   113000000000000001
favourited:  yes
reblogged:   no
bookmarked:  no
muted:       no
status url:
  https://mastodon.example/@jo/113000000000000001
updated:     now
! ✓ The Mastodon status 113000000000000001 is
!   favourited now

# Errors and help fit too.
$ social posts get abc
! error: post ID must be exactly 16 letters a-z A-Z,
! got 3 characters
! try: social posts get --help
[exit 2]
$ social posts reply --help
Usage: social posts reply <post-id>
  --target <id> --text <text> [flags]
  post-id  Post ID (16 letters, from an export, an
           alert or social history list)
.
Reply to a comment on a published target
.
Bluesky needs the URI and CID of the thread’s
first post and of the comment. For Mastodon,
without --parent-status-id the reply is to the
published status itself.
.
Examples:
  # Reply on Mastodon
  social posts reply PostAutumnRecaps \
    --target TargetAutumnMast \
    --text "Thank you!"
.
Flags:
      --target <id>
        Target ID (16 letters, see posts get)
      --text <text>
        Text of the reply, 1 to 300 characters
      --text-file <file>
        Read the text from a file ("-" for stdin)
      --editor
        Write the text in your editor ($EDITOR)
      --root-uri <uri>
        Bluesky: URI of the thread’s first post
      --root-cid <cid>
        Bluesky: CID of the thread’s first post
      --parent-uri <uri>
        Bluesky: URI of the comment
      --parent-cid <cid>
        Bluesky: CID of the comment
      --parent-status-id <id>
        Mastodon: status ID (number in its URL)
.
Fields (--fields): platform, … (all: social schema
posts reply)
Batch flags (--from, --journal, --rate …): social
help batch
Global flags (--json, --dry-run, --context …):
social help flags
