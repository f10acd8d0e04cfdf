// The failed targets of many posts, grouped by cause, platform or account: their report, and the next step for each
// group, a command or else words.

import { isMoving, isPosted, targetsOf } from '../../api/schema/post.ts';
import { shellQuote, suggestCommand } from '../../base/shell.ts';
import { isPiped, listWords } from '../../batch/options.ts';
import type { Client } from '../../client/open-client.ts';
import { namesPost, readCause } from '../../client/read-cause.ts';
import { remedies } from '../../client/remedies.ts';
import { type TargetCause, targetCauses } from '../../client/cause-rules.ts';
import { valueAt } from '../../output/table-view.ts';
import {
  accountsToReconnect,
  MAYBE_PUBLISHED,
  targetFlags,
  readinessLine,
  retryLine,
} from './next-step.ts';

/** The keys for grouping failed targets. */
export type TriageKey = 'cause' | 'platform' | 'account';

/** A target that ended in another state than published, usually `failed`. */
interface UnpublishedTarget extends Readonly<Record<TriageKey, string>> {
  readonly postId: string;
  readonly id: string;
  readonly cause: TargetCause;
  /** The part of the error from which the cause was read. */
  readonly readFrom: string | undefined;
  /** The error, or the status if there is none. */
  readonly error: string;
  /** True if it exists on its platform. */
  readonly isPosted: boolean;
}

/** Failed targets with the same cause, platform or account. */
export interface TriageGroup {
  readonly key: string;
  readonly targets: readonly UnpublishedTarget[];
  /** The records for a retry: without targets that exist on their platform. */
  readonly records: readonly { readonly postId: string; readonly targetIds: readonly string[] }[];
}

export type TriageReport = ReturnType<ReturnType<typeof createTriage>['report']>;

/** The account of a target whose response names none. */
const NO_ACCOUNT = '-';

/** Makes the collector of posts, which stores their failed targets. */
export function createTriage(by: TriageKey, client: Client) {
  const { mask } = client.runtime.secrets;
  const postIds = new Set<string>();
  const targetsByKey = new Map<string, UnpublishedTarget[]>();

  const unpublishedTargetsOf = (postId: string, post: unknown): readonly UnpublishedTarget[] =>
    targetsOf(post)
      .filter((target) => target.status !== 'published' && !isMoving(target))
      .map((target) => {
        const text = typeof target.error === 'string' ? target.error : '';
        const { cause, readFrom } = readCause(target.platform, text, client.causeRules);
        const account = valueAt(target, 'accountId');
        return {
          postId,
          id: target.id,
          platform: target.platform,
          account: typeof account === 'string' ? account : NO_ACCOUNT,
          cause,
          readFrom: readFrom && mask(readFrom),
          error: text === '' ? `(${target.status})` : mask(text),
          isPosted: isPosted(target),
        };
      });
  return {
    add(post: unknown): void {
      const postId = String(valueAt(post, 'id'));
      if (postIds.has(postId)) return;
      postIds.add(postId);
      for (const target of unpublishedTargetsOf(postId, post)) {
        const inGroup = targetsByKey.get(target[by]);
        if (inGroup === undefined) targetsByKey.set(target[by], [target]);
        else inGroup.push(target);
      }
    },

    /** Returns the groups: causes in their order, platforms and accounts with the most targets first. */
    groups(): readonly TriageGroup[] {
      const order: readonly string[] = targetCauses;
      return [...targetsByKey]
        .map(([key, targets]) => ({ key, targets, records: recordsOf(targets) }))
        .toSorted((a, b) =>
          by === 'cause'
            ? order.indexOf(a.key) - order.indexOf(b.key)
            : b.targets.length - a.targets.length,
        );
    },

    /** Makes the report of the groups; `nextOf` makes the next step for one. */
    report: (groups: readonly TriageGroup[], nextOf: (group: TriageGroup) => string) => ({
      posts: postIds.size,
      failedTargets: groups.reduce((sum, { targets }) => sum + targets.length, 0),
      groups: groups.map((group) => {
        const key: Readonly<Partial<Record<TriageKey, string>>> = { [by]: group.key };
        return { ...key, ...countsOf(group), next: nextOf(group), records: group.records };
      }),
    }),
  };
}

function recordsOf(targets: readonly UnpublishedTarget[]): TriageGroup['records'] {
  const records = new Map<string, { postId: string; targetIds: string[] }>();
  for (const target of targets) {
    if (target.isPosted) continue;
    const record = records.get(target.postId) ?? { postId: target.postId, targetIds: [] };
    record.targetIds.push(target.id);
    records.set(target.postId, record);
  }
  return [...records.values()];
}

function countsOf({ targets }: TriageGroup) {
  const readings = targets.map(({ readFrom }) => readFrom).filter((part) => part !== undefined);
  const errors = mostFrequent(targets.map(({ error }) => error));
  return {
    posts: new Set(targets.map(({ postId }) => postId)).size,
    targets: targets.length,
    platforms: Object.fromEntries(mostFrequent(targets.map(({ platform }) => platform))),
    accounts: Object.fromEntries(mostFrequent(targets.map(({ account }) => account))),
    readFrom: Object.fromEntries(mostFrequent(readings)),
    errors: errors.map(([text, count]) => ({ text, count })),
  };
}

/** Counts each text, the most frequent first. */
function mostFrequent(texts: readonly string[]) {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].toSorted(([, a], [, b]) => b - a);
}

interface NextContext {
  readonly by: TriageKey;
  /** The command line of the triage. */
  readonly line: string;
  readonly where: Pick<Client, 'settings' | 'flags'>;
  /** The file in which the records were saved. */
  readonly file?: string | undefined;
}

/** Returns the next step for a group. */
export function nextOfGroup(group: TriageGroup, context: NextContext): string {
  const { targets, records } = group;
  const { where } = context;
  const [cause, ...others] = new Set(targets.map((target) => target.cause));
  // One retry of the whole group would fail again for some targets.
  if (others.length > 0)
    return `has several causes (${[cause, ...others].join(', ')}): use --by cause`;
  if (records.length === 0) return 'nothing to retry: the platform already has these posts';
  // A group has at least one target, and so a cause.
  const { ofPosts } = remedies[cause!];
  if (ofPosts !== undefined) {
    const isMaybePublished = cause === 'content' && targets.some(({ error }) => namesPost(error));
    return isMaybePublished ? `${MAYBE_PUBLISHED}; else ${ofPosts}` : ofPosts;
  }
  if (cause === 'temporary') return retryOfGroup(group, context);
  if (cause === 'reconnect') {
    const accounts = accountsOf(targets);
    const check = readinessLine(accounts, where);
    return `${accountsToReconnect(accounts)}${check === undefined ? '' : `; then check: ${check}`}`;
  }
  // The cause is unknown: one of the posts may show it.
  return suggestCommand(`posts get ${shellQuote(records[0]!.postId)}`, where);
}

/** Returns the accounts of the targets, those with the most targets first. */
const accountsOf = (targets: readonly UnpublishedTarget[]) =>
  mostFrequent(targets.map(({ account }) => account))
    .filter(([account]) => account !== NO_ACCOUNT)
    // An account belongs to one platform, so any of its targets has both names.
    .map(([account]) => targets.findLast((target) => target.account === account)!);

/** The maximum number of posts in a command. */
const MAX_POSTS = 10;

/** Returns the command that retries a group of temporary causes, which need nothing first. */
function retryOfGroup({ key, records }: TriageGroup, context: NextContext): string {
  const { by, line, where, file } = context;
  const { from, column } = where.flags as { readonly from?: string; readonly column?: string };
  const retry = (words: string) => retryLine(`${words} --wait`, where);
  if (file !== undefined) return retry(`--from ${shellQuote(file)} --failed`);
  if (records.length === 1) {
    const { postId, targetIds } = records[0]!;
    return retry(shellQuote(postId) + targetFlags(targetIds));
  }
  // The targets of several posts are named by filters, of which there is none for an account.
  if (by !== 'account') {
    const filter = `--cause temporary${by === 'platform' ? ` --platform ${shellQuote(key)}` : ''}`;
    if (from !== undefined && !isPiped(from)) return retry(`${listWords(from, column)} ${filter}`);
    if (records.length <= MAX_POSTS)
      return retry(`${records.map(({ postId }) => shellQuote(postId)).join(' ')} ${filter}`);
  }
  // No flags name these targets: --save writes their records to a file, and then suggests the retry from that file.
  return `${line} --save triage`;
}
