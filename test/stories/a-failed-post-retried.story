# The spring launch went out on two platforms and failed on two.
$ social posts get PostSpringLaunch
title:       Spring launch 🌱 春の新作
id:          PostSpringLaunch
status:      ✗ partial
content:     Our spring roast is here: apricot, jasmine, honey. In all shops…
published:   2 hours ago
profile id:  ProfileMainBrand
.
PLATFORM  STATUS       ID                UPDATED      ACCOUNT
twitter   ✓ published  TargetSpringTwit  2 hours ago  AccountTwitterAa
  url:  https://twitter.example/@riverbank/188555385825580625
linkedin  ✗ failed     TargetSpringLink  2 hours ago  AccountLinkedInA
  error:  The LinkedIn access token had expired when the post went out; it has
          been renewed since. (reconnect: "token")
mastodon  ✗ failed     TargetSpringMast  2 hours ago  AccountMastodonA
  error:  mastodon.example answered 503 Service Unavailable after 3 attempts.
          (temporary: HTTP 503)
bluesky   ✓ published  TargetSpringBlue  2 hours ago  AccountBlueskyAa
  url:  https://bluesky.example/profile/riverbank.example/post/3ke5mkeojerza
! linkedin: check the account’s connection before you retry
! try: social -C sandbox posts retry PostSpringLaunch --target TargetSpringMast

# Try the failed targets again. The answer comes at once; the targets are on their way.
$ social posts retry PostSpringLaunch
title:       Spring launch 🌱 春の新作
id:          PostSpringLaunch
status:      ◌ publishing
content:     Our spring roast is here: apricot, jasmine, honey. In all shops…
published:   2 hours ago
profile id:  ProfileMainBrand
.
PLATFORM  STATUS        ID                UPDATED      ACCOUNT
twitter   ✓ published   TargetSpringTwit  2 hours ago  AccountTwitterAa
  url:  https://twitter.example/@riverbank/188555385825580625
linkedin  ◌ publishing  TargetSpringLink  now          AccountLinkedInA
mastodon  ◌ publishing  TargetSpringMast  now          AccountMastodonA
bluesky   ✓ published   TargetSpringBlue  2 hours ago  AccountBlueskyAa
  url:  https://bluesky.example/profile/riverbank.example/post/3ke5mkeojerza
! ✓ Retry of PostSpringLaunch accepted: publishing now
! try: social -C sandbox posts wait PostSpringLaunch

# Nothing that is on its way is sent a second time.
$ social posts retry PostSpringLaunch
! error: HTTP 409 already_publishing from the sandbox: Post PostSpringLaunch is
! being published; wait until it is finished.
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
content:     Our spring roast is here: apricot, jasmine, honey. In all shops…
published:   2 hours ago
profile id:  ProfileMainBrand
.
PLATFORM  STATUS       ID                UPDATED        ACCOUNT
twitter   ✓ published  TargetSpringTwit  2 hours ago    AccountTwitterAa
  url:  https://twitter.example/@riverbank/188555385825580625
linkedin  ✓ published  TargetSpringLink  3 seconds ago  AccountLinkedInA
  url:  https://linkedin.example/@riverbank/172840944166251289
mastodon  ✗ failed     TargetSpringMast  3 seconds ago  AccountMastodonA
  error:  mastodon.example answered 503 again; its status page says 10 minutes.
          (temporary: HTTP 503)
bluesky   ✓ published  TargetSpringBlue  2 hours ago    AccountBlueskyAa
  url:  https://bluesky.example/profile/riverbank.example/post/3ke5mkeojerza
! try: social -C sandbox posts retry PostSpringLaunch --failed

# The one that is left, by its name. This time it works.
$ social posts retry PostSpringLaunch --target TargetSpringMast
title:       Spring launch 🌱 春の新作
id:          PostSpringLaunch
status:      ◌ publishing
content:     Our spring roast is here: apricot, jasmine, honey. In all shops…
published:   2 hours ago
profile id:  ProfileMainBrand
.
PLATFORM  STATUS        ID                UPDATED        ACCOUNT
twitter   ✓ published   TargetSpringTwit  2 hours ago    AccountTwitterAa
  url:  https://twitter.example/@riverbank/188555385825580625
linkedin  ✓ published   TargetSpringLink  3 seconds ago  AccountLinkedInA
  url:  https://linkedin.example/@riverbank/172840944166251289
mastodon  ◌ publishing  TargetSpringMast  now            AccountMastodonA
bluesky   ✓ published   TargetSpringBlue  2 hours ago    AccountBlueskyAa
  url:  https://bluesky.example/profile/riverbank.example/post/3ke5mkeojerza
! ✓ Retry of PostSpringLaunch accepted: publishing now
! try: social -C sandbox posts wait PostSpringLaunch
@ wait 4s
$ social posts get PostSpringLaunch
title:       Spring launch 🌱 春の新作
id:          PostSpringLaunch
status:      ✓ published
content:     Our spring roast is here: apricot, jasmine, honey. In all shops…
published:   2 hours ago
profile id:  ProfileMainBrand
.
PLATFORM  STATUS       ID                UPDATED        ACCOUNT
twitter   ✓ published  TargetSpringTwit  2 hours ago    AccountTwitterAa
  url:  https://twitter.example/@riverbank/188555385825580625
linkedin  ✓ published  TargetSpringLink  7 seconds ago  AccountLinkedInA
  url:  https://linkedin.example/@riverbank/172840944166251289
mastodon  ✓ published  TargetSpringMast  3 seconds ago  AccountMastodonA
  url:  https://mastodon.example/@riverbank/118477032512691671
bluesky   ✓ published  TargetSpringBlue  2 hours ago    AccountBlueskyAa
  url:  https://bluesky.example/profile/riverbank.example/post/3ke5mkeojerza

# Now there is nothing left to retry.
$ social posts retry PostSpringLaunch
! error: HTTP 409 nothing_failed from the sandbox: Post PostSpringLaunch has the
! status published; none of its targets has failed.
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
! ✓ Replied on Mastodon
$ social posts reply PostFlashSaleNow --target TargetFlashATwit --text "Sold out, sorry."
! error: HTTP 409 target_not_published from the sandbox: Target TargetFlashATwit
! has the status failed; only a published target accepts replies.
[exit 6]
