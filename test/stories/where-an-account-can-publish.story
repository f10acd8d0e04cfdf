# Facebook pages, and whether the account is ready.
$ social connect facebook pages -a AccountFacebookA
readiness:         ✓ ready
selected:          Riverbank Roasters
reconnect:         no
selected page id:  104200300400501
fetched:           now
.
NAME                ID               CAN PUBLISH  SELECTED  MISSING PERMISSIONS
Riverbank Roasters  104200300400501  yes          yes       -
Riverbank Japan     104200300400502  no           no        pages_manage_posts
リバーバンク
.
2 columns hidden; -o wide, or a wider terminal

# A script may insist on it.
$ social connect facebook pages -a AccountFacebookB --require-ready
readiness:            ✗ action_required
selected:             Riverbank Roasters Linz
missing permissions:  pages_manage_posts
issues:               The page has not granted pages_manage_posts.
capabilities:         publish: missing_permission (pages_manage_posts is
                      missing)
reconnect:            yes
selected page id:     104200300400503
fetched:              now
.
NAME       ID               CAN PUBLISH  SELECTED  MISSING PERMISSIONS  CATEGORY
Riverbank  104200300400503  no           yes       pages_manage_posts   Coffee
Roasters                                                                shop
Linz
! error: the account is not ready to publish (action_required)
[exit 10]

# The account of a whole session can be in the environment.
@ env SOCIAL_ACCOUNT=AccountDiscordAa
$ social accounts discord channels
guild id:    223344556677889900
account id:  AccountDiscordAa
.
NAME            ID                  TYPE         POSTABLE  SELECTED  MANAGEABLE
announcements   112233445566778899  guild_text   yes       yes       yes
お知らせ-日本   112233445566778901  guild_text   yes       no        yes
brew-questions  112233445566778902  guild_forum  yes       no        yes
staff           112233445566778903  guild_text   no        no        yes
.
2 columns hidden; -o wide, or a wider terminal
$ social discord roles 223344556677889900
guild id:    223344556677889900
account id:  AccountDiscordAa
.
NAME                 ID                  COLOR    MENTIONABLE  MANAGED  POSITION
@everyone            223344556677889900  none     no           no       0
Regulars ☕          334455667788990001  #c27c0e  yes          no       1
Baristas             334455667788990002  #1f8b4c  yes          no       2
Riverbank Publisher  334455667788990003  none     no           yes      3
.
1 column hidden; -o wide, or a wider terminal

# Pinning twice changes nothing, and says so.
$ social discord pins add 112233445566778899 998877665544332211
action:          ✓ pinned
already pinned:  no
channel id:      112233445566778899
message id:      998877665544332211
account id:      AccountDiscordAa
! ✓ The message 998877665544332211 is pinned in the channel 112233445566778899
$ social discord pins add 112233445566778899 998877665544332211
action:          ✓ pinned
already pinned:  yes
channel id:      112233445566778899
message id:      998877665544332211
account id:      AccountDiscordAa
! ✓ The message 998877665544332211 is pinned in the channel 112233445566778899

# A board for Pinterest.
$ social connect pinterest select-board -a AccountPinterest --profile ProfileMainBrand --board 549755885175
platform:             pinterest
account id:           AccountPinterest
display name:         Riverbank Roasters
profile id:           ProfileMainBrand
provider account id:  549755813888
return to:            /profiles/ProfileMainBrand/destinations
! ✓ Pinterest board selected: 549755885175, for the account Riverbank Roasters

# Flairs of a subreddit.
$ social connect reddit flairs -a AccountRedditAaa --subreddit typescript
TEXT           ID             TYPE      TEXT EDITABLE
Question       f1a2b3c4-0001  text      no
Show and tell  f1a2b3c4-0002  text      yes
Solved ✅      f1a2b3c4-0003  richtext  no

# Who shares a tracking tag.
$ social accounts tracking-tags shared-accounts 987654321012345 -a AccountMetaAdsAa
platform:  metaads
.
NAME                          ID               BUSINESS ID
Riverbank Ads                 act_40050060070  100200300400
Riverbank Japan リバーバンク  act_40050060071  100200300401

# A pairing with Telegram, from its start to an account.
$ social connect telegram session 5e551011a1b2c3d4e5f60718293a4b5c6d7e8f905e551011a1b2c3d4e5f60718
status:      ◌ pending_start
expires:     in 10 minutes
session id:  5e551011a1b2c3d4e5f60718293a4b5c6d7e8f905e551011a1b2c3d4e5f60718
@ wait 10s
$ social connect telegram session 5e551011a1b2c3d4e5f60718293a4b5c6d7e8f905e551011a1b2c3d4e5f60718
status:      ✓ connected
account:     Riverbank Business
account id:  AccountTelegramB
profile id:  ProfileMainBrand
session id:  5e551011a1b2c3d4e5f60718293a4b5c6d7e8f905e551011a1b2c3d4e5f60718
! ✓ Connected: Riverbank Business (AccountTelegramB)
$ social connect telegram access-code TG-482913
status:   ◌ pending
expires:  in 10 minutes
code:     TG-482913
