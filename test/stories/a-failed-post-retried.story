# The spring launch went out on two platforms and failed on two.
$ social posts get PostSpringLaunch
title:       Spring launch 🌱 春の新作
id:          PostSpringLaunch
status:      ✗ partial
published:   2 hours ago
profile id:  ProfileMainBrand
.
PLATFORM  STATUS       ID                ERROR                      UPDATED
twitter   ✓ published  TargetSpringTwit  -                          2 hours ago
linkedin  ✗ failed     TargetSpringLink  The LinkedIn access token  2 hours ago
                                         had expired when the post
                                         went out; it has been
                                         renewed since.
mastodon  ✗ failed     TargetSpringMast  mastodon.example answered  2 hours ago
                                         503 Service Unavailable
                                         after 3 attempts.
bluesky   ✓ published  TargetSpringBlue  -                          2 hours ago
.
1 column hidden; -o json, or a wider terminal
! linkedin: check the account’s connection before you retry
! try: social -C sandbox posts retry PostSpringLaunch --target TargetSpringMast

# Try the failed targets again. The answer comes at once; the targets are on their way.
$ social posts retry PostSpringLaunch
title:       Spring launch 🌱 春の新作
id:          PostSpringLaunch
status:      ◌ publishing
published:   2 hours ago
profile id:  ProfileMainBrand
.
PLATFORM  STATUS        ID                UPDATED
twitter   ✓ published   TargetSpringTwit  2 hours ago
linkedin  ◌ publishing  TargetSpringLink  now
mastodon  ◌ publishing  TargetSpringMast  now
bluesky   ✓ published   TargetSpringBlue  2 hours ago
.
1 column hidden; -o json, or a wider terminal
! try: social -C sandbox posts wait PostSpringLaunch

# Nothing that is on its way is sent a second time.
$ social posts retry PostSpringLaunch
! error: HTTP 409 already_publishing: Post PostSpringLaunch is being published;
! wait until it is finished.
!   current state: a retry is already in progress
!   twitter TargetSpringTwit published, updated 2 hours ago
!   linkedin TargetSpringLink publishing, updated now
!   mastodon TargetSpringMast publishing, updated now
!   bluesky TargetSpringBlue published, updated 2 hours ago
! try: social -C sandbox posts wait PostSpringLaunch
[exit 6]

# A few seconds later the outcome is in: one went out, one was refused again.
@ wait 4s
$ social posts get PostSpringLaunch
title:       Spring launch 🌱 春の新作
id:          PostSpringLaunch
status:      ✗ partial
published:   2 hours ago
profile id:  ProfileMainBrand
.
PLATFORM  STATUS       ID                ERROR                    UPDATED
twitter   ✓ published  TargetSpringTwit  -                        2 hours ago
linkedin  ✓ published  TargetSpringLink  -                        3 seconds ago
mastodon  ✗ failed     TargetSpringMast  mastodon.example         3 seconds ago
                                         answered 503 again; its
                                         status page says 10
                                         minutes.
bluesky   ✓ published  TargetSpringBlue  -                        2 hours ago
.
1 column hidden; -o json, or a wider terminal
! try: social -C sandbox posts retry PostSpringLaunch --failed

# The one that is left, by its name. This time it works.
$ social posts retry PostSpringLaunch --target TargetSpringMast
title:       Spring launch 🌱 春の新作
id:          PostSpringLaunch
status:      ◌ publishing
published:   2 hours ago
profile id:  ProfileMainBrand
.
PLATFORM  STATUS        ID                UPDATED
twitter   ✓ published   TargetSpringTwit  2 hours ago
linkedin  ✓ published   TargetSpringLink  3 seconds ago
mastodon  ◌ publishing  TargetSpringMast  now
bluesky   ✓ published   TargetSpringBlue  2 hours ago
.
1 column hidden; -o json, or a wider terminal
! try: social -C sandbox posts wait PostSpringLaunch
@ wait 4s
$ social posts get PostSpringLaunch
title:       Spring launch 🌱 春の新作
id:          PostSpringLaunch
status:      ✓ published
published:   2 hours ago
profile id:  ProfileMainBrand
.
PLATFORM  STATUS       ID                UPDATED
twitter   ✓ published  TargetSpringTwit  2 hours ago
linkedin  ✓ published  TargetSpringLink  7 seconds ago
mastodon  ✓ published  TargetSpringMast  3 seconds ago
bluesky   ✓ published  TargetSpringBlue  2 hours ago
.
1 column hidden; -o json, or a wider terminal

# Now there is nothing left to retry.
$ social posts retry PostSpringLaunch
! error: HTTP 409 nothing_failed: Post PostSpringLaunch has the status published;
! none of its targets has failed.
!   current state: no failed targets
!   twitter TargetSpringTwit published, updated 2 hours ago
!   linkedin TargetSpringLink published, updated 7 seconds ago
!   mastodon TargetSpringMast published, updated 3 seconds ago
!   bluesky TargetSpringBlue published, updated 2 hours ago
[exit 6]

# Thank those who waited.
$ social posts reply PostSpringLaunch --target TargetSpringMast --text "Here at last."
platform:     mastodon
post id:      PostSpringLaunch
target id:    TargetSpringMast
comment uri:  https://mastodon.example/@riverbank/150480889245755805
url:          https://mastodon.example/@riverbank/150480889245755805
created:      now
$ social posts reply PostFlashSaleNow --target TargetFlashATwit --text "Sold out, sorry."
! error: HTTP 409 target_not_published: Target TargetFlashATwit has the status
! failed; only a published target can be replied on.
[exit 6]
