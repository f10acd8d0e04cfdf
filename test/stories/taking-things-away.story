# Off a terminal nothing is taken away without consent.
@ pipe
$ social ads audiences delete 23850000000000001
! error: confirmation required: ads audiences delete "23850000000000001"
!   This deletes the audience at the ad provider and cannot be undone.
!   use --yes, or --confirm <id> for each ID
! try: social -C sandbox ads audiences delete 23850000000000001 --yes
[exit 2]
$ social credentials disable CredentialSystem
! error: confirmation required: credentials disable "CredentialSystem"
!   Accounts that use this credential stop working; the API shows only afterwards how many.
!   use --yes, or --confirm <id> for each ID
! try: social -C sandbox credentials disable CredentialSystem --yes
[exit 2]

# Consent for one id is no consent for another.
$ social ads audiences delete 23850000000000001 --confirm 23850000000000002
! error: confirmation required: ads audiences delete "23850000000000001"
!   This deletes the audience at the ad provider and cannot be undone.
!   --confirm names "23850000000000002", not "23850000000000001"
!   use --yes, or --confirm <id> for each ID
[exit 2]

# With consent it is done, and done once.
@ columns 80
$ social ads audiences delete 23850000000000001 --confirm 23850000000000001
message:  Audience 23850000000000001 (Newsletter readers) was deleted.
! ✓ Deleted the audience 23850000000000001
$ social ads audiences delete 23850000000000001 --yes
! error: HTTP 404 audience_not_found from the sandbox: There is no audience
! 23850000000000001.
!   check the ID: TAB offers those seen here, social history list shows those of
!   changes
[exit 5]

# A credential: the answer shows whom it cut off.
$ social credentials disable CredentialSystem --yes
credential:     X app of the organization
credential id:  CredentialSystem
platform:       twitter
action:         ✓ disabled
.
linked accounts:   3
connected before:  2
to reconnect:      3
! ✓ The credential X app of the organization is disabled now
$ social credentials disable CredentialSystem --yes
credential:     X app of the organization
credential id:  CredentialSystem
platform:       twitter
action:         ✓ disabled
.
linked accounts:   3
connected before:  0
to reconnect:      3
! ✓ The credential X app of the organization is disabled now
