// `posts wait`: reads a post until all its targets, or those that the line names, are published or failed.

import { type Input, type Operation, operation } from '../../api/operations/define-operation.ts';
import { get, retry } from '../../api/operations/posts.ts';
import { waitForTargets } from '../../api/operations/waits.ts';
import { targetsOf, type TargetState } from '../../api/schema/post.ts';
import { described } from '../../api/schema/rules.ts';
import { Failure } from '../../base/errors.ts';
import { callOperation } from '../../client/call-operation.ts';
import { causesFlag } from '../../client/taught-causes.ts';
import type { Command, CommandHooks, Prepared, Session } from '../../client/session.ts';
import type { RawFlags } from '../../config/flags.ts';
import { recordEnds } from '../../history/accepted-lately.ts';
import { postAdvice } from './next-step.ts';
import { hasFilter, namedTargets, platformFlag, targetFilter } from './select-targets.ts';

export const waitOperation: Operation = operation({
  command: 'posts wait',
  summary: 'Wait until all targets of a post are published or failed',
  method: get.method,
  path: get.path,
  input: {
    postId: get.input.shape.postId,
    targetIds: described(
      retry.input.shape.targetIds,
      'Only this target (16 letters, see posts get)',
      {
        flag: 'target',
      },
    ),
  },
  result: get.result,
  rows: get.rows,
  header: get.header,
  columns: get.columns,
  wait: waitForTargets(get),
  examples: {
    'Wait for a post': 'social posts wait PostAutumnRecaps',
    'Count only one platform': 'social posts wait PostAutumnRecaps --platform mastodon',
  },
});

const waitHooks: CommandHooks = {
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
  async after({ data }, input, session) {
    const { flags } = session;
    recordTargets(data, [], input, session);
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

  adviseAfterWait(last, bad, input, session) {
    recordTargets(last.data, bad, input, session);
    return postAdvice.adviseAfterWait!(last, bad, input, session);
  },
};

/** Records how the targets of a post have ended; those of a batch are in its journal. */
function recordTargets(
  data: unknown,
  bad: readonly string[],
  input: Input,
  session: Session,
): void {
  if (session.isBatch === true) return;
  const done = targetsOf(data).filter(({ status }) => status === 'published');
  const ids = done.map(({ id }) => id);
  recordEnds(session, String(input['postId']), ids, bad);
}

/** Returns the targets that the line names, or else all, without those on other platforms. */
function wantedTargets(post: unknown, input: Input, flags: RawFlags): readonly TargetState[] {
  const named = namedTargets(input);
  const { isOn } = targetFilter(flags);
  return targetsOf(post).filter((target) => isOn(target) && (named?.includes(target.id) ?? true));
}

export const waitCommand: Command = {
  operation: waitOperation,
  flags: [platformFlag('Wait only for targets on this platform'), causesFlag],
  waits: true,
  hooks: async () => waitHooks,
};
