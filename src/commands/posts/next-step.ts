// What to type next about the targets of a post: a line that can succeed, or else words. A retry is named only for
// what a retry can mend.

import {
  isPosted,
  isRetryable,
  targetsOf,
  type TargetState,
} from '../../api/schema/target-states.ts';
import { ifPossible } from '../../base/errors.ts';
import type { Advice, CallContext, WaitOutcome } from '../../client/call-context.ts';
import { targetCause, type Cause } from '../../client/causes.ts';
import { suggestCommand } from '../../config/flags.ts';

type Where = Pick<CallContext, 'settings' | 'flags'>;

/** Of causes that a retry does not mend: what has to happen first. */
const FIRST: Partial<Record<Cause, string>> = {
  reconnect: 'check the account’s connection before you retry',
  content: 'check the content before you retry',
  platform: 'the platform rejected it and may reject it again',
};

/**
 * The retry that can help, and what else has to be done; `about` are the targets in question, of all that there are.
 */
function retryAdvice(
  postId: string,
  all: readonly TargetState[],
  about: readonly TargetState[],
  where: Where,
): Advice {
  const worth = about.filter((target) => isRetryable(target) && obstacleOf(target) === undefined);
  const isWhole = worth.length === all.filter(isRetryable).length;
  const named = isWhole ? ' --failed' : worth.map(({ id }) => ` --target ${id}`).join('');
  const hints = about.flatMap((target) => {
    const obstacle = obstacleOf(target);
    return obstacle === undefined ? [] : [`${target.platform}: ${obstacle}`];
  });
  return {
    ...(worth.length === 0 ? {} : { next: suggestCommand(`posts retry ${postId}${named}`, where) }),
    ...(hints.length === 0 ? {} : { hint: [...new Set(hints)].join('; ') }),
  };
}

/** Why a retry cannot help a target; nothing where it can, or where nothing has to be said. */
function obstacleOf(target: TargetState): string | undefined {
  const { status, error, platform } = target;
  if (status === 'action_required')
    return 'action required; see the platform or the service’s console';
  if (status !== 'failed') return undefined;
  if (isPosted(target)) return 'failed, but already has a platform post; check that first';
  return typeof error === 'string' ? FIRST[targetCause(platform, error)] : undefined;
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
  const named = isWhole ? '' : moving.map(({ id }) => ` --target ${id}`).join('');
  return suggestCommand(`posts wait ${postId}${named}`, where);
}

/** What can mend the targets that a wait ended badly for. */
export function adviseAfterWait(
  { data, input, bad }: WaitOutcome,
  callContext: CallContext,
): Advice {
  const targets = targetsOf(data);
  const about = targets.filter(({ id }) => bad.includes(id));
  const causes = about.flatMap(({ platform, error }) =>
    typeof error === 'string' ? [`${platform} ${targetCause(platform, error)}`] : [],
  );
  return {
    ...retryAdvice(String(input['postId']), targets, about, callContext),
    ...(causes.length === 0 ? {} : { why: [causeLine([...new Set(causes)])] }),
  };
}

/** `causes: linkedin reconnect, mastodon temporary` */
const causeLine = (causes: readonly string[]) =>
  `${causes.length === 1 ? 'cause' : 'causes'}: ${causes.join(', ')}`;

/** The command for what is under way, or else for what failed; nothing where the answer has no targets. */
export function nextStep(data: unknown, postId: string, where: Where): Advice {
  const targets = ifPossible(() => targetsOf(data));
  if (targets === undefined) return {};
  const wait = waitLine(postId, targets, where);
  return wait === undefined ? retryAdvice(postId, targets, targets, where) : { next: wait };
}
