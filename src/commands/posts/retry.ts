// The hooks of `posts retry` and `posts wait`. A retry posts nothing twice: --failed and -i select only targets that failed
// and were never published; after a conflict or a lost response the post is read again. The selection is in
// `select-targets.ts`.

import type { Input } from '../../api/operations/define-operation.ts';
import { get } from '../../api/operations/posts.ts';
import { isTimestamp } from '../../api/schema/rules.ts';
import { targetsOf, type TargetState } from '../../api/schema/post.ts';
import { formatDuration, relativeTime } from '../../base/durations.ts';
import { Failure } from '../../base/errors.ts';
import type { Session, CommandHooks, Prepared } from '../../client/session.ts';
import { callOperation } from '../../client/call-operation.ts';
import type { RawFlags } from '../../config/flags.ts';
import { clockOf } from '../../output/write-result.ts';
import { postAdvice, waitLine } from './next-step.ts';
import {
  hasFilter,
  namedTargets,
  selectsTargets,
  selectTargets,
  targetFilter,
  withoutPublished,
} from './select-targets.ts';

export const retryHooks: CommandHooks = {
  async before(input, session, waits): Promise<Prepared> {
    const { flags, ledger } = session;
    // With a journal the post is always read, and the request names its targets.
    if (selectsTargets(flags) || ledger !== undefined) return selectTargets(input, session);
    // Only a wait needs the state before the change, to see what the change did.
    if (!waits) return { do: 'send', input };
    // The prompt comes first, so that the post is read after the answer.
    await session.change?.confirm?.(input);
    return withoutPublished(input, session);
  },

  ...postAdvice,

  async failed(failure, input, session) {
    if (failure.facts.status !== 409 && failure.kind !== 'outcome_unknown') throw failure;
    const { status, timedOut, why = [] } = failure.facts;
    const { runtime, settings } = session;
    const atMost = formatDuration(settings.timeoutMs);
    if (timedOut === true)
      runtime.note(`${failure.message}; reading the post to see its state (at most ${atMost})`);
    const state = await currentState(input, session);
    // After a conflict it is certain that nothing was sent twice; an unknown outcome also says that it stays unknown.
    if (state === undefined && status === 409) throw failure;
    if (state === undefined) {
      const unread = 'current state: unknown; the post could not be read';
      throw failure.with({ why: [...why, unread] });
    }
    // A retry that is in progress can be waited for; an unknown outcome has its own next command.
    const next =
      status === 409 ? waitLine(String(input['postId']), state.targets, session) : undefined;
    throw failure.with({
      why: [...why, ...state.lines],
      next: next ?? failure.facts.next,
    });
  },
};

/**
 * Describes the current state of the post, one line per target, with times as in the table; `undefined` if it cannot be
 * read either.
 */
async function currentState(input: Input, session: Session) {
  const { settings, runtime } = session;
  try {
    const { data, serverTime } = await callOperation(
      session,
      get,
      { postId: input['postId'] },
      { retries: 0 },
    );
    const now = clockOf(runtime, serverTime);
    const targets = targetsOf(data);
    const lines = targets.map(({ platform, id, status, updatedAt }) => {
      const line = `${platform} ${id} ${status}`;
      if (typeof updatedAt !== 'string') return line;
      const isExact = settings.utc || !isTimestamp(updatedAt);
      return `${line}, updated ${isExact ? updatedAt : relativeTime(Date.parse(updatedAt) - now)}`;
    });
    const has = (wanted: string) => targets.some(({ status }) => status === wanted);
    const ended = has('failed') ? 'no retry in progress' : 'no failed targets';
    const state = has('publishing') ? 'a retry is already in progress' : ended;
    return { lines: [`current state: ${state}`, ...lines], targets };
  } catch {
    return undefined;
  }
}

export const waitHooks: CommandHooks = {
  async before(input, session): Promise<Prepared> {
    const { flags, acceptedLately } = session;
    const shown = await callOperation(session, get, { postId: input['postId'] });
    // A retry of a moment ago may have left its targets as they were.
    const accepted = acceptedLately?.(String(input['postId']), shown);
    const read = { do: 'nothing', because: 'read', input, shown, accepted } as const;
    if (!hasFilter(flags)) return { ...read, wanted: namedTargets(input) };
    const wanted = wantedTargets(shown.data, input, flags).map(({ id }) => id);
    return { ...read, wanted, because: wanted.length === 0 ? 'none' : 'read' };
  },

  // A wait for nothing is not a success.
  async after({ data }, input, { flags }) {
    if (!hasFilter(flags) || wantedTargets(data, input, flags).length > 0) return;
    const platforms = (flags['platform'] as readonly string[]).join(', ');
    const none = namedTargets(input) ? 'none of these targets is' : 'the post has no target';
    throw new Failure('ended_badly', {
      what: `${none} on ${platforms}`,
      sent: true,
      retryable: false,
    });
  },

  ...postAdvice,
};

/** Returns the targets that the line names, or else all, without those on other platforms. */
function wantedTargets(post: unknown, input: Input, flags: RawFlags): readonly TargetState[] {
  const named = namedTargets(input);
  const { isOn } = targetFilter(flags);
  return targetsOf(post).filter((target) => isOn(target) && (named?.includes(target.id) ?? true));
}
