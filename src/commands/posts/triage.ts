// `posts triage`: its operation and its flags. It reads posts and groups their failed targets (`triage-report.ts`).

import * as z from 'zod/mini';
import { type Operation, operation } from '../../api/operations/define-operation.ts';
import { get } from '../../api/operations/posts.ts';
import { fieldMeta } from '../../api/schema/rules.ts';
import type { Command } from '../../client/session.ts';
import { causesFlag } from '../../client/taught-causes.ts';
import { oneOf, writtenPath } from '../../config/flag-types.ts';
import { platformFlag } from './select-targets.ts';
import type { TriageKey } from './triage-groups.ts';

/** The keys for grouping failed targets. */
export const triageKeys = ['cause', 'platform', 'account'] as const satisfies readonly TriageKey[];

const Counts = z.record(z.string(), z.int()).register(fieldMeta, { look: 'below' });

const Group = z.object({
  cause: z.optional(z.string()),
  platform: z.optional(z.string()),
  account: z.optional(z.string()),
  posts: z.int(),
  targets: z.int(),
  platforms: Counts,
  accounts: Counts,
  /** The rules that gave the cause (a code, a word, a line of causes.tsv), each with its number of targets. */
  readFrom: Counts,
  errors: z
    .array(z.object({ text: z.string(), count: z.int() }))
    .register(fieldMeta, { look: 'below' }),
  next: z.string(),
  records: z.array(z.object({ postId: z.string(), targetIds: z.array(z.string()) })),
});

const Triage = z.object({
  posts: z.int(),
  failedTargets: z.int(),
  groups: z.array(Group),
});

/** Its arguments are those of `posts get`; its result is one for all posts. */
export const triageOperation: Operation = operation({
  command: 'posts triage',
  summary: 'Show why posts failed, grouped by cause',
  details:
    'Reads only. The cause is a guess from the error: temporary (timeouts, HTTP 5xx, rate limits), reconnect (tokens, permissions), content (too long, wrong format, duplicate), platform (quota, policy), unsure (it may be published already) or other. A rule of causes.tsv decides first: platform or *, cause, text, with tabs between.',
  method: get.method,
  path: get.path,
  input: { postId: get.input.shape.postId },
  result: Triage,
  rows: 'groups',
  columns: ['cause', 'posts', 'targets', 'platforms', 'accounts', 'errors', 'next', 'readFrom'],
  examples: {
    'See why a post failed': 'social posts triage PostSpringLaunch',
    'Save one list per cause, for posts retry --from':
      'social posts triage PostSpringLaunch PostFlashSaleNow --save triage',
  },
});

export const triageCommand: Command = {
  operation: triageOperation,
  flags: [
    {
      flags: '--by <key>',
      description: 'Group by cause, platform or account (default cause)',
      type: oneOf(triageKeys),
    },
    {
      flags: '--save <folder>',
      description: 'Write the records of each group to a file, for posts retry --from',
      type: writtenPath('folder'),
    },
    platformFlag('Only failed targets on this platform'),
    causesFlag,
  ],
  hooks: async () => (await import('./triage-report.ts')).triageHooks,
};
