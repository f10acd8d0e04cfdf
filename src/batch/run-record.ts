// One record of a batch, from its place to its outcome: intent → request → outcome → the place is given back →
// accepted → wait → outcome. It is the same call and the same wait as those of a single command.

import { isChange, pollInput, type Input } from '../api/operations/define-operation.ts';
import { raceAbort } from '../base/abort.ts';
import { formatDuration } from '../base/durations.ts';
import { Failure, headlineOf } from '../base/errors.ts';
import { isSignal } from '../base/exit-codes.ts';
import { withAdvice } from '../client/advice.ts';
import type { CallContext, CallOutcome, SkippedParts } from '../client/call-context.ts';
import { callOperation } from '../client/call-operation.ts';
import type { RetryPolicy } from '../client/retry.ts';
import { asFailure } from '../output/error-report.ts';
import { afterWait, callAndWait, callBeforeWait, endedAfter } from '../wait/call-and-wait.ts';
import type { WaitOptions } from '../wait/options.ts';
import { type WaitRequest, pollOnce, waitUntilSettled } from '../wait/wait-request.ts';
import type { JournalOutcome } from './journal/format.ts';
import type { RecordJournal, SentChange } from './journal/journal.ts';
import type { Limiter } from './limiter.ts';
import type { BatchItem } from './read/records.ts';

/**
 * What became of a record. `accepted`: the service has taken the change, and its result is not known; `skipped`: there
 * was nothing to do; `unstarted`: nothing was sent.
 */
export type RecordVerdict = 'ok' | 'failed' | 'unknown' | 'accepted' | 'skipped' | 'unstarted';

export interface RecordResult {
  readonly verdict: RecordVerdict;
  readonly ended: CallOutcome;
  /** What the journal has of it. */
  readonly outcome: JournalOutcome;
  /** The parts that were left alone. */
  readonly skipped: SkippedParts | undefined;
  /** Whether a request was sent, which an unstarted record may have done too: a read that was cut off. */
  readonly sent: boolean;
  /** Why nothing more should be started. */
  readonly stop: Failure | undefined;
}

export interface RecordRun {
  readonly callContext: CallContext;
  readonly limiter: Limiter;
  readonly retryPolicy: (retries: number) => RetryPolicy;
  readonly journal: RecordJournal | undefined;
  /** How to wait; nothing where the records are not waited for. */
  readonly waiting: WaitOptions | undefined;
  /** Whether what an earlier run left unknown is sent again. */
  readonly retryUnknown: boolean;
  /** Ends the waits. */
  readonly halt: AbortSignal;
  /** Told when a wait begins (1) and when it ends (-1). */
  countWait(change: 1 | -1): void;
}

/** How far the change of a record has come. */
interface ChangeState extends SentChange {
  /** Its intent is in the journal. */
  intended: boolean;
  /** The service has answered it. */
  accepted: boolean;
  /** The journal has it as accepted. */
  kept: boolean;
  /** A byte of one of its requests may have left, also of a read before the change. */
  sent: boolean;
}

/**
 * Runs one record, which has a place, and gives that back before it waits. Rejects with a `Failure` only where the
 * batch cannot go on.
 */
export async function runRecord(
  item: BatchItem,
  run: RecordRun,
  releasePlace: () => void,
): Promise<RecordResult> {
  const { journal, waiting } = run;
  const wasAccepted = item.past === 'accepted';
  const change: ChangeState = {
    intended: false,
    accepted: wasAccepted,
    kept: wasAccepted,
    sent: false,
  };
  const callContext = recordContext(item, change, run);
  let ended: CallOutcome;
  let skipped: SkippedParts | undefined;
  let awaited: AwaitedTargets = {};
  try {
    if (item.past === 'unknown' && !run.retryUnknown)
      throw withAdvice(leftUnknown(), callContext.operation, item.input, callContext);
    if (waiting === undefined) {
      ended = await callAndWait(callContext, undefined, item.input);
      ({ skipped } = ended);
    } else {
      const called = await callBeforeWait(resuming(callContext, item), waiting, item.input);
      ({ skipped } = called);
      const request = withUnderWay(called, item);
      const isOthersAlone = called.idle === 'nothing' && request.idle === undefined;
      awaited = { targets: request.wanted, isOthersAlone };
      if (change.intended) {
        journal?.accept(item, awaited.targets);
        change.kept = true;
      }
      releasePlace();
      const settled =
        request.idle === 'nothing'
          ? request.answer
          : await waitForRecord(item, request, callContext, change, run);
      ended = afterWait(settled, request);
    }
  } catch (error) {
    ended = { data: undefined, failure: recordFailure(error) };
  }
  return { skipped, ...(await endRecord(item, ended, change, awaited, run)) };
}

/** What of a record is waited for. */
interface AwaitedTargets {
  /** The targets; `undefined` where they are not known. */
  readonly targets?: readonly string[] | undefined;
  /** Whether only what an earlier run has sent is waited for, and there was nothing to do of the record itself. */
  readonly isOthersAlone?: boolean;
}

/** Waits until the record has settled: each poll takes a place and a turn. */
async function waitForRecord(
  item: BatchItem,
  request: WaitRequest,
  callContext: CallContext,
  change: ChangeState,
  { limiter, retryPolicy, journal, halt, countWait }: RecordRun,
): Promise<CallOutcome> {
  const polling: CallContext = {
    ...callContext,
    retryPolicy: (retries) => ({
      ...retryPolicy(retries),
      run: (attempt, tries) => limiter.run('poll', attempt, tries),
    }),
  };
  const pollInTurn = async (signal: AbortSignal) => {
    const release = await limiter.place('poll');
    try {
      return await pollOnce(polling, request.input, signal);
    } finally {
      release();
    }
  };
  countWait(1);
  try {
    return await waitUntilSettled(callContext, request, {
      signal: halt,
      isAccepted: change.accepted,
      // A wait ends with its time, also where its poll still waits for its turn.
      poll: (signal) => raceAbort(pollInTurn(signal), signal),
      onPoll: (_seen, { good = [] }) => journal?.done(item, good),
    });
  } finally {
    countWait(-1);
  }
}

/** Judges how a record ended, and writes that down. */
async function endRecord(
  item: BatchItem,
  given: CallOutcome,
  change: ChangeState,
  awaited: AwaitedTargets,
  { callContext, journal, limiter }: RecordRun,
): Promise<Omit<RecordResult, 'skipped'>> {
  const ended = endedAfter(await judged(given, item.input, callContext), change.accepted);
  const { failure } = ended;
  const verdict =
    ended.isSkipped === true
      ? 'skipped'
      : verdictOf(failure, isChange(callContext.operation), change);
  const outcome = outcomeOf(failure, verdict, change);
  // What was not sent leaves nothing to record, and what was accepted has its record already.
  const isNews =
    change.intended ||
    verdict === 'ok' ||
    (!['unstarted', 'skipped'].includes(verdict) && item.past !== 'unknown');
  const isKept = outcome === 'accepted' && change.kept;
  if (isNews && !isKept) journal?.end(item, { ...change, awaited, outcome, ended });
  // What was left to an earlier run has been sent; of the rest its attempts say so.
  const wasSent = given.failure === undefined || failure?.facts.sent === true || change.sent;
  const sent = wasSent || verdict === 'unknown' || verdict === 'accepted';
  return { verdict, ended, outcome, sent, stop: stopAfter(failure, limiter) };
}

/**
 * The context of a record's call: each attempt takes its turn, and a change leaves only after its intent is on the disk.
 */
function recordContext(
  item: BatchItem,
  state: ChangeState,
  { callContext, limiter, retryPolicy, journal }: RecordRun,
): CallContext {
  const { operation, change } = callContext;
  const changeOnce = async <T>(attempt: () => Promise<T>): Promise<T> => {
    if (journal !== undefined) {
      await journal.intend(item, state);
      state.intended = true;
    }
    const result = await attempt();
    state.accepted = true;
    return result;
  };
  return {
    ...callContext,
    sentBefore: journal?.sentBefore(item),
    change: {
      confirm: async (input) => (await change?.confirm(input)) === true,
      async beforeSend(input, requestId) {
        state.requestId = requestId;
        state.targets = input[operation.parts ?? ''] as SentChange['targets'];
        await change?.beforeSend(input, requestId);
      },
      onSuccess: (data, serverTime) => change?.onSuccess(data, serverTime),
    },
    retryPolicy: (retries, called) => ({
      ...retryPolicy(retries),
      async run(attempt, tries) {
        try {
          const request = isChange(called) ? () => changeOnce(attempt) : attempt;
          const result = await limiter.run('call', request, tries);
          state.sent = true;
          return result;
        } catch (error) {
          if (error instanceof Failure && error.facts.sent === true) state.sent = true;
          throw error;
        }
      },
    }),
  };
}

/**
 * The same context; of a change that an earlier run sent and did not see settle, with a read in place of the call. How
 * the targets stood before the change is not known; as they are now, it may not have begun yet.
 */
function resuming(callContext: CallContext, { past, underWay = [] }: BatchItem): CallContext {
  if (past !== 'accepted') return callContext;
  const before = async (input: Input) => {
    const { operation } = callContext;
    const { poll = operation } = operation.wait!;
    const instead = await callOperation(callContext, poll, pollInput(poll, input));
    const named = input[operation.parts ?? ''] as readonly string[] | undefined;
    const wanted = underWay.length > 0 ? underWay : named;
    return { input, instead, before: instead.data, wanted };
  };
  return { ...callContext, hooks: { ...callContext.hooks, before } };
}

type CalledRequest = Awaited<ReturnType<typeof callBeforeWait>>;

/** What is waited for: with the targets of the record that an earlier run has sent. */
function withUnderWay(called: CalledRequest, { underWay = [] }: BatchItem): CalledRequest {
  if (underWay.length === 0) return called;
  const { idle: _idle, wanted = [], ...rest } = called;
  return { ...rest, wanted: [...new Set([...wanted, ...underWay])] };
}

const leftUnknown = () =>
  new Failure('outcome_unknown', {
    what: 'outcome unknown since an earlier run; not sent again',
    hint: '--retry-unknown sends it again',
    sent: true,
    retryable: false,
  });

/** The outcome of a record, with what its command itself has against the result. */
export async function judged(
  ended: CallOutcome,
  input: Input,
  callContext: CallContext,
): Promise<CallOutcome> {
  if (ended.failure !== undefined || ended.isSkipped === true) return ended;
  try {
    await callContext.hooks.after?.(ended, input, callContext);
    return ended;
  } catch (error) {
    return { ...ended, failure: recordFailure(error) };
  }
}

/** The failure of a record. Throws a broken journal and internal errors, which end the whole batch. */
function recordFailure(error: unknown): Failure {
  const failure = asFailure(error);
  if (failure.kind === 'internal' || failure.kind === 'local_io') throw failure;
  return failure;
}

/** The verdict on a record that ended with this failure, or well. */
export function verdictOf(
  failure: Failure | undefined,
  change: boolean,
  { accepted }: Pick<ChangeState, 'accepted'>,
): RecordVerdict {
  if (failure === undefined) return 'ok';
  if (failure.kind === 'outcome_unknown') return 'unknown';
  if (failure.kind === 'still_pending' || failure.facts.isWaiting === true) return 'accepted';
  // A refused token is no fault of the record: a run with another token can do it, or wait for it.
  if (failure.facts.status === 401) return accepted ? 'accepted' : 'unstarted';
  if (!isSignal(failure.kind)) return 'failed';
  if (!change) return 'unstarted';
  if (accepted) return 'accepted';
  return failure.outcome === 'unknown' ? 'unknown' : 'unstarted';
}

/** What the journal keeps of it. */
export function outcomeOf(
  failure: Failure | undefined,
  verdict: RecordVerdict,
  { accepted }: Pick<ChangeState, 'accepted'>,
): JournalOutcome {
  if (verdict === 'ok') return 'done';
  // The next run looks again: what was being published may have failed since.
  if (verdict === 'unstarted' || verdict === 'skipped') return 'unsent';
  // What has settled badly may be tried again; what has not settled may not.
  if (accepted && failure?.kind !== 'ended_badly') return 'accepted';
  return verdict === 'unknown' ? 'unknown' : 'failed';
}

/** Why the batch stops after this failure: the token was refused, or the service is down. */
export function stopAfter(
  failure: Failure | undefined,
  { down }: Pick<Limiter, 'down'>,
): Failure | undefined {
  if (failure?.facts.status === 401) {
    const what = 'stopped: the service would reject all other requests too';
    // The record counts as not started and has no line of its own: what refused it is told here.
    const why = [`last: ${headlineOf(failure)}`, ...(failure.facts.why ?? [])];
    return new Failure('unauthorized', { ...failure.facts, what, why });
  }
  const last = down();
  if (last === undefined) return undefined;
  const limited = last.kind === 'rate_limited';
  const { retryAfterMs: asked, requestId } = last.facts;
  const toWait = `the service asks to wait${asked === undefined ? '' : ` ${formatDuration(asked)}`}`;
  return new Failure(limited ? 'rate_limited' : 'batch_failed', {
    what: `stopped: ${limited ? toWait : 'service unavailable'}`,
    why: [`last: ${last.facts.what}`],
    sent: last.facts.sent === true,
    retryable: false,
    ...(requestId === undefined ? {} : { requestId }),
  });
}
