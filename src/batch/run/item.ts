// One item of a batch from its intent to its result: the same call as a single one, held back with all the others,
// kept in the journal, and told apart by what may have happened.

import { isChange, pollInput, type Operation } from '../../api/operations/define-operation.ts';
import { fieldsOf } from '../../api/operations/fields.ts';
import { formatRoughDuration } from '../../base/durations.ts';
import { Failure, isSignal } from '../../base/errors.ts';
import { withAdvice } from '../../client/advice.ts';
import { callOperation } from '../../client/call-operation.ts';
import type { RetryPolicy } from '../../client/retry.ts';
import { asFailure } from '../../output/error-report.ts';
import { callAndWait } from '../../wait/call-and-wait.ts';
import type { WaitOptions } from '../../wait/options.ts';
import type { JournalOutcome } from '../journal/format.ts';
import type { Journal } from '../journal/journal.ts';
import type { BatchItem } from '../read/validate-records.ts';
import { type BatchRetryOptions, type RateLimiter, retryPolicyInBatch } from './rate-limit.ts';
import type { ItemResult, ItemVerdict } from './scheduler.ts';
import type { CallContext, CallOutcome } from '../../client/call-context.ts';

export interface ItemRun {
  readonly callContext: CallContext;
  readonly waiting: WaitOptions | undefined;
  readonly pace: RateLimiter;
  readonly journal: Journal | undefined;
  readonly retryUnknown: boolean;
  readonly retryPolicy: BatchRetryOptions;
  /** Told once for each item that was started, and what a journal keeps of it. */
  onEnd(
    item: BatchItem,
    ended: Partial<CallOutcome>,
    verdict: ItemVerdict,
    as: JournalOutcome,
  ): void;
}

/** What is known of a change while it is under way. */
interface Progress {
  intended: boolean;
  /** The service has answered it. */
  accepted: boolean;
}

/** Makes the function that runs one item. It rejects with a `Failure` only where the batch cannot go on. */
export function itemWorker(run: ItemRun): (item: BatchItem) => Promise<ItemResult> {
  const { callContext, pace, journal } = run;
  const { operation } = callContext;
  const change = isChange(operation);
  const idOf = journalId(operation);
  const callingFor = callings(run, idOf);
  const finish = (item: BatchItem, progress: Progress, ended: CallOutcome): ItemResult => {
    const verdict = verdictOf(ended.failure, change, progress);
    const as = outcomeOf(ended.failure, verdict, progress);
    // A read that was not even started leaves nothing to remember.
    if (
      progress.intended ||
      (verdict !== 'unstarted' && item.past !== 'unknown') ||
      verdict === 'ok'
    )
      journal?.end(item.keys, idOf(item), as, ended.failure?.exitCode ?? 0);
    if (verdict !== 'unstarted') run.onEnd(item, ended, verdict, as);
    const stop = stopAfter(ended.failure, pace);
    const sent = verdict !== 'unstarted' || ended.failure?.facts.sent === true;
    return stop === undefined ? { verdict, sent } : { verdict, stop, sent };
  };
  return (item) => {
    const progress: Progress = { intended: false, accepted: item.past === 'accepted' };
    return begin(run, callingFor(item, progress), item).then(
      (ended) => finish(item, progress, judged(callContext, ended)),
      (error: unknown) => finish(item, progress, { data: undefined, failure: ownFailure(error) }),
    );
  };
}

/** The call of an item. A change that an earlier run sent and did not see settle is only waited for. */
function begin(
  { waiting, retryUnknown }: ItemRun,
  callContext: CallContext,
  item: BatchItem,
): Promise<CallOutcome> {
  const { input, past } = item;
  if (past === 'unknown' && !retryUnknown)
    return Promise.reject(withAdvice(leftUnknown(), callContext.operation, input, callContext));
  return past === 'accepted' && waiting !== undefined
    ? resumed(callContext, waiting, item)
    : callAndWait(callContext, waiting, input);
}

/** Nobody remembers how the targets stood before: as they are now they may be as yet unstarted. */
async function resumed(
  callContext: CallContext,
  waiting: WaitOptions,
  { input }: BatchItem,
): Promise<CallOutcome> {
  const { watchWait } = await import('../../wait/watch.ts');
  const { operation } = callContext;
  const { poll = operation, startedBy } = operation.wait!;
  const first = await callOperation(callContext, poll, pollInput(poll, input));
  const named = input[operation.parts ?? ''] as readonly string[] | undefined;
  const wanted = named ?? startedBy?.(first.data, first.data);
  return watchWait(callContext, { input, waiting, first, before: first.data, wanted });
}

/** The same result, and what the command's extra has to say against it. */
function judged({ hooks: { judge }, flags }: CallContext, ended: CallOutcome): CallOutcome {
  if (judge === undefined || ended.failure !== undefined) return ended;
  try {
    judge(ended.data, flags);
    return ended;
  } catch (error) {
    return { ...ended, failure: ownFailure(error) };
  }
}

/** What an item failed by. Throws a broken journal and faults of our own, which end the whole batch. */
function ownFailure(error: unknown): Failure {
  const failure = asFailure(error);
  if (failure.kind === 'internal' || failure.kind === 'local_io') throw failure;
  return failure;
}

/** The calling of an item: each attempt takes a turn, and a change leaves only after its intent is on the disk. */
function callings(run: ItemRun, idOf: IdOf): (item: BatchItem, progress: Progress) => CallContext {
  const { callContext, pace } = run;
  const reading = (_operation: Operation, retries: number): RetryPolicy =>
    retryPolicyInBatch(pace, run.retryPolicy, retries);
  const forReads = { ...callContext, retryPolicy: reading };
  if (!isChange(callContext.operation)) return () => forReads;
  return (item, progress) => ({
    ...callContext,
    retryPolicy: (operation, retries) =>
      isChange(operation)
        ? { ...reading(operation, retries), ...changing(run, idOf, item, progress) }
        : reading(operation, retries),
  });
}

/** How a change takes its turns: with its intent kept, where there is a journal. */
function changing(
  { pace, journal }: ItemRun,
  idOf: IdOf,
  item: BatchItem,
  progress: Progress,
): Required<Pick<RetryPolicy, 'turn' | 'ended'>> {
  const intend = async () => {
    try {
      await journal!.intend(item.keys, idOf(item));
      progress.intended = true;
    } catch (error) {
      pace.ended(undefined, 1);
      throw error;
    }
  };
  return {
    turn() {
      const turn = pace.turn();
      if (journal === undefined || progress.intended) return turn;
      return turn === undefined ? intend() : turn.then(intend);
    },
    ended(failure, tries) {
      if (failure === undefined) progress.accepted = true;
      return pace.ended(failure, tries);
    },
  };
}

/** What a person may read of a record in the journal; nothing where the id itself lets somebody in. */
type IdOf = (item: BatchItem) => string | undefined;

function journalId(operation: Operation): IdOf {
  const hidden = fieldsOf(operation)
    .filter((field) => field.hidden)
    .map(({ name }) => name);
  return ({ input }) => {
    const [name = '', id] = Object.entries(input)[0] ?? [];
    return hidden.includes(name) || typeof id !== 'string' || id.length > 64 ? undefined : id;
  };
}

function verdictOf(failure: Failure | undefined, change: boolean, progress: Progress): ItemVerdict {
  if (failure === undefined) return 'ok';
  if (failure.kind === 'outcome_unknown') return 'unknown';
  // A refused token is no fault of the record: it waits for a run with another.
  if (failure.facts.status === 401 && !progress.accepted) return 'unstarted';
  if (!isSignal(failure.kind)) return 'failed';
  if (!change) return 'unstarted';
  if (progress.accepted) return 'accepted';
  return failure.outcome === 'unknown' ? 'unknown' : 'unstarted';
}

function outcomeOf(
  failure: Failure | undefined,
  verdict: ItemVerdict,
  { accepted }: Progress,
): JournalOutcome {
  if (verdict === 'ok') return 'done';
  if (verdict === 'unstarted') return 'unsent';
  // What has settled badly may be tried again; what has not settled may not.
  if (accepted && failure?.kind !== 'ended_badly') return 'accepted';
  return verdict === 'unknown' ? 'unknown' : 'failed';
}

/** A token that is refused will be refused again; a service that is down is left alone. */
function stopAfter(failure: Failure | undefined, pace: RateLimiter): Failure | undefined {
  if (failure?.facts.status === 401) {
    const what = 'stopped: all others would be refused too';
    return new Failure('unauthorized', { ...failure.facts, what });
  }
  const down = pace.down();
  if (down === undefined) return undefined;
  const limited = down.kind === 'rate_limited';
  const asked = down.facts.retryAfterMs;
  const toWait = `the service asks to wait${asked === undefined ? '' : ` ${formatRoughDuration(asked)}`}`;
  return new Failure(limited ? 'rate_limited' : 'batch_failed', {
    what: `stopped: ${limited ? toWait : 'service unavailable'}`,
    why: [`last: ${down.facts.what}`],
    sent: true,
    retryable: false,
  });
}

const leftUnknown = () =>
  new Failure('outcome_unknown', {
    what: 'an earlier run left its outcome unknown; it was not sent again',
    hint: 'give --retry-unknown to send it again',
    sent: true,
    retryable: false,
  });
