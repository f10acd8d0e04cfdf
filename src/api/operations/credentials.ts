// "Ads and credentials" in the API document: disable a platform app credential.

import { described } from '../schema/rules.ts';
import { CredentialDisabled } from '../schema/credential.ts';
import { ResourceId } from '../schema/ids.ts';
import { operation } from './define-operation.ts';

export const disable = operation({
  command: 'credentials disable',
  summary: 'Disable a platform app credential and count the affected accounts',
  question: 'Disable credential',
  method: 'POST',
  path: '/v1/platform-app-credentials/{credentialId}/disable',
  input: {
    credentialId: described(ResourceId, 'Credential ID (16 letters, from the service’s console)', {
      argument: 'many',
    }),
  },
  result: CredentialDisabled,
  header: ['credential.displayName', 'credential.id', 'credential.platform', 'action'],
  columns: [
    'impact.linkedAccountCount',
    'impact.connectedAccountCount',
    'impact.needsReconnectAccountCount',
  ],
  danger: 'Accounts that use this credential stop working; the API shows only afterwards how many.',
  onlySetsValues: true,
  done: (said) =>
    `The credential ${said('credential.displayName') ?? said('credentialId')} is ${said('action') ?? 'disabled'} now`,
  inspect:
    'Check in the service’s own console: the API cannot show a credential. Running the command again is probably harmless and shows the impact.',
  examples: { 'Disable a credential': 'social credentials disable CredentialSystem --yes' },
});
