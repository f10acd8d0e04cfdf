// The failed targets of many posts, in groups by cause, platform or account, and the report on these groups.

import { isMoving, isPosted, targetsOf } from '../../api/schema/post.ts';
import type { FailedAccount } from '../../client/session.ts';
import { type TargetCause, targetCauses } from '../../client/taught-causes.ts';
import type { Client } from '../../client/open-client.ts';
import { readCause } from '../../client/cause.ts';
import { MAY_BE_PUBLISHED, remedies } from '../../client/remedies.ts';
import { valueAt } from '../../output/table-view.ts';

/** The keys for grouping failed targets. */
export type TriageKey = 'cause' | 'platform' | 'account';

/** A target that ended in another state than published, usually `failed`. */
export interface UnpublishedTarget extends Readonly<Record<TriageKey, string>> {
  readonly postId: string;
  readonly id: string;
  readonly cause: TargetCause;
  /** The part of the error from which the cause was read. */
  readonly readFrom: string | undefined;
  /** The error, or the status if there is none. */
  readonly error: string;
  readonly hasError: boolean;
  readonly isFailed: boolean;
  /** True if it exists on its platform. */
  readonly isPosted: boolean;
}

/** Failed targets with the same cause, platform or account. */
export interface TriageGroup {
  readonly key: string;
  readonly targets: readonly UnpublishedTarget[];
  /**
   * The records for a retry: without targets that exist on their platform, and without those that may exist there,
   * unless these are the group.
   */
  readonly records: readonly { readonly postId: string; readonly targetIds: readonly string[] }[];
}

/** The account of a target whose response names none. */
const NO_ACCOUNT = '-';

/** Returns the targets of a post that are neither published nor in progress. Throws as `targetsOf` does. */
export function unpublishedTargetsOf(
  post: unknown,
  { causeRules, runtime }: Pick<Client, 'causeRules' | 'runtime'>,
): readonly UnpublishedTarget[] {
  const { mask } = runtime.secrets;
  return targetsOf(post)
    .filter((target) => target.status !== 'published' && !isMoving(target))
    .map((target) => {
      const text = typeof target.error === 'string' ? target.error : '';
      const { cause, readFrom } = readCause(target.platform, text, causeRules);
      const account = valueAt(target, 'accountId');
      return {
        postId: String(valueAt(post, 'id')),
        id: target.id,
        platform: target.platform,
        account: typeof account === 'string' ? account : NO_ACCOUNT,
        cause,
        readFrom: readFrom && mask(readFrom),
        error: text === '' ? `(${target.status})` : mask(text),
        hasError: text !== '',
        isFailed: target.status === 'failed',
        isPosted: isPosted(target),
      };
    });
}

/** Groups targets: causes in their order, platforms and accounts with the most targets first. */
export function groupTargets(
  targets: readonly UnpublishedTarget[],
  by: TriageKey,
): readonly TriageGroup[] {
  const targetsByKey = new Map<string, UnpublishedTarget[]>();
  for (const target of targets) {
    const inGroup = targetsByKey.get(target[by]) ?? [];
    inGroup.push(target);
    targetsByKey.set(target[by], inGroup);
  }
  const order: readonly string[] = targetCauses;
  return [...targetsByKey]
    .map(([key, inGroup]) => ({ key, targets: inGroup, records: recordsOf(inGroup, by) }))
    .toSorted((a, b) =>
      by === 'cause'
        ? order.indexOf(a.key) - order.indexOf(b.key)
        : b.targets.length - a.targets.length,
    );
}

export type TriageReport = ReturnType<typeof triageReport>;

/** Makes the report on the groups of so many posts; `nextOf` returns the next step for a group. */
export const triageReport = (
  posts: number,
  groups: readonly TriageGroup[],
  by: TriageKey,
  nextOf: (group: TriageGroup) => string,
) => ({
  posts,
  failedTargets: groups.reduce((sum, { targets }) => sum + targets.length, 0),
  groups: groups.map((group) => {
    const key: Readonly<Partial<Record<TriageKey, string>>> = { [by]: group.key };
    return { ...key, ...countsOf(group), next: nextOf(group), records: group.records };
  }),
});

/** Formats `121 can be retried now, 3 may be published already, 61 content`: what a retry of each target risks. */
export function riskLine(targets: readonly UnpublishedTarget[]): string {
  const counts = new Map([
    ['can be retried now', 0],
    [MAY_BE_PUBLISHED, 0],
  ]);
  for (const { cause, isPosted: exists, isFailed } of targets) {
    const risk =
      exists || cause === 'unsure'
        ? MAY_BE_PUBLISHED
        : !isFailed
          ? 'have not failed'
          : remedies[cause].mayRetry
            ? 'can be retried now'
            : `fail again unchanged (${cause})`;
    counts.set(risk, (counts.get(risk) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > 0)
    .map(([risk, count]) => `${count} ${count === 1 ? inSingular(risk) : risk}`)
    .join(', ');
}

const inSingular = (risk: string) => risk.replace(/^have/, 'has').replace(/^fail/, 'fails');

function recordsOf(targets: readonly UnpublishedTarget[], by: TriageKey): TriageGroup['records'] {
  const records = new Map<string, { postId: string; targetIds: string[] }>();
  for (const target of targets) {
    if (target.isPosted || (target.cause === 'unsure' && by !== 'cause')) continue;
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

/** Returns the accounts of the targets, those with the most targets first. */
export const accountsOf = ({ targets }: TriageGroup): readonly FailedAccount[] =>
  mostFrequent(targets.map(({ account }) => account))
    .filter(([account]) => account !== NO_ACCOUNT)
    // An account belongs to one platform, so any of its targets has both names.
    .map(([account]) => targets.findLast((target) => target.account === account)!);
