// `posts triage` as an operation: what it sends is the read of a post, what it gives is what the posts come to.

import * as z from 'zod/mini';
import { ResourceId } from '../schema/ids.ts';
import { described } from '../schema/rules.ts';
import { type Operation, operation } from './define-operation.ts';
import { postReadSummaries } from './registry.ts';

/** What the failed targets can be grouped by. */
export const triageKeys = ['cause', 'platform', 'account'] as const;

const Counts = z.record(z.string(), z.int()).register(z.globalRegistry, { look: 'below' });

const TriageGroup = z.object({
  cause: z.optional(z.string()),
  platform: z.optional(z.string()),
  account: z.optional(z.string()),
  posts: z.int(),
  targets: z.int(),
  platforms: Counts,
  accounts: Counts,
  errors: z
    .array(z.object({ text: z.string(), count: z.int() }))
    .register(z.globalRegistry, { look: 'below' }),
  next: z.string(),
  records: z.array(z.object({ postId: z.string(), targetIds: z.array(z.string()) })),
});

const Triage = z.object({
  posts: z.int(),
  failedTargets: z.int(),
  groups: z.array(TriageGroup),
});

export type TriageGroup = z.output<typeof TriageGroup>;

export const triagePosts: Operation = operation({
  command: 'posts triage',
  summary: postReadSummaries.triage,
  details: [
    'Reads the posts and groups their failed targets; nothing is changed. The causes are temporary (timeouts, HTTP 5xx, rate limits), reconnect (tokens, permissions, sessions), content (too long, wrong format, duplicate), platform (quota, policy, restricted account) and other. They are a guess from the code and the words of the error.',
  ],
  method: 'GET',
  path: '/v1/posts/{postId}',
  input: { postId: described(ResourceId, 'Post ID', { argument: 'many' }) },
  result: Triage,
  rows: 'groups',
  columns: ['cause', 'posts', 'targets', 'platforms', 'accounts', 'errors', 'next'],
  examples: [
    ['See why a post failed', 'social posts triage PostSpringLaunch'],
    [
      'Save one list per cause, for posts retry --from',
      'social posts triage PostSpringLaunch PostHolidayTease --save triage',
    ],
  ],
});
