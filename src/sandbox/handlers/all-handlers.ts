// The handlers of all operations. A missing handler, or one that returns another type, does not compile.

import type { AreaName } from '../../api/operations/registry.ts';
import { accounts, discord } from './accounts.ts';
import { ads, credentials, webhooks } from './admin.ts';
import { connect } from './connect.ts';
import { posts } from './posts.ts';
import type { HandlersOf } from './handler.ts';

export const handlers: { readonly [A in AreaName]: HandlersOf<A> } = {
  posts,
  accounts,
  connect,
  discord,
  ads,
  credentials,
  webhooks,
};
