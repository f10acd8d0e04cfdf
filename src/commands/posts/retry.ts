// `posts retry`. It posts nothing twice: --failed and -i select only targets that failed and were never published; after a
// conflict or a lost response the post is read again. The selection is in `select-targets.ts`.

import type { Input } from '../../api/operations/define-operation.ts';
import { get } from '../../api/operations/posts.ts';
import { isTimestamp } from '../../api/schema/rules.ts';
import { targetsOf } from '../../api/schema/post.ts';
import { formatDuration, relativeTime } from '../../base/durations.ts';
import { socialLine } from '../../base/shell.ts';
import { closestWord } from '../../base/suggestions.ts';
import { callOperation } from '../../client/call-operation.ts';
import type { Command, CommandHooks, Prepared, Session } from '../../client/session.ts';
import { causesFlag, targetCauses } from '../../client/taught-causes.ts';
import { oneOf } from '../../config/flag-types.ts';
import { clockOf } from '../../output/write-result.ts';
import { mayPrompt } from '../../prompts/confirm.ts';
import { idsToOffer } from '../../history/seen-ids.ts';
import { afterPost, postAdvice, waitLine } from './next-step.ts';
import {
  namedTargets,
  platformFlag,
  selectsTargets,
  selectTargets,
  withoutPublished,
} from './select-targets.ts';

const retryHooks: CommandHooks = {
  async before(input, session, waits): Promise<Prepared> {
    const { flags, ledger, settings, runtime } = session;
    // With a journal the post is always read, and the request names its targets.
    if (selectsTargets(flags) || ledger !== undefined) return selectTargets(input, session, waits);
    // A person is asked about what a retry of all could publish twice.
    const isPlain = session.isBatch !== true && namedTargets(input) === undefined;
    const asks = isPlain && !settings.yes && mayPrompt(settings, runtime);
    // Only a wait needs the state before the change, to see what the change did.
    if (!waits && !asks) return { do: 'send', input };
    // The prompt comes first, so that the post is read after the answer. One question is enough.
    const wasAsked = await session.observer?.confirm?.(input);
    return withoutPublished(input, session, asks && wasAsked !== true);
  },

  ...postAdvice,

  after: afterPost,

  async failed(failure, input, session) {
    const ids = [String(input['postId'])];
    // A mistyped target: the post shows the right ones, of which some may have been shown here.
    if (failure.facts.code?.startsWith('target') === true && session.isBatch !== true) {
      const where = { ...session.settings, ...session.runtime };
      const seen = idsToOffer({ kind: 'target', posts: ids }, where).map(([id]) => id);
      const named = String(namedTargets(input));
      const near = seen.includes(named) ? undefined : closestWord(named, seen);
      const hint = near === undefined ? failure.facts.hint : `did you mean ${near}?`;
      throw failure.with({ next: socialLine({ words: ['posts', 'get'], ids }, session), hint });
    }
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

/** The flags and the hooks of `posts retry`. */
export const retryCommand: Pick<Command, 'flags' | 'hooks'> = {
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
  hooks: async () => retryHooks,
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
