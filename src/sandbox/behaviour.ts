// What the sandbox does for each operation. The types bind it to the operations: a behaviour that is missing,
// or that returns another shape, does not compile.

import type { AreaName, OperationsOf } from '../operations/areas.ts';
import type { InputOf, ResultOf } from '../operations/operation.ts';
import { accounts } from './behaviour/accounts.ts';
import { ads } from './behaviour/ads.ts';
import { connect } from './behaviour/connect.ts';
import { credentials } from './behaviour/credentials.ts';
import { discord } from './behaviour/discord.ts';
import { posts } from './behaviour/posts.ts';
import { webhooks } from './behaviour/webhooks.ts';
import type { Records } from './records.ts';

/**
 * One operation: reads and writes through the records, answers with the result, throws a `Refusal` to say no.
 * It may be run twice for one request (first without the lock), so it must do nothing else.
 */
export type Behaviour<Input, Result> = (input: Input, records: Records) => Result;

/** The behaviours of one area, under the names of its operations. */
export type BehavioursOf<A extends AreaName> = {
  readonly [V in keyof OperationsOf<A>]: Behaviour<
    InputOf<OperationsOf<A>[V]>,
    ResultOf<OperationsOf<A>[V]>
  >;
};

export const behaviours: { readonly [A in AreaName]: BehavioursOf<A> } = {
  posts,
  accounts,
  connect,
  discord,
  ads,
  credentials,
  webhooks,
};
