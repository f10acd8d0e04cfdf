// The next step for posts: a command that can succeed, or else words. For one post, for a group of a triage, and for a
// failed batch. A retry is suggested only for failures that it can fix; the advice for all others depends on their
// cause.

import type { Input } from '../../api/operations/define-operation.ts';
import {
  isPosted,
  isRetryable,
  targetsOf,
  type TargetState,
} from '../../api/schema/target-states.ts';
import { ifPossible } from '../../base/errors.ts';
import { commandLine, shellQuote, suggestCommand } from '../../base/shell.ts';
import { isPiped, listWords, repeatable } from '../../batch/report/command-lines.ts';
import type {
  Advice,
  BatchAdvice,
  BatchFailures,
  CallContext,
  CallOutcome,
  CommandHooks,
  FailedAccount,
  WaitOutcome,
} from '../../client/call-context.ts';
import { causeFileFaults, type CauseRule } from '../../client/taught-causes.ts';
import type { Client } from '../../client/open-client.ts';
import { namesPost, readCause } from '../../client/read-cause.ts';
import { remedies } from '../../client/remedies.ts';
import { formOf } from '../../output/write-result.ts';
import { selectsTargets } from './select-targets.ts';
import { causesFlag } from './target-filter.ts';
import type { GroupFacts } from './triage-groups.ts';

/** The settings and typed flags, from which a suggested command names the same service. */
type Where = Pick<Client, 'settings' | 'flags'>;

/** Makes the command that retries what the words name. */
const retryLine = (words: string, where: Where): string =>
  suggestCommand(`posts retry ${words}`, where);

const namedTargets = (ids: readonly string[]) => ids.map((id) => ` --target ${id}`).join('');

/** The hooks of `posts get`. */
export const getHooks: CommandHooks = {
  flags: [causesFlag],
  flagFaults: causeFileFaults,
  after: tellNextStep,
};

/** Shows the next step below the table of a post, but not for scripts. */
export async function tellNextStep(
  { data }: CallOutcome,
  input: Input,
  callContext: CallContext,
): Promise<undefined> {
  const { settings, runtime, isBatch } = callContext;
  if (isBatch === true || formOf(settings, runtime.stdout) !== 'table') return;
  const targets = ifPossible(() => targetsOf(data));
  if (targets === undefined) return;
  const postId = String(input['postId']);
  const wait = waitLine(postId, targets, callContext);
  const { hint, next = wait } =
    wait === undefined ? retryAdvice(postId, targets, targets, callContext) : {};
  if (hint !== undefined) runtime.note(hint);
  if (next !== undefined) runtime.note(`try: ${next}`);
}

/** Makes the command that waits for targets in progress; `undefined` if there are none. */
export function waitLine(
  postId: string,
  targets: readonly TargetState[],
  where: Where,
): string | undefined {
  const moving = targets.filter(({ status }) => status === 'publishing');
  if (moving.length === 0) return undefined;
  const isWhole = targets.every(({ status }) => status === 'publishing' || status === 'published');
  const named = isWhole ? '' : namedTargets(moving.map(({ id }) => id));
  return suggestCommand(`posts wait ${postId}${named}`, where);
}

/** Returns the advice for the failed targets of a wait. */
export function adviseAfterWait(
  { data, input, bad }: WaitOutcome,
  callContext: CallContext,
): Advice {
  const { causeRules: rules } = callContext;
  const targets = targetsOf(data);
  const about = targets.filter(({ id }) => bad.includes(id));
  const found = about.flatMap(({ platform, error }) =>
    typeof error === 'string' ? [`${platform} ${readCause(platform, error, rules).cause}`] : [],
  );
  const causes = [...new Set(found)];
  const line = `${causes.length === 1 ? 'cause' : 'causes'}: ${causes.join(', ')}`;
  return {
    ...retryAdvice(String(input['postId']), targets, about, callContext),
    ...(causes.length === 0 ? {} : { why: [line] }),
  };
}

/** Suggests the retry that can help, and other steps; `about` are the targets in question, among all of the post. */
function retryAdvice(
  postId: string,
  all: readonly TargetState[],
  about: readonly TargetState[],
  where: Where & Pick<Client, 'causeRules'>,
): Advice {
  const { causeRules } = where;
  const worth = about.filter(
    (target) => isRetryable(target) && obstacleOf(target, causeRules) === undefined,
  );
  const isWhole = worth.length === all.filter(isRetryable).length;
  const named = isWhole ? ' --failed' : namedTargets(worth.map(({ id }) => id));
  const hints = about.flatMap((target) => {
    const obstacle = obstacleOf(target, causeRules);
    return obstacle === undefined ? [] : [`${target.platform}: ${obstacle}`];
  });
  return {
    ...(worth.length === 0 ? {} : { next: retryLine(`${postId}${named}`, where) }),
    ...(hints.length === 0 ? {} : { hint: [...new Set(hints)].join('; ') }),
  };
}

/** Returns why a retry cannot help a target; `undefined` if it can, or if nothing needs to be said. */
function obstacleOf(target: TargetState, rules: readonly CauseRule[]): string | undefined {
  const { status, error, platform } = target;
  if (status === 'action_required')
    return 'action required; see the platform or the service’s console';
  if (status !== 'failed') return undefined;
  if (isPosted(target)) return 'failed, but already has a platform post; check that first';
  if (typeof error !== 'string') return undefined;
  const { cause } = readCause(platform, error, rules);
  return cause === 'content' && namesPost(error) ? MAYBE_OUT : remedies[cause].ofTarget;
}

/** The advice for an error that names the post of which this one is a duplicate. */
const MAYBE_OUT = 'check the platform: it may be published already';

interface GroupContext {
  /** The file in which the records were saved. */
  readonly file: string | undefined;
  readonly argv: readonly string[];
  readonly where: Where;
}

/** Returns the next step for a group of a triage: a command, or else words. */
export function nextOfGroup(group: GroupFacts, context: GroupContext): string {
  const [cause, ...others] = group.causes;
  const { where } = context;
  const { counts, records, affected } = group;
  // A retry of all would fail again for some.
  if (others.length > 0)
    return `has several causes (${[...group.causes].join(', ')}): use --by cause`;
  const { needs, ofPosts } = remedies[cause!];
  const isOut = cause === 'content' && counts.errors.some(({ text }) => namesPost(text));
  if (ofPosts !== undefined) return isOut ? `${MAYBE_OUT}; else ${ofPosts}` : ofPosts;
  if (needs === 'nothing') return retryOfGroup(group, context);
  if (needs === 'a reconnection') {
    const check = readinessLine(affected, where);
    return `${accountsToReconnect(affected)}${check === undefined ? '' : `; then check: ${check}`}`;
  }
  const [first] = records;
  return first === undefined
    ? `check the ${counts.posts === 1 ? 'post' : 'posts'}`
    : suggestCommand(`posts get ${first.postId}`, where);
}

/** The maximum number of posts in a command. */
const MAX_POSTS = 10;

function retryOfGroup({ key, records }: GroupFacts, { file, argv, where }: GroupContext): string {
  const [first, ...more] = records;
  if (first === undefined) return 'nothing to retry: the platform already has these posts';
  const { by = 'cause', from, column } = where.flags;
  const retry = (words: string) => retryLine(`${words} --wait`, where);
  if (file !== undefined) return retry(`--from ${shellQuote(file)} --failed`);
  if (more.length === 0) return retry(first.postId + namedTargets(first.targetIds));
  const filters: Readonly<Record<string, string>> = {
    cause: '--cause temporary',
    platform: `--cause temporary --platform ${key}`,
  };
  const filter = filters[String(by)];
  if (filter !== undefined && typeof from === 'string' && !isPiped(from))
    return retry(`${listWords(from, column as string | undefined)} ${filter}`);
  if (filter !== undefined && records.length <= MAX_POSTS)
    return retry(`${records.map(({ postId }) => postId).join(' ')} ${filter}`);
  // No flag limits a retry to an account or to this error.
  return commandLine([...repeatable(argv, from as string | undefined), '--save', 'triage']);
}

const MAX_ACCOUNTS = 3;

/** Formats `reconnect facebook AccountFacebookB and 2 more in the service`. */
function accountsToReconnect(accounts: readonly FailedAccount[]): string {
  if (accounts.length === 0) return 'reconnect the accounts in the service';
  const named = accounts
    .slice(0, MAX_ACCOUNTS)
    .map((account) => `${account.platform} ${account.account}`);
  const more = accounts.length - named.length;
  return `reconnect ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''} in the service`;
}

/** Suggests the readiness command, which exists only for Facebook accounts. */
function readinessLine(accounts: readonly FailedAccount[], where: Where): string | undefined {
  const facebook = accounts.find(({ platform }) => platform === 'facebook');
  if (facebook === undefined) return undefined;
  return suggestCommand(`connect facebook pages -a ${facebook.account}`, where);
}

/** Advises after `posts retry`: to retry the records that a retry can fix. */
export const adviseRetries = (failures: BatchFailures, callContext: CallContext): BatchAdvice =>
  adviseBatch(failures, callContext, {
    retry: (cause) => failures.again('--cause', cause),
    // A post without failed targets is refused if it is retried as a whole.
    ofRefused: selectsTargets(callContext.flags)
      ? ''
      : ', or add --failed to skip posts without a failed target',
  });

/**
 * Advises after `posts wait`: to retry the failed records. A post that could only not be read is not a reason for a
 * change.
 */
export function adviseWaits(failures: BatchFailures, callContext: CallContext): BatchAdvice {
  const { records, temporary, unanswered } = failures;
  const read = { ...failures, temporary: temporary - unanswered };
  return adviseBatch(read, callContext, {
    retry: (cause) =>
      records === undefined
        ? undefined
        : retryLine(`${records} --cause ${cause} --wait`, callContext),
    ofRefused: '',
  });
}

interface OwnAdvice {
  /** Makes the command that retries failures of this cause. */
  retry(cause: string): string | undefined;
  /** The advice for requests that were refused. */
  readonly ofRefused: string;
}

function adviseBatch(
  { causes, temporary, accounts, records }: BatchFailures,
  where: Where,
  { retry, ofRefused }: OwnAdvice,
): BatchAdvice {
  const next = temporary > 0 ? retry('temporary') : undefined;
  const isReconnection = causes.has('reconnect');
  const check = readinessLine(accounts, where);
  const needsTriage = causes.has('other') || (isReconnection && accounts.length === 0);
  const look =
    needsTriage && records !== undefined
      ? suggestCommand(`posts triage ${records}`, where)
      : undefined;
  const first = next ?? check ?? look;
  const line = (words: string, command: string | undefined) =>
    command === undefined || command === first ? [] : [`${words}: ${command}`];
  const reconnection = () => [
    `reconnect: ${accountsToReconnect(accounts)}`,
    ...line('then check', check),
    ...line('then retry those', retry('reconnect')),
  ];
  const corrections = (['content', 'platform', 'request'] as const)
    .filter((cause) => causes.has(cause))
    .map((cause) => `${cause}: ${remedies[cause].ofPosts}${cause === 'request' ? ofRefused : ''}`);
  return {
    next: first,
    hints: [...(isReconnection ? reconnection() : []), ...corrections, ...line('see why', look)],
  };
}
