// The commands of posts as data: the flags of `get` and `retry`, and `triage` and `wait`, which read each post of a
// list. What they do is loaded when they run.

import * as z from 'zod/mini';
import { type Operation, operation } from '../../api/operations/define-operation.ts';
import { get, retry } from '../../api/operations/posts.ts';
import { waitForTargets } from '../../api/operations/waits.ts';
import { Platform } from '../../api/schema/platforms.ts';
import { described, fieldMeta } from '../../api/schema/rules.ts';
import { type Extras, specsOf } from '../../cli/specs-of-operation.ts';
import type { Command, CommandHooks } from '../../client/session.ts';
import { causesFlag, targetCauses } from '../../client/taught-causes.ts';
import { oneOf, writtenPath } from '../../config/flag-types.ts';
import type { FlagSpec } from '../../config/flags.ts';
import { formOf } from '../../output/write-result.ts';
import type { TriageKey } from './triage-groups.ts';

const platformFlag = (description: string): FlagSpec => ({
  flags: '--platform <platform>',
  description,
  repeatable: true,
  type: oneOf(Platform.options),
});

/** Shows the next step below the table of a post, but not for scripts. */
const after: CommandHooks['after'] = async ({ data }, { postId }, session) => {
  const { settings, runtime, isBatch } = session;
  if (isBatch === true || formOf(settings, runtime.stdout) !== 'table') return;
  const { noteNextStep } = await import('./next-step.ts');
  noteNextStep(String(postId), data, session);
};

/** The hooks of operations, by command. */
export const extras: Extras = {
  'posts get': { flags: [causesFlag], hooks: async () => ({ after }) },
  'posts retry': {
    flags: [
      {
        flags: '--failed',
        description: 'Retry only failed targets, except unsure ones',
        readsFirst: true,
        isImpliedByJournal: true,
      },
      { ...platformFlag('Only failed targets on this platform'), readsFirst: true },
      {
        flags: '--cause <cause>',
        description: `Only targets with this cause: ${targetCauses.join(', ')}`,
        repeatable: true,
        type: oneOf(targetCauses),
        readsFirst: true,
      },
      causesFlag,
      {
        flags: '-i, --interactive',
        description: 'Choose the targets from a list (terminal only)',
        readsFirst: true,
        conflicts: ['--target'],
      },
    ],
    hooks: async () => ({ ...(await import('./retry.ts')).retryHooks, after }),
  },
};

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

export const waitOperation: Operation = operation({
  command: 'posts wait',
  summary: 'Wait until all targets of a post are published or failed',
  method: get.method,
  path: get.path,
  input: {
    postId: get.input.shape.postId,
    targetIds: described(
      retry.input.shape.targetIds,
      'Only this target (16 letters, see posts get)',
      {
        flag: 'target',
      },
    ),
  },
  result: get.result,
  rows: get.rows,
  header: get.header,
  columns: get.columns,
  wait: waitForTargets(get),
  examples: {
    'Wait for a post': 'social posts wait PostAutumnRecaps',
    'Count only one platform': 'social posts wait PostAutumnRecaps --platform mastodon',
  },
});

const sources: readonly Command[] = [
  {
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
    hooks: async () => (await import('./triage.ts')).triageHooks,
  },
  {
    operation: waitOperation,
    flags: [platformFlag('Wait only for targets on this platform'), causesFlag],
    waits: true,
    hooks: async () => (await import('./retry.ts')).waitHooks,
  },
];

export const commands = sources.flatMap(specsOf);
