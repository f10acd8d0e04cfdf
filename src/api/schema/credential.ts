// Platform app credentials, the impact of disabling one, and the answer to deleting an audience.

import * as z from 'zod/mini';
import { fieldMeta, resource, sampled } from './rules.ts';
import { Platform } from './platforms.ts';

export const Credential = resource('Credential', {
  id: z.string(),
  scope: sampled('system'),
  organizationId: z.string(),
  platform: Platform,
  credentialFamily: sampled('x'),
  credentialType: sampled('oauth_client'),
  label: z.string(),
  status: sampled('missing', { tones: 'status' }),
  availability: sampled('production'),
  metadata: z.record(z.string(), z.unknown()),
  lastTestedAt: z.string(),
  verifiedAt: z.string(),
  lastError: z.string(),
  version: z.int(),
  createdBy: z.string(),
  updatedBy: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  displayName: z.string(),
  appIdentifierSuffix: z.string(),
});

/** The number of accounts that use a credential, and how many of them now need a person to reconnect them. */
const CredentialImpact = resource('CredentialImpact', {
  linkedAccountCount: z.int().register(fieldMeta, { label: 'linked accounts' }),
  connectedAccountCount: z.int().register(fieldMeta, { label: 'connected before' }),
  needsReconnectAccountCount: z.int().register(fieldMeta, { label: 'to reconnect', look: 'alarm' }),
});

export const CredentialDisabled = resource('CredentialDisabled', {
  credential: Credential,
  impact: CredentialImpact,
  action: sampled('disabled', { tones: 'good' }),
});

export const AudienceDeleted = resource('AudienceDeleted', { message: z.string() });
