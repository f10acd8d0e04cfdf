// The connected accounts that the sandbox starts with, and the credentials of some of them.

import { RIVERBANK_DID } from '../handlers/posts.ts';
import type { StoredChange, StoredAccount } from '../store/tables.ts';
import { toTimestamp } from '../handlers/lookup.ts';
import { entry } from './builders.ts';
import { samples } from './samples.ts';

const DAY_MS = 86_400_000;

const PAGES_CREDENTIAL = 'CredentialPagesA';

type Row = readonly [
  id: string,
  platform: string,
  providerAccountId: string,
  displayName: string,
  rest?: Partial<StoredAccount>,
];

const onPages = { credentialId: PAGES_CREDENTIAL };
const onSystem = { credentialId: samples.credentialId };

const accounts: readonly Row[] = [
  [samples.blueskyAccountId, 'bluesky', RIVERBANK_DID, 'riverbank.example'],
  [samples.mastodonAccountId, 'mastodon', '109300000000000042', '@riverbank@mastodon.example'],
  [
    samples.discordAccountId,
    'discord',
    '334455667788990011',
    'Riverbank Regulars ☕',
    { guildId: samples.guildId },
  ],
  [samples.facebookAccountId, 'facebook', '10020030040050060', 'Mira Riverbank', onPages],
  ['AccountFacebookB', 'facebook', '10020030040050061', 'Riverbank Linz', onPages],
  [samples.redditAccountId, 'reddit', 't2_riverbank', 'u/riverbank'],
  [samples.pinterestAccountId, 'pinterest', '549755813888', 'Riverbank Roasters'],
  [samples.metaadsAccountId, 'metaads', 'act_40050060070', 'Riverbank Ads'],
  ['AccountLinkedInA', 'linkedin', 'urn:li:organization:1040', 'Riverbank Roasters'],
  ['AccountTwitterAa', 'twitter', '1400000000000000001', '@riverbank', onSystem],
  ['AccountTwitterBb', 'twitter', '1400000000000000002', '@riverbank_jp リバーバンク', onSystem],
  [
    'AccountTwitterCc',
    'twitter',
    '1400000000000000003',
    '@riverbank_old',
    { ...onSystem, connected: false, needsReconnect: true },
  ],
  ['AccountInstagram', 'instagram', '17841400000000001', 'riverbank.roasters', onPages],
  ['AccountTikTokAaa', 'tiktok', '6800000000000000001', 'riverbank'],
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
    ...accounts.map(([id, platform, providerAccountId, displayName, rest]) =>
      entry('account', id, {
        connected: true,
        needsReconnect: false,
        profileId: samples.profileId,
        id,
        platform,
        providerAccountId,
        displayName,
        ...rest,
      }),
    ),
    credential(samples.credentialId, 'twitter', 'x', 'X app of the organization'),
    credential(PAGES_CREDENTIAL, 'facebook', 'meta', 'Facebook and Instagram app'),
  ];
}
