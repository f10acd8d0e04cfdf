// Fields that several operations share.

import { described } from '../schema/rules.ts';
import { ResourceId } from '../schema/ids.ts';

/** The connected account: `-a, --account`, from the environment or the context where it is not typed. */
export const accountId = described(ResourceId, 'Account ID', {
  flag: 'account',
  fromContext: 'account',
});

/** The columns of the targets of a post. */
export const targetColumns = [
  'platform',
  'status',
  'id',
  'error',
  'nativeUrl',
  'updatedAt',
  'accountId',
] as const;
