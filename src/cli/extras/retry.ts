// `posts retry` that cannot post twice: --failed and -i name only targets that failed and were never published;
// a conflict and a lost answer are followed by a look at the post.

import { targetsOf, type TargetState } from '../../call/settle.ts';
import type { Input } from '../../call/request.ts';
import { Failure, usageFailure } from '../../errors.ts';
import { get } from '../../operations/posts.ts';
import { isTimestamp } from '../../schema/time.ts';
import { again } from '../again.ts';
import { call, type Calling } from '../calling.ts';
import { canAsk } from '../can-ask.ts';
import type { Extra, Step } from './extra.ts';
import { nextStep } from './next-step.ts';

interface Seen extends TargetState {
  readonly error?: string;
  readonly platformPostId?: string;
}

export const retry: Extra = {
  options: [
    { flags: '--failed', description: 'Read the post first and name only its failed targets' },
    { flags: '-i, --interactive', description: 'Choose from the failed targets, on a terminal' },
  ],

  async before(input, calling, waits): Promise<Step> {
    const { flags } = calling;
    const chooses = flags['interactive'] === true;
    check(input, calling);
    if (!chooses && flags['failed'] !== true && !waits) return { input };
    const read = await call(calling, get, { postId: input['postId'] });
    const before = targetsOf(read.data) as readonly Seen[];
    if (!chooses && flags['failed'] !== true) {
      return {
        input,
        prior: {
          before,
          wanted:
            (input['targetIds'] as readonly string[] | undefined) ??
            idsOf(before.filter(hasFailed)),
        },
      };
    }
    const failed = retryable(before, calling);
    const chosen = chooses && failed.length > 0 ? await choose(failed, calling) : idsOf(failed);
    if (chosen.length < failed.length && chosen.length === 0)
      throw new Failure('declined', {
        what: 'no target was chosen; nothing was sent',
        sent: false,
      });
    if (chosen.length > 0)
      return { input: { ...input, targetIds: chosen }, prior: { before, wanted: chosen } };
    const moving = idsOf(before.filter(({ status }) => status === 'publishing'));
    calling.note(`nothing to retry in ${String(input['postId'])}; nothing was sent`);
    return { input, instead: read, ...(moving.length > 0 ? { prior: { wanted: moving } } : {}) };
  },

  after: nextStep,

  async failed(failure, input, calling) {
    if (failure.facts.status !== 409 && failure.kind !== 'outcome_unknown') throw failure;
    const now = await look(input, calling);
    if (now === undefined) throw failure;
    // What is refused because it is under way already is waited for; what is unknown names a look of its own.
    const waits = now.isMoving && failure.facts.status === 409;
    throw new Failure(failure.kind, {
      ...failure.facts,
      why: [...(failure.facts.why ?? []), ...now.lines],
      ...(waits ? { next: again(`posts wait ${String(input['postId'])}`, calling) } : {}),
    });
  },
};

function check({ targetIds }: Input, { flags, settings, world }: Calling): void {
  const faults = [];
  if (targetIds !== undefined && (flags['failed'] === true || flags['interactive'] === true)) {
    faults.push({
      field: '--target',
      problem: 'contradicts --failed and --interactive; choose one',
    });
  }
  if (flags['interactive'] === true && !canAsk(settings, world))
    faults.push({ field: '--interactive', problem: 'needs a terminal' });
  if (faults.length > 0) throw usageFailure(faults);
}

const hasFailed = ({ status }: Seen) => status === 'failed';
const idsOf = (targets: readonly Seen[]) => targets.map(({ id }) => id);

/** The targets that failed and can be retried without posting twice; says which it leaves out. */
function retryable(targets: readonly Seen[], { note }: Calling): readonly Seen[] {
  const posted = targets.filter(
    (target) => hasFailed(target) && target.platformPostId !== undefined,
  );
  const moving = targets.filter(({ status }) => status === 'publishing');
  for (const { platform, id } of moving) note(`left out ${platform} ${id}: it is publishing`);
  for (const { platform, id } of posted)
    note(`left out ${platform} ${id}: it failed, yet the platform has a post of it`);
  return targets.filter((target) => hasFailed(target) && !posted.includes(target));
}

async function choose(
  failed: readonly Seen[],
  { settings, world }: Calling,
): Promise<readonly string[]> {
  const ask = await world.ask(settings.accessible);
  return ask.checklist({
    message: 'Which targets to retry?',
    choices: failed.map(({ id, platform, error }) => ({
      value: id,
      name: `${platform} ${id}`,
      checked: true,
      ...(error === undefined ? {} : { hint: error }),
    })),
  });
}

/** Times as the table shows them: relative, or exact with --utc. */
async function timesFor({ settings, world }: Calling, serverTime: number | undefined) {
  const [{ clockOf }, { relativeTime }] = await Promise.all([
    import('../show.ts'),
    import('../../output/cell.ts'),
  ]);
  const now = clockOf(world, serverTime);
  return (time: unknown) => {
    if (typeof time !== 'string') return '';
    const exact = settings.utc || !isTimestamp(time);
    return `, updated ${exact ? time : relativeTime(Date.parse(time) - now)}`;
  };
}

/** How the post stands now, a line a target; nothing when it cannot be read either. */
async function look(
  input: Input,
  calling: Calling,
): Promise<{ readonly lines: readonly string[]; readonly isMoving: boolean } | undefined> {
  try {
    const { data, serverTime } = await call(calling, get, { postId: input['postId'] }, 0);
    const when = await timesFor(calling, serverTime);
    const targets = targetsOf(data);
    const moving = targets.filter(({ status }) => status === 'publishing');
    const meaning =
      moving.length > 0
        ? 'a retry is under way already'
        : targets.some(hasFailed)
          ? 'no retry is under way'
          : 'nothing of it has failed';
    const lines = [
      `the post reads now: ${meaning}`,
      ...targets.map(
        ({ platform, id, status, updatedAt }) => `${platform} ${id} ${status}${when(updatedAt)}`,
      ),
    ];
    return { lines, isMoving: moving.length > 0 };
  } catch {
    return undefined;
  }
}
