// The failed targets of many posts, grouped by cause, platform or account. Stores the IDs of failed targets, and a
// bounded number of errors for each group.

import { isMoving, isPosted, targetsOf, type TargetState } from '../../api/schema/target-states.ts';
import { valueAt } from '../../output/columns.ts';
import type { FailedAccount } from '../../client/call-context.ts';
import { type CauseRule, type TargetCause, targetCauses } from '../../client/taught-causes.ts';
import { readCause } from '../../client/read-cause.ts';

/** The keys for grouping failed targets. */
export const triageKeys = ['cause', 'platform', 'account'] as const;

export type TriageKey = (typeof triageKeys)[number];

const MAX_ERRORS = 100;
/** Shown if the response names no account. */
const NO_ACCOUNT = '-';

export type GroupFacts = ReturnType<typeof factsOf>;

const CAUSES: readonly string[] = targetCauses;

/** Makes the collector of posts; `mask` redacts each error. */
export function createTriage(
  by: TriageKey,
  mask: (text: string) => string,
  rules: readonly CauseRule[] = [],
) {
  const groups = new Map<string, Group>();
  const postIds = new Set<string>();
  let failedTargets = 0;

  const addTarget = (postId: string, target: TargetState) => {
    failedTargets++;
    const { platform, error: rawError, id, status } = target;
    const error = typeof rawError === 'string' && rawError !== '' ? mask(rawError) : `(${status})`;
    const accountId = valueAt(target, 'accountId');
    const account = typeof accountId === 'string' ? accountId : NO_ACCOUNT;
    const said = typeof rawError === 'string' ? rawError : '';
    const { cause, readFrom } = readCause(platform, said, rules);
    const key = { cause, platform, account }[by];
    const group = groups.get(key) ?? newGroup();
    groups.set(key, group);
    group.causes.add(cause);
    if (readFrom !== undefined) countUpTo(MAX_ERRORS, group.readFrom, mask(readFrom));
    group.platformOf.set(account, platform);
    count(group.platforms, platform);
    count(group.accounts, account);
    countUpTo(MAX_ERRORS, group.errors, error);
    const ofPost = group.targets.get(postId) ?? { all: 0, ids: [] };
    group.targets.set(postId, ofPost);
    ofPost.all++;
    if (!isPosted(target)) ofPost.ids.push(id);
  };
  return {
    add(post: unknown): void {
      const postId = String(valueAt(post, 'id'));
      if (postIds.has(postId)) return;
      postIds.add(postId);
      for (const target of targetsOf(post))
        if (target.status !== 'published' && !isMoving(target)) addTarget(postId, target);
    },
    totals: () => ({ posts: postIds.size, failedTargets }),
    groups(): readonly GroupFacts[] {
      const all = [...groups].map(([key, group]) => factsOf(key, group));
      return by === 'cause'
        ? all.toSorted((a, b) => CAUSES.indexOf(a.key) - CAUSES.indexOf(b.key))
        : all.toSorted((a, b) => b.counts.targets - a.counts.targets);
    },
  };
}

const newGroup = () => ({
  causes: new Set<TargetCause>(),
  platforms: new Map<string, number>(),
  accounts: new Map<string, number>(),
  platformOf: new Map<string, string>(),
  errors: new Map<string, number>(),
  readFrom: new Map<string, number>(),
  targets: new Map<string, { all: number; ids: string[] }>(),
});

type Group = ReturnType<typeof newGroup>;

const count = (counts: Map<string, number>, key: string) =>
  counts.set(key, (counts.get(key) ?? 0) + 1);

/** Counts a key; no new keys after `most` of them. */
const countUpTo = (most: number, counts: Map<string, number>, key: string) => {
  if (counts.has(key) || counts.size < most) count(counts, key);
};

const mostFirst = (counts: ReadonlyMap<string, number>) =>
  [...counts].toSorted(([, a], [, b]) => b - a);

function factsOf(key: string, group: Group) {
  const targets = [...group.targets];
  return {
    key,
    /** The causes of its targets. */
    causes: group.causes,
    counts: {
      posts: targets.length,
      targets: targets.reduce((sum, [, { all }]) => sum + all, 0),
      platforms: Object.fromEntries(mostFirst(group.platforms)),
      accounts: Object.fromEntries(mostFirst(group.accounts)),
      /** The parts of the errors from which the causes were read, the most frequent first. */
      readFrom: Object.fromEntries(mostFirst(group.readFrom)),
      /** The errors, the most frequent first, a hundred at most. */
      errors: mostFirst(group.errors).map(([text, times]) => ({ text, count: times })),
    },
    /** The accounts with their platforms, those with the most targets first. */
    affected: mostFirst(group.accounts)
      .filter(([account]) => account !== NO_ACCOUNT)
      .map(([account]): FailedAccount => ({ account, platform: group.platformOf.get(account)! })),
    /** The records for a retry: without targets that exist on their platform. */
    records: targets.flatMap(([postId, { ids }]) =>
      ids.length === 0 ? [] : [{ postId, targetIds: ids }],
    ),
  };
}
