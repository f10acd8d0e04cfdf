// The connected accounts that the sandbox starts with, and the credentials that some of them hang on.

import { RIVERBANK_DID } from '../handlers/posts.ts';
import type { StoredChange, StoredAccount } from '../store/tables.ts';
import { toTimestamp } from '../handlers/lookup.ts';
import { entry } from './builders.ts';
import { samples } from './samples.ts';

const DAY_MS = 86_400_000;

type Account = Pick<StoredAccount, 'id' | 'platform' | 'providerAccountId' | 'displayName'> &
  Partial<StoredAccount>;

const accounts: readonly Account[] = [
  {
    id: samples.blueskyAccountId,
    platform: 'bluesky',
    providerAccountId: RIVERBANK_DID,
    displayName: 'riverbank.example',
  },
  {
    id: samples.mastodonAccountId,
    platform: 'mastodon',
    providerAccountId: '109300000000000042',
    displayName: '@riverbank@mastodon.example',
  },
  {
    id: samples.discordAccountId,
    platform: 'discord',
    providerAccountId: '334455667788990011',
    displayName: 'Riverbank Regulars ☕',
    guildId: samples.guildId,
  },
  {
    id: samples.facebookAccountId,
    platform: 'facebook',
    providerAccountId: '10020030040050060',
    displayName: 'Mira Riverbank',
    credentialId: 'CredentialPagesA',
  },
  {
    id: 'AccountFacebookB',
    platform: 'facebook',
    providerAccountId: '10020030040050061',
    displayName: 'Riverbank Linz',
    credentialId: 'CredentialPagesA',
  },
  {
    id: samples.redditAccountId,
    platform: 'reddit',
    providerAccountId: 't2_riverbank',
    displayName: 'u/riverbank',
  },
  {
    id: samples.pinterestAccountId,
    platform: 'pinterest',
    providerAccountId: '549755813888',
    displayName: 'Riverbank Roasters',
  },
  {
    id: samples.metaadsAccountId,
    platform: 'metaads',
    providerAccountId: 'act_40050060070',
    displayName: 'Riverbank Ads',
  },
  {
    id: 'AccountLinkedInA',
    platform: 'linkedin',
    providerAccountId: 'urn:li:organization:1040',
    displayName: 'Riverbank Roasters',
  },
  {
    id: 'AccountTwitterAa',
    platform: 'twitter',
    providerAccountId: '1400000000000000001',
    displayName: '@riverbank',
    credentialId: samples.credentialId,
  },
  {
    id: 'AccountTwitterBb',
    platform: 'twitter',
    providerAccountId: '1400000000000000002',
    displayName: '@riverbank_jp リバーバンク',
    credentialId: samples.credentialId,
  },
  {
    id: 'AccountTwitterCc',
    platform: 'twitter',
    providerAccountId: '1400000000000000003',
    displayName: '@riverbank_old',
    credentialId: samples.credentialId,
    connected: false,
    needsReconnect: true,
  },
  {
    id: 'AccountInstagram',
    platform: 'instagram',
    providerAccountId: '17841400000000001',
    displayName: 'riverbank.roasters',
    credentialId: 'CredentialPagesA',
  },
  {
    id: 'AccountTikTokAaa',
    platform: 'tiktok',
    providerAccountId: '6800000000000000001',
    displayName: 'riverbank',
  },
];

/** Accounts and credentials of a sandbox that starts at `now`, milliseconds since 1970. */
export function seedAccounts(now: number): readonly StoredChange[] {
  const credential = (
    id: string,
    platform: 'twitter' | 'facebook',
    family: string,
    label: string,
  ) =>
    entry('credential', id, {
      id,
      scope: 'system',
      organizationId: 'org_riverbank',
      platform,
      credentialFamily: family,
      credentialType: 'oauth_client',
      label,
      status: 'verified',
      availability: 'production',
      metadata: {},
      lastTestedAt: toTimestamp(now - DAY_MS),
      verifiedAt: toTimestamp(now - 90 * DAY_MS),
      version: 3,
      createdBy: 'user_mira',
      updatedBy: 'user_mira',
      createdAt: toTimestamp(now - 400 * DAY_MS),
      updatedAt: toTimestamp(now - 90 * DAY_MS),
      displayName: label,
      appIdentifierSuffix: '7f3a',
    });
  return [
    ...accounts.map((account) =>
      entry('account', account.id, {
        connected: true,
        needsReconnect: false,
        profileId: samples.profileId,
        ...account,
      }),
    ),
    credential(samples.credentialId, 'twitter', 'x', 'X app of the organization'),
    credential('CredentialPagesA', 'facebook', 'meta', 'Facebook and Instagram app'),
  ];
}
