// Types that must not compile, proved by the compiler: each `@ts-expect-error` is itself an error if the line below it
// compiles. Nothing here is run.

import type * as z from 'zod/mini';
import type { InputOf, ResultOf } from '../../src/api/operations/define-operation.ts';
import type { get, reply } from '../../src/api/operations/posts.ts';
import type { OperationsOf } from '../../src/api/operations/registry.ts';
import type { Post } from '../../src/api/schema/post.ts';
import type { handlers } from '../../src/sandbox/handlers/all-handlers.ts';
import type { HandlersOf } from '../../src/sandbox/handlers/handler.ts';

/** True if each of two types can be assigned to the other. */
type Same<A, B> = [A, B] extends [B, A] ? true : false;

// The types of an operation are inferred from its schemas.
[true, true, true] satisfies [
  Same<InputOf<typeof get>, { postId: string }>,
  Same<ResultOf<typeof get>, z.output<typeof Post>>,
  Same<InputOf<typeof reply>['parentUri'], string | undefined>,
];

// @ts-expect-error: an input that an operation does not have
true satisfies Same<InputOf<typeof get>, { postId: number }>;

declare const posts: (typeof handlers)['posts'];
const { retry, ...withoutRetry } = posts;

({ ...withoutRetry, retry }) satisfies HandlersOf<'posts'>;

// @ts-expect-error: a behaviour is missing
withoutRetry satisfies HandlersOf<'posts'>;

({
  ...posts,
  // @ts-expect-error: a behaviour whose result has another shape
  get: () => ({ id: 'PostSpringLaunch' }),
}) satisfies HandlersOf<'posts'>;

({
  ...posts,
  // @ts-expect-error: a behaviour that needs an input which the operation does not have
  get: ({ targetId }, records) => posts.get({ postId: targetId }, records),
}) satisfies HandlersOf<'posts'>;

// Every operation of an area needs its behaviour, and no other.
true satisfies Same<keyof HandlersOf<'posts'>, keyof OperationsOf<'posts'>>;
