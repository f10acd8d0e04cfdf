# The spring launch went out on two platforms and failed on two.
$ social posts get PostSpringLaunch
title:       Spring launch 🌱 春の新作
id:          PostSpringLaunch
status:      ✗ partial
published:   2 hours ago
profile id:  ProfileMainBrand
.
PLATFORM  STATUS       ID                ERROR
twitter   ✓ published  TargetSpringTwit  -
linkedin  ✗ failed     TargetSpringLink  The LinkedIn access token had expired
                                         when the post went out; it has been
                                         renewed since.
mastodon  ✗ failed     TargetSpringMast  mastodon.example answered 503 Service
                                         Unavailable after 3 attempts.
bluesky   ✓ published  TargetSpringBlue  -

# Try the failed targets again. The answer comes at once; the targets are on their way.
$ social posts retry PostSpringLaunch
title:       Spring launch 🌱 春の新作
id:          PostSpringLaunch
status:      ◌ publishing
published:   2 hours ago
profile id:  ProfileMainBrand
.
PLATFORM  STATUS      ID                URL
twitter   ✓           TargetSpringTwit  https://twitter.example/@riverbank/18855
          published                     5385825580625
linkedin  ◌           TargetSpringLink  -
          publishing
mastodon  ◌           TargetSpringMast  -
          publishing
bluesky   ✓           TargetSpringBlue  https://bluesky.example/profile/riverban
          published                     k.example/post/3ke5mkeojerza

# Nothing that is on its way is sent a second time.
$ social posts retry PostSpringLaunch
! error: service error already_publishing: Post PostSpringLaunch is being published; wait until it has settled.
!   the post reads now: a retry is under way already
!   twitter TargetSpringTwit published, since 2026-03-02T10:00:00.000Z
!   linkedin TargetSpringLink publishing, since 2026-03-02T12:00:00.000Z
!   mastodon TargetSpringMast publishing, since 2026-03-02T12:00:00.000Z
!   bluesky TargetSpringBlue published, since 2026-03-02T10:00:00.000Z
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
PLATFORM  STATUS       ID                ERROR
twitter   ✓ published  TargetSpringTwit  -
linkedin  ✓ published  TargetSpringLink  -
mastodon  ✗ failed     TargetSpringMast  mastodon.example answered 503 again;
                                         its status page says 10 minutes.
bluesky   ✓ published  TargetSpringBlue  -

# The one that is left, by its name. This time it works.
$ social posts retry PostSpringLaunch --target TargetSpringMast
title:       Spring launch 🌱 春の新作
id:          PostSpringLaunch
status:      ◌ publishing
published:   2 hours ago
profile id:  ProfileMainBrand
.
PLATFORM  STATUS      ID                URL
twitter   ✓           TargetSpringTwit  https://twitter.example/@riverbank/18855
          published                     5385825580625
linkedin  ✓           TargetSpringLink  https://linkedin.example/@riverbank/1728
          published                     40944166251289
mastodon  ◌           TargetSpringMast  -
          publishing
bluesky   ✓           TargetSpringBlue  https://bluesky.example/profile/riverban
          published                     k.example/post/3ke5mkeojerza
@ wait 4s
$ social posts get PostSpringLaunch
title:       Spring launch 🌱 春の新作
id:          PostSpringLaunch
status:      ✓ published
published:   2 hours ago
profile id:  ProfileMainBrand
.
PLATFORM  STATUS     ID                URL
twitter   ✓          TargetSpringTwit  https://twitter.example/@riverbank/188555
          published                    385825580625
linkedin  ✓          TargetSpringLink  https://linkedin.example/@riverbank/17284
          published                    0944166251289
mastodon  ✓          TargetSpringMast  https://mastodon.example/@riverbank/11847
          published                    7032512691671
bluesky   ✓          TargetSpringBlue  https://bluesky.example/profile/riverbank
          published                    .example/post/3ke5mkeojerza

# Now there is nothing left to retry.
$ social posts retry PostSpringLaunch
! error: service error nothing_failed: Post PostSpringLaunch is published; none of its targets has failed.
!   the post reads now: nothing of it has failed
!   twitter TargetSpringTwit published, since 2026-03-02T10:00:00.000Z
!   linkedin TargetSpringLink published, since 2026-03-02T12:00:00.900Z
!   mastodon TargetSpringMast published, since 2026-03-02T12:00:04.900Z
!   bluesky TargetSpringBlue published, since 2026-03-02T10:00:00.000Z
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
! error: service error target_not_published: Target TargetFlashATwit is failed; only a published target can be replied on.
[exit 6]
