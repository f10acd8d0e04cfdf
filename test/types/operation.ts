// What must not compile, proved by the compiler: each `@ts-expect-error` is an error of its own when the line below
// it is right. Nothing here is run.

import type * as z from 'zod/mini';
import {
  type InputOf,
  operation,
  type ResultOf,
} from '../../src/api/operations/define-operation.ts';
import type { get, reply } from '../../src/api/operations/posts.ts';
import type { OperationsOf } from '../../src/api/operations/registry.ts';
import { ResourceId } from '../../src/api/schema/ids.ts';
import { Post } from '../../src/api/schema/post.ts';
import type { handlers } from '../../src/sandbox/handlers/all-handlers.ts';
import type { HandlersOf } from '../../src/sandbox/handlers/types.ts';

const sound = {
  command: 'posts peek',
  summary: 'Peek at a post',
  method: 'GET',
  path: '/v1/posts/{postId}',
  input: { postId: ResourceId },
  result: Post,
  columns: ['id', 'status', 'recycling.every'],
  examples: [['Peek', 'social posts peek PostSpringLaunch']],
} as const;

// The plain one compiles, and so does each part that is spoilt below.
operation({
  ...sound,
  rows: 'targets',
  header: ['title', 'recycling.every'],
  columns: ['platform', 'platformSpecificData.poll'],
  query: ['postId'],
  inspect: 'social posts get {postId}',
});

// @ts-expect-error: a placeholder of the path that is no field
operation({ ...sound, path: '/v1/posts/{postID}' });

// @ts-expect-error: a second placeholder that is no field
operation({ ...sound, path: '/v1/posts/{postId}/targets/{targetId}' });

// @ts-expect-error: a placeholder of the command that is no field
operation({ ...sound, command: 'posts {action}' });

// @ts-expect-error: a column that the result lacks
operation({ ...sound, columns: ['id', 'stauts'] });

// @ts-expect-error: a column below a field that has none
operation({ ...sound, columns: ['status.id'] });

// @ts-expect-error: a column of the whole where each row is a target
operation({ ...sound, rows: 'targets', columns: ['crosspostingEnabled'] });

// @ts-expect-error: rows of a field that is no list
operation({ ...sound, rows: 'status', columns: [] });

// @ts-expect-error: rows of a list that holds no objects
operation({ ...sound, rows: 'tags', columns: [] });

// @ts-expect-error: rows of a field that the result lacks
operation({ ...sound, rows: 'goals', columns: [] });

// @ts-expect-error: a heading that the result lacks
operation({ ...sound, header: ['platform'] });

// @ts-expect-error: a query name that is no field
operation({ ...sound, query: ['accountId'] });

// @ts-expect-error: a placeholder of the inspection that is no field
operation({ ...sound, inspect: 'social posts get {id}' });

// @ts-expect-error: no example
operation({ ...sound, examples: [] });

// @ts-expect-error: a method that nobody answers
operation({ ...sound, method: 'HEAD' });

/** Whether each of two types goes where the other does. */
type Same<A, B> = [A, B] extends [B, A] ? true : false;

// Types are inferred from the schemas, and are the plain ones.
[true, true, true, true] satisfies [
  Same<InputOf<typeof get>, { postId: string }>,
  Same<ResultOf<typeof get>, z.output<typeof Post>>,
  Same<InputOf<typeof reply>['text'], string>,
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
  // @ts-expect-error: a behaviour whose result has a field of another type
  reply: () => ({ liked: 'yes' }),
}) satisfies HandlersOf<'posts'>;

({
  ...posts,
  // @ts-expect-error: a behaviour that wants an input which the operation does not have
  get: ({ targetId }, records) => posts.get({ postId: targetId }, records),
}) satisfies HandlersOf<'posts'>;

// Every operation of an area wants its behaviour, and no other.
true satisfies Same<keyof HandlersOf<'posts'>, keyof OperationsOf<'posts'>>;
