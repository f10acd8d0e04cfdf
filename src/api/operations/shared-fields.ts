// Fields that several operations share.

import { described } from '../schema/rules.ts';
import { assumption } from '../schema/protocol.ts';
import { ResourceId } from '../schema/ids.ts';

/** The connected account: always `-a, --account`, with a default from the environment or the context. */
export const accountId = described(ResourceId, 'Connected account that acts', {
  flag: 'account',
});

/** What the operations say whose account travels under a query name that the document does not show. */
export const accountNameAssumed = assumption('accountId');
export const subredditNameAssumed = assumption('subreddit');
