// "Ads and credentials" in the API document: delete an audience.

import { described } from '../schema/rules.ts';
import { AudienceDeleted } from '../schema/credential.ts';
import { ForeignId } from '../schema/ids.ts';
import { operation } from './define-operation.ts';

export const audiencesDelete = operation({
  command: 'ads audiences delete',
  summary: 'Delete an advertising audience at its provider',
  question: 'Delete audience',
  method: 'DELETE',
  path: '/v1/ads/audiences/{audienceId}',
  input: {
    audienceId: described(ForeignId, 'Audience ID (any form, from the ad provider)', {
      argument: 'many',
    }),
  },
  result: AudienceDeleted,
  columns: ['message'],
  danger: 'This deletes the audience at the ad provider and cannot be undone.',
  done: (said) => `Deleted the audience ${said('audienceId')}`,
  inspect: 'Run the command again: “not found” means that the audience was deleted.',
  examples: { 'Delete an audience': 'social ads audiences delete 23850000000000001 --yes' },
});
