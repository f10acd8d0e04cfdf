// "Ads and credentials" in the API document: delete an audience.

import { described } from '../schema/rules.ts';
import { AudienceDeleted } from '../schema/credential.ts';
import { ForeignId } from '../schema/ids.ts';
import { operation } from './define-operation.ts';

/** DELETE /v1/ads/audiences/{audienceId} */
export const audiencesDelete = operation({
  command: 'ads audiences delete',
  summary: 'Delete an advertising audience at its provider',
  method: 'DELETE',
  path: '/v1/ads/audiences/{audienceId}',
  input: { audienceId: described(ForeignId, 'Audience to delete', { argument: 'many' }) },
  result: AudienceDeleted,
  columns: ['message'],
  danger: 'This deletes the audience at the ad provider; it cannot be brought back.',
  inspect: 'Run the same command again: “not found” then means that it is gone.',
  examples: [['Delete an audience', 'social ads audiences delete 23850000000000001 --yes']],
});
