// What to do about failed targets, of a group of a triage or of the posts of a batch: it follows from their cause.

import { commandLine, shellQuote } from '../../base/shell.ts';
import { isPiped, listWords, repeatable } from '../../batch/report/command-lines.ts';
import type {
  BatchAdvice,
  BatchFailures,
  CallContext,
  FailedAccount,
} from '../../client/call-context.ts';
import type { TargetCause } from '../../client/platform-codes.ts';
import { suggestCommand } from '../../config/flags.ts';
import { selectsTargets } from './select-targets.ts';
import type { GroupFacts } from './triage-groups.ts';

const MAX_ACCOUNTS = 3;
/** How many posts a line names. */
const MAX_POSTS = 10;

interface NextContext {
  /** Where the records were saved. */
  readonly file: string | undefined;
  readonly argv: readonly string[];
  readonly callContext: CallContext;
}

/** Where no command helps. */
const adviceFor = {
  content: 'change the content; retrying it unchanged fails again',
  platform: 'the platform rejects it and may reject it again; check the account there',
} as const;

/** A command, or else words. */
export function nextOfGroup(group: GroupFacts, context: NextContext): string {
  const [cause, ...others] = group.causes;
  // A retry of all would be in vain for some.
  if (others.length > 0)
    return `has several causes (${[...group.causes].join(', ')}): use --by cause`;
  return nextSteps[cause!](group, context);
}

const nextSteps: Readonly<
  Record<TargetCause, (group: GroupFacts, context: NextContext) => string>
> = {
  temporary: retryStep,
  reconnect: reconnectStep,
  content: () => adviceFor.content,
  platform: () => adviceFor.platform,
  other: ({ records, counts }, { callContext }) => {
    const [first] = records;
    if (first === undefined) return `check the ${counts.posts === 1 ? 'post' : 'posts'}`;
    return suggestCommand(`posts get ${first.postId}`, callContext);
  },
};

function retryStep({ key, records }: GroupFacts, { file, argv, callContext }: NextContext): string {
  const [first, ...more] = records;
  if (first === undefined) return 'nothing to retry: the platform already has these posts';
  const { by = 'cause', from, column } = callContext.flags;
  const retry = (words: string) => suggestCommand(`posts retry ${words} --wait`, callContext);
  if (file !== undefined) return retry(`--from ${shellQuote(file)} --failed`);
  if (more.length === 0)
    return retry([first.postId, ...first.targetIds.map((id) => `--target ${id}`)].join(' '));
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

function reconnectStep({ affected }: GroupFacts, { callContext }: NextContext): string {
  const check = readinessLine(affected, callContext);
  return `${accountsToReconnect(affected)}${check === undefined ? '' : `; then check: ${check}`}`;
}

/** `reconnect facebook AccountFacebookB and 2 more in the service` */
function accountsToReconnect(accounts: readonly FailedAccount[]): string {
  if (accounts.length === 0) return 'reconnect the accounts in the service';
  const named = accounts.slice(0, MAX_ACCOUNTS).map((each) => `${each.platform} ${each.account}`);
  const more = accounts.length - named.length;
  return `reconnect ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''} in the service`;
}

/** Only Facebook accounts have a command that shows their readiness. */
function readinessLine(
  accounts: readonly FailedAccount[],
  callContext: CallContext,
): string | undefined {
  const facebook = accounts.find(({ platform }) => platform === 'facebook');
  if (facebook === undefined) return undefined;
  return suggestCommand(`connect facebook pages -a ${facebook.account}`, callContext);
}

/** After `posts retry`: again those that a retry can mend. */
export const adviseRetries = (failures: BatchFailures, callContext: CallContext): BatchAdvice =>
  advise(failures, callContext, (cause) => failures.again('--cause', cause));

/** After `posts wait`: a retry of those that it can mend. A post that could not be read is no reason for a change. */
export function adviseWaits(failures: BatchFailures, callContext: CallContext): BatchAdvice {
  const { records, temporary, unanswered } = failures;
  const read = { ...failures, temporary: temporary - unanswered };
  return advise(read, callContext, (cause) =>
    records === undefined
      ? undefined
      : suggestCommand(`posts retry ${records} --cause ${cause} --wait`, callContext),
  );
}

function advise(
  { causes, temporary, accounts, records }: BatchFailures,
  callContext: CallContext,
  retry: (cause: string) => string | undefined,
): BatchAdvice {
  const next = temporary > 0 ? retry('temporary') : undefined;
  const has = (cause: string) => causes.has(cause);
  const check = readinessLine(accounts, callContext);
  const afterwards = has('reconnect') ? retry('reconnect') : undefined;
  const looks = has('other') || (has('reconnect') && accounts.length === 0);
  const look =
    looks && records !== undefined
      ? suggestCommand(`posts triage ${records}`, callContext)
      : undefined;
  const first = next ?? check ?? look;
  const line = (words: string, command: string | undefined) =>
    command === undefined || command === first ? [] : [`${words}: ${command}`];
  return {
    next: first,
    hints: [
      ...(has('reconnect') ? [`reconnect: ${accountsToReconnect(accounts)}`] : []),
      ...(has('reconnect') ? line('then check', check) : []),
      ...line('then retry those', afterwards),
      ...(has('content') ? [`content: ${adviceFor.content}`] : []),
      ...(has('platform') ? [`platform: ${adviceFor.platform}`] : []),
      ...(has('request') ? [`request: ${requestAdvice(callContext)}`] : []),
      ...line('see why', look),
    ],
  };
}

/** A post without failed targets is refused when it is retried as a whole. */
const requestAdvice = ({ command, flags }: CallContext): string =>
  command.endsWith('posts retry') && !selectsTargets(flags)
    ? 'the service refuses these again; check the IDs, or add --failed to skip posts without a failed target'
    : 'the service refuses these again; check the IDs';
