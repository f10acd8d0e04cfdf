// Suggests the next step for one post, after a batch that failed, and for a group of a triage: a command that can
// succeed, or else words. A retry is suggested only for failures that it can fix; the advice for all others depends on
// their cause.

import { type Input, isChange } from '../../api/operations/define-operation.ts';
import { isPosted, isRetryable, targetsOf, type TargetState } from '../../api/schema/post.ts';
import { ifPossible } from '../../base/errors.ts';
import {
  type CommandLine,
  flagWords,
  isSameLine,
  labelledLine,
  NOT_SHOWN,
  shellLine,
  socialLine,
} from '../../base/shell.ts';
import type {
  Advice,
  BatchFailures,
  Session,
  CommandHooks,
  FailedAccount,
  TypedRecords,
} from '../../client/session.ts';
import { type BatchOptions, isPiped, listFlags } from '../../batch/options.ts';
import type { Client } from '../../client/open-client.ts';
import type { Result } from '../../client/read-response.ts';
import { isUnsure, readCause } from '../../client/cause.ts';
import { isJsonForm } from '../../config/flags.ts';
import { formOf } from '../../output/write-result.ts';
import { remedies } from '../../client/remedies.ts';
import type { CauseRule } from '../../client/taught-causes.ts';
import { selectsTargets, targetFilter } from './select-targets.ts';
import { accountsOf, type TriageGroup, type TriageKey } from './triage-groups.ts';

/** The settings and typed flags: a suggested command goes to the same service. */
type Where = Pick<Client, 'settings' | 'flags'>;

/** Makes the line of a `posts` command for these posts. */
const postsLine = (
  verb: string,
  list: TypedRecords,
  flags: CommandLine,
  where: Where,
): CommandLine =>
  socialLine(
    { words: ['posts', verb], ids: list.ids, flags: [...(list.flags ?? []), ...flags] },
    where,
  );

const targetFlags = (ids: readonly string[]): CommandLine => flagWords('--target', ...ids);

/** Shows the next step below the table of a post, but not for scripts. */
export const afterPost: NonNullable<CommandHooks['after']> = async (
  { data },
  { postId },
  session,
) => {
  const { settings, runtime, isBatch } = session;
  if (isBatch !== true && formOf(settings, runtime.stdout) === 'table')
    noteNextStep(String(postId), data, session);
};

/** Shows the next step for a post; nothing if its targets cannot be read. */
function noteNextStep(postId: string, data: unknown, where: Session): void {
  const targets = ifPossible(() => targetsOf(data));
  if (targets === undefined) return;
  const wait = waitLine(postId, targets, where);
  const { hint, next } =
    wait === undefined
      ? retryAdvice(
          postId,
          targets,
          untold(targets, where).filter(({ status }) => !NOT_FAILED.includes(status)),
          where,
        )
      : { next: wait };
  if (hint !== undefined) where.runtime.note(hint);
  if (next !== undefined) where.runtime.note(labelledLine('try', next));
}

/** Makes the command that waits for targets in progress; `undefined` if there are none. */
export function waitLine(
  postId: string,
  targets: readonly TargetState[],
  where: Where,
): CommandLine | undefined {
  const moving = targets.filter(({ status }) => status === 'publishing');
  if (moving.length === 0) return undefined;
  const isAll = targets.every(({ status }) => status === 'publishing' || status === 'published');
  const named = isAll ? [] : targetFlags(moving.map(({ id }) => id));
  return postsLine('wait', { ids: [postId] }, named, where);
}

/** The advice of the commands that wait for posts: `posts retry` and `posts wait`. */
export const postAdvice: CommandHooks = { adviseAfterWait, adviseAfterBatch };

/** Advises on the failed targets of a wait, with their causes. */
function adviseAfterWait(
  { data }: Result,
  bad: readonly string[],
  input: Input,
  session: Session,
): Advice {
  const targets = targetsOf(data);
  const failed = targets.filter(({ id }) => bad.includes(id));
  const platformsByCause = new Map<string, Set<string>>();
  for (const { platform, error } of failed) {
    if (typeof error !== 'string') continue;
    const { cause } = readCause(platform, error, session.causeRules);
    platformsByCause.set(cause, (platformsByCause.get(cause) ?? new Set()).add(platform));
  }
  const causes = [...platformsByCause].map(([cause, on]) => `${cause} (${[...on].join(', ')})`);
  const line = `likely ${causes.length === 1 ? 'cause' : 'causes'}: ${causes.join(', ')}`;
  return {
    ...retryAdvice(String(input['postId']), targets, untold(failed, session), session, ['--wait']),
    why: causes.length === 0 ? undefined : [line],
  };
}

/** Leaves out the targets that this retry has skipped aloud: the note of that has said what helps. */
function untold(
  targets: readonly TargetState[],
  { operation, flags, settings, runtime, causeRules }: Session,
): readonly TargetState[] {
  const isForPeople = !settings.quiet && !isJsonForm(formOf(settings, runtime.stdout));
  if (!isForPeople || !isChange(operation) || !selectsTargets(flags)) return targets;
  const { leavesOut } = targetFilter(flags, causeRules);
  return targets.filter((target) => !leavesOut(target));
}

/**
 * Suggests the retry that can help, with `more` flags, and other steps; `about` are the targets in question, among all of
 * the post.
 */
function retryAdvice(
  postId: string,
  all: readonly TargetState[],
  about: readonly TargetState[],
  where: Where & Pick<Client, 'causeRules'>,
  more: CommandLine = [],
): Advice {
  const hints = new Set<string>();
  const idsWorthRetry: string[] = [];
  const toCheck: FailedAccount[] = [];
  for (const target of about) {
    const obstacle = obstacleOf(target, where.causeRules);
    if (obstacle !== undefined) hints.add(`${target.platform}: ${obstacle}`);
    else if (isRetryable(target)) idsWorthRetry.push(target.id);
    const { platform, accountId: account } = target;
    if (obstacle === remedies.reconnect.ofTarget && typeof account === 'string')
      toCheck.push({ platform, account });
  }
  const selected = all.filter(
    (target) => isRetryable(target) && !isUnsure(target, where.causeRules),
  );
  const isEveryFailed = idsWorthRetry.length === selected.length;
  const named = isEveryFailed ? ['--failed'] : targetFlags(idsWorthRetry);
  const retry =
    idsWorthRetry.length > 0 && postsLine('retry', { ids: [postId] }, [...named, ...more], where);
  const check = readinessLine(toCheck, where);
  const then = retry && check ? `\n${labelledLine('then check', check)}` : '';
  return {
    next: retry || check,
    hint: hints.size === 0 ? undefined : `${[...hints].join('; ')}${then}`,
  };
}

/** Returns why a retry cannot help an unpublished target; `undefined` for no reason, also for a target in progress. */
function obstacleOf(target: TargetState, rules: readonly CauseRule[]): string | undefined {
  const { status, error, platform } = target;
  if (status === 'action_required')
    return 'action required; see the platform or the service’s console';
  if (NOT_FAILED.includes(status))
    return `${status}, which no retry changes; schedule or publish it in the service`;
  if (status !== 'failed') return undefined;
  if (isPosted(target)) return 'failed, but already has a platform post; check that first';
  if (typeof error !== 'string') return undefined;
  return remedies[readCause(platform, error, rules).cause].ofTarget;
}

/** The statuses in which a target stays until a person publishes it: only a wait for it needs advice. */
const NOT_FAILED = ['draft', 'unpublished', 'cancelled'];

const MAX_ACCOUNTS = 3;

/** Formats `facebook AccountFacebookB and 2 more`. Names are quoted as in a command. */
function accountNames(accounts: readonly FailedAccount[]): string {
  const named = accounts
    .slice(0, MAX_ACCOUNTS)
    .map(({ platform, account }) => shellLine([platform, account]) ?? 'an account');
  const more = accounts.length - named.length;
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const accountsToReconnect = (accounts: readonly FailedAccount[]): string =>
  `reconnect ${accountNames(accounts) || 'the accounts'} in the service`;

/** Advises a person to check the accounts: the targets may be on their platform. */
function lookFirst(accounts: readonly FailedAccount[]): string {
  const where = accountNames(accounts);
  return `${remedies.unsure.ofPosts}${where === '' ? '' : ` (${where})`}`;
}

/** Suggests the readiness command, which exists only for Facebook accounts. */
function readinessLine(accounts: readonly FailedAccount[], where: Where): CommandLine | undefined {
  const facebook = accounts.find(({ platform }) => platform === 'facebook');
  if (facebook === undefined) return undefined;
  const flags = flagWords('-a', facebook.account);
  return socialLine({ words: ['connect', 'facebook', 'pages'], flags }, where);
}

/** Advises after a batch: to retry the records that a retry can fix, and what has to happen first for others. */
function adviseAfterBatch(failures: BatchFailures, session: Omit<Session, 'service'>): Advice {
  const { causes, isWorthRetry, accounts, list } = failures;
  const retry = (cause: string) => {
    if (isChange(session.operation)) return failures.again(cause);
    return list && postsLine('retry', list, ['--cause', cause, '--wait'], session);
  };
  const needsReconnection = causes.has('reconnect');
  const needsTriage = causes.has('other') || (needsReconnection && accounts.length === 0);
  const retryTemporary = isWorthRetry ? retry('temporary') : undefined;
  const check = readinessLine(accounts, session);
  const triage = needsTriage && list ? postsLine('triage', list, [], session) : undefined;
  const next = retryTemporary ?? check ?? triage;
  const hints: string[] = [];
  // The hints omit the line that is already the next step.
  const hintUnlessNext = (label: string, line: CommandLine | undefined) => {
    if (line !== undefined && !isSameLine(line, next)) hints.push(labelledLine(label, line));
  };
  if (needsReconnection) {
    hints.push(accountsToReconnect(accounts));
    hintUnlessNext('then check', check);
    hintUnlessNext('then retry those', retry('reconnect'));
  }
  for (const cause of ['unsure', 'content', 'platform', 'request'] as const)
    if (causes.has(cause))
      hints.push(`${cause === 'request' ? 'refused' : cause}: ${remedies[cause].ofPosts}`);
  hintUnlessNext('see why', triage);
  return { next, hint: hints.join('\n') || undefined };
}

interface NextContext {
  readonly by: TriageKey;
  /** The command line of the triage. */
  readonly line: CommandLine;
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
  if (cause === 'unsure') return lookFirst(accountsOf(group));
  if (records.length === 0) return 'nothing to retry: the platform already has these posts';
  // A group has at least one target, and so a cause.
  const { ofPosts } = remedies[cause!];
  if (ofPosts !== undefined) return ofPosts;
  if (cause === 'temporary') return shellLine(retryOfGroup(group, context)) ?? NOT_SHOWN;
  if (cause === 'reconnect') {
    const accounts = accountsOf(group);
    const check = readinessLine(accounts, where);
    const reconnect = accountsToReconnect(accounts);
    return check === undefined ? reconnect : `${reconnect}; ${labelledLine('then check', check)}`;
  }
  // The cause is unknown: one of the posts may show it.
  const line = postsLine('get', { ids: [records[0]!.postId] }, [], where);
  return shellLine(line) ?? NOT_SHOWN;
}

/** The maximum number of posts in a command. */
const MAX_POSTS = 10;

/** Returns the command that retries a group of temporary causes, which need nothing first. */
function retryOfGroup({ key, records }: TriageGroup, context: NextContext): CommandLine {
  const { by, line, where, file } = context;
  const { from, ...chosen } = where.flags as Partial<BatchOptions>;
  const retry = (list: TypedRecords, flags: CommandLine, journal: CommandLine = []) =>
    postsLine('retry', list, [...flags, '--wait', ...journal], where);
  if (file !== undefined) {
    const journal = flagWords('--journal', file.replace(/ndjson$/, 'journal'));
    return retry({ flags: flagWords('--from', file) }, ['--failed'], journal);
  }
  if (records.length === 1) {
    const { postId, targetIds } = records[0]!;
    return retry({ ids: [postId] }, targetFlags(targetIds));
  }
  // The targets of several posts are named by filters, of which there is none for an account.
  if (by !== 'account') {
    const platform = by === 'platform' ? flagWords('--platform', key) : [];
    const filter = ['--cause', 'temporary', ...platform];
    if (from !== undefined && !isPiped(from))
      return retry({ flags: listFlags(from, chosen) }, filter);
    if (records.length <= MAX_POSTS)
      return retry({ ids: records.map(({ postId }) => postId) }, filter);
  }
  // No flags name these targets: --save writes their records to a file, and then suggests the retry from that file.
  return [...line, '--save', 'triage'];
}
