// What to type next about posts: a line that can succeed, or else words. Of one post, of a group of a triage, and of a
// batch that failed. A retry is named only for what a retry can mend; what cannot be mended so follows from its cause.

import type { Input } from '../../api/operations/define-operation.ts';
import {
  isPosted,
  isRetryable,
  targetsOf,
  type TargetState,
} from '../../api/schema/target-states.ts';
import { ifPossible } from '../../base/errors.ts';
import { commandLine, shellQuote } from '../../base/shell.ts';
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
import { causeFileFaults, type CauseRule } from '../../client/cause-rules.ts';
import type { Client } from '../../client/open-client.ts';
import { namesPost, readCause } from '../../client/read-cause.ts';
import { remedies } from '../../client/remedies.ts';
import { suggestCommand } from '../../config/flags.ts';
import { formOf } from '../../output/write-result.ts';
import { selectsTargets } from './select-targets.ts';
import { causesFlag } from './target-filter.ts';
import type { GroupFacts } from './triage-groups.ts';

/** What names the service again in a suggested line, and the flags that were typed. */
type Where = Pick<Client, 'settings' | 'flags'>;

/** The line that retries what the words name. */
const retryLine = (words: string, where: Where): string =>
  suggestCommand(`posts retry ${words}`, where);

const namedTargets = (ids: readonly string[]) => ids.map((id) => ` --target ${id}`).join('');

/** What `posts get` does beyond its read. */
export const getHooks: CommandHooks = {
  flags: [causesFlag],
  flagFaults: causeFileFaults,
  after: tellNextStep,
};

/** Tells below the table of a post what is next: a script knows its way. */
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

/** The wait for what is being published, and for nothing that has settled otherwise; nothing where nothing is. */
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

/** What can mend the targets that a wait ended badly for. */
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

/**
 * The retry that can help, and what else has to be done; `about` are the targets in question, of all that there are.
 */
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

/** Why a retry cannot help a target; nothing where it can, or where nothing has to be said. */
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

/** Said of an error that names the post of which this one is a duplicate. */
const MAYBE_OUT = 'check the platform: it may be published already';

interface GroupContext {
  /** Where the records were saved. */
  readonly file: string | undefined;
  readonly argv: readonly string[];
  readonly where: Where;
}

/** What to do about a group of a triage: a command, or else words. */
export function nextOfGroup(group: GroupFacts, context: GroupContext): string {
  const [cause, ...others] = group.causes;
  const { where } = context;
  const { counts, records, affected } = group;
  // A retry of all would be in vain for some.
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

/** How many posts a line names. */
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
  // No flag narrows a retry to an account or to this error alone.
  return commandLine([...repeatable(argv, from as string | undefined), '--save', 'triage']);
}

const MAX_ACCOUNTS = 3;

/** `reconnect facebook AccountFacebookB and 2 more in the service` */
function accountsToReconnect(accounts: readonly FailedAccount[]): string {
  if (accounts.length === 0) return 'reconnect the accounts in the service';
  const named = accounts.slice(0, MAX_ACCOUNTS).map((each) => `${each.platform} ${each.account}`);
  const more = accounts.length - named.length;
  return `reconnect ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''} in the service`;
}

/** Only Facebook accounts have a command that shows their readiness. */
function readinessLine(accounts: readonly FailedAccount[], where: Where): string | undefined {
  const facebook = accounts.find(({ platform }) => platform === 'facebook');
  if (facebook === undefined) return undefined;
  return suggestCommand(`connect facebook pages -a ${facebook.account}`, where);
}

/** After `posts retry`: again those that a retry can mend. */
export const adviseRetries = (failures: BatchFailures, callContext: CallContext): BatchAdvice =>
  adviseBatch(failures, callContext, {
    retry: (cause) => failures.again('--cause', cause),
    // A post without failed targets is refused when it is retried as a whole.
    ofRefused: selectsTargets(callContext.flags)
      ? ''
      : ', or add --failed to skip posts without a failed target',
  });

/** After `posts wait`: a retry of those that it can mend. A post that could not be read is no reason for a change. */
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
  /** The line that retries what failed for this cause. */
  retry(cause: string): string | undefined;
  /** What else is to be said of requests that were refused. */
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
  const looks = causes.has('other') || (isReconnection && accounts.length === 0);
  const look =
    looks && records !== undefined ? suggestCommand(`posts triage ${records}`, where) : undefined;
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
