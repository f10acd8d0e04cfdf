// Runs one record of a batch: intent in the journal → request → accepted → wait → outcome. It makes the same call and
// the same wait as a single command, and holds a place of the limiter until the wait, and a turn for each request.

import { isChange, pollInput, type Input } from '../api/operations/define-operation.ts';
import { raceAbort } from '../base/abort.ts';
import { formatDuration } from '../base/durations.ts';
import { afterAccepted, Failure, headlineOf, isSignal } from '../base/errors.ts';
import { withAdvice } from '../client/advice.ts';
import type {
  BeforeResult,
  CallContext,
  CallOutcome,
  SkippedParts,
  WaitOptions,
} from '../client/call-context.ts';
import { callOperation } from '../client/call-operation.ts';
import { asFailure } from '../output/error-report.ts';
import {
  callAndWait,
  type CalledOperation,
  outcomeOfWait,
  readThenCall,
  waitRequestOf,
} from '../wait/call-and-wait.ts';
import { type WaitRequest, pollOnce, waitUntilSettled } from '../wait/wait.ts';
import type { JournalOutcome } from './journal/format.ts';
import type { Journal } from './journal/journal.ts';
import { RecordJournal } from './journal/record-journal.ts';
import type { Limiter } from './limiter.ts';
import { type BatchRecord, namedTargets } from './read/validate-records.ts';

/**
 * The end of a record. `accepted`: the service has accepted the change, and its result is unknown; `skipped`: there was
 * nothing to do; `unstarted`: nothing was sent.
 */
export type RecordVerdict = 'ok' | 'failed' | 'unknown' | 'accepted' | 'skipped' | 'unstarted';

export interface RecordResult {
  readonly verdict: RecordVerdict;
  readonly ended: CallOutcome;
  /** The outcome in the journal. */
  readonly outcome: JournalOutcome;
  /** The reason why nothing more should be started. */
  readonly stop: Failure | undefined;
}

export interface RecordRun {
  readonly callContext: CallContext;
  readonly limiter: Limiter;
  readonly journal: Journal | undefined;
  /** True if records that an earlier run left unknown are sent again. */
  readonly retryUnknown: boolean;
  /** Ends the waits. */
  readonly halt: AbortSignal;
  /** Called with 1 when a wait starts and with -1 when it ends. */
  countWait(delta: 1 | -1): void;
}

/**
 * Runs one record. The caller has taken its place; it is released before the wait. Without `waiting` the record ends
 * with its call. Rejects with a `Failure` only if the batch cannot continue.
 */
export const runRecord = (
  record: BatchRecord,
  waiting: WaitOptions | undefined,
  run: RecordRun,
  releasePlace: () => void,
): Promise<RecordResult> => new RunningRecord(record, run).run(waiting, releasePlace);

class RunningRecord {
  readonly #record: BatchRecord;
  readonly #run: RecordRun;
  readonly #journal: RecordJournal | undefined;
  readonly #callContext: CallContext;
  /** True if the service has accepted its change, now or in an earlier run. */
  #isAccepted: boolean;
  /** The targets that its call skipped: a wait that throws does not return them. */
  #skipped: SkippedParts | undefined;

  constructor(record: BatchRecord, run: RecordRun) {
    const { journal, callContext } = run;
    this.#record = record;
    this.#run = run;
    this.#journal = journal && new RecordJournal(journal, callContext.operation, record);
    this.#isAccepted = record.past === 'accepted';
    this.#callContext = this.#makeContext();
  }

  async run(waiting: WaitOptions | undefined, releasePlace: () => void): Promise<RecordResult> {
    let ended: CallOutcome;
    try {
      ended = await this.#callAndWait(waiting, releasePlace);
    } catch (error) {
      ended = { data: undefined, skipped: this.#skipped, failure: recordFailure(error) };
    }
    return this.#end(await withAfterHook(ended, this.#record.input, this.#callContext));
  }

  async #callAndWait(
    waiting: WaitOptions | undefined,
    releasePlace: () => void,
  ): Promise<CallOutcome> {
    const { past, input } = this.#record;
    const callContext = this.#callContext;
    if (past === 'unknown' && !this.#run.retryUnknown)
      throw withAdvice(leftUnknown(), callContext.operation, input, callContext);
    // Without a wait no record that was accepted earlier comes here: `splitCanary` leaves it out.
    if (waiting === undefined) return callAndWait(callContext, undefined, input);
    const called =
      past === 'accepted' ? await this.#readPost() : await readThenCall(callContext, input, true);
    const { skipped, idle } = called.beforeResult;
    this.#skipped = skipped;
    const request = this.#withUnderWay(
      waitRequestOf(callContext.operation, called, waiting),
      called.beforeResult,
    );
    this.#journal?.wait(request.wanted);
    releasePlace();
    // If this run has nothing to send (`idle`), the record still waits for the targets that an earlier run has sent.
    const idleOfRecord = this.#underWay.length > 0 ? undefined : idle;
    const last = idleOfRecord === 'nothing' ? called.answer : await this.#wait(request);
    return outcomeOfWait(last, { skipped, idle: idleOfRecord });
  }

  /**
   * Makes the context of the call: each attempt waits for its turn in the limiter, and a change is sent only after its
   * intent is on the disk.
   */
  #makeContext(): CallContext {
    const { callContext, limiter } = this.#run;
    const { operation, change } = callContext;
    const journal = this.#journal;
    /** Writes the intent of the change; `beforeSend` sets it. */
    let intend: (() => Promise<void>) | undefined;
    const send = async <T>(attempt: () => Promise<T>): Promise<T> => {
      await intend?.();
      const result = await attempt();
      this.#isAccepted = true;
      return result;
    };
    const retryPolicy = limiter.retryPolicyOf('call');
    return {
      ...callContext,
      sentBefore: journal?.sentBefore(),
      change: {
        confirm: async (input) => (await change?.confirm(input)) === true,
        beforeSend: async (input, requestId) => {
          intend = async () => journal?.intend(namedTargets(input, operation), requestId);
          await change?.beforeSend(input, requestId);
        },
        onSuccess: (input, result) => change?.onSuccess(input, result),
      },
      retryPolicy: (retries, called) => ({
        ...retryPolicy(retries),
        // This `run` also writes the intent of a change, once the attempt has its turn.
        run: (attempt, tries) =>
          limiter.run('call', isChange(called) ? () => send(attempt) : attempt, tries),
      }),
    };
  }

  /**
   * Reads the post in place of the call, because an earlier run has sent all that the record names. This run does not
   * know the state before the change, so the one that it reads takes its place.
   */
  async #readPost(): Promise<CalledOperation> {
    const { input } = this.#record;
    const { operation } = this.#callContext;
    // The record is waited for, so its operation has a wait.
    const { poll = operation } = operation.wait!;
    const answer = await callOperation(this.#callContext, poll, pollInput(poll, input));
    const wanted = this.#underWay.length > 0 ? this.#underWay : namedTargets(input, operation);
    return { answer, beforeResult: { input, instead: answer, before: answer.data, wanted } };
  }

  /** Targets that an earlier run has sent and that are not done. */
  get #underWay(): readonly string[] {
    return this.#record.underWay ?? [];
  }

  /** Adds the targets that an earlier run has sent to those that are waited for. */
  #withUnderWay(request: WaitRequest, { instead }: BeforeResult): WaitRequest {
    if (this.#underWay.length === 0) return request;
    const wanted = [...new Set([...(request.wanted ?? []), ...this.#underWay])];
    if (instead === undefined) return { ...request, wanted };
    // All that is waited for was sent by an earlier run. A target that still reads failed may not have started again
    // yet, so this state counts as the one before the change.
    this.#isAccepted = true;
    return { ...request, wanted, before: instead.data };
  }

  /** Waits until the record is done: each poll takes a place, and its request a turn. */
  async #wait(request: WaitRequest): Promise<CallOutcome> {
    const { limiter, halt, countWait } = this.#run;
    const polling: CallContext = {
      ...this.#callContext,
      retryPolicy: limiter.retryPolicyOf('poll'),
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
      return await waitUntilSettled(
        this.#callContext,
        { ...request, isAccepted: this.#isAccepted },
        {
          signal: halt,
          // A wait ends at its timeout, also if its poll still waits for its turn.
          poll: (signal) => raceAbort(pollInTurn(signal), signal),
          onPoll: (_seen, { good = [] }) => this.#journal?.done(good),
        },
      );
    } finally {
      countWait(-1);
    }
  }

  /** Judges the end of the record, and writes it to the journal. */
  #end(outcomeOfCall: CallOutcome): RecordResult {
    const { callContext, limiter } = this.#run;
    const isAccepted = this.#isAccepted;
    const failure =
      isAccepted && outcomeOfCall.failure !== undefined
        ? afterAccepted(outcomeOfCall.failure)
        : outcomeOfCall.failure;
    const ended = { ...outcomeOfCall, failure };
    const verdict =
      ended.isSkipped === true
        ? 'skipped'
        : verdictOf(failure, isChange(callContext.operation), isAccepted);
    const outcome = journalOutcomeOf(failure, verdict, isAccepted);
    this.#journal?.end(outcome, ended);
    return { verdict, ended, outcome, stop: stopAfter(failure, limiter) };
  }
}

const leftUnknown = () =>
  new Failure('outcome_unknown', {
    what: 'outcome unknown since an earlier run; not sent again',
    hint: '--retry-unknown sends it again',
    sent: true,
    retryable: false,
  });

/** Runs the `after` hook of the command on a success: if it throws, the record ends with that failure. */
export async function withAfterHook(
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

/** Returns the failure of a record. Throws an internal or local failure, which ends the whole batch. */
function recordFailure(error: unknown): Failure {
  const failure = asFailure(error);
  if (failure.kind === 'internal' || failure.kind === 'local_io') throw failure;
  return failure;
}

/** Returns the verdict on a record that ended with this failure, or with success. */
export function verdictOf(
  failure: Failure | undefined,
  isOfChange: boolean,
  accepted: boolean,
): RecordVerdict {
  if (failure === undefined) return 'ok';
  if (failure.kind === 'outcome_unknown') return 'unknown';
  if (failure.kind === 'still_pending' || failure.facts.waitStopped === true) return 'accepted';
  // A rejected token is not the record's fault: a run with another token can send it, or wait for it.
  if (failure.facts.status === 401) return accepted ? 'accepted' : 'unstarted';
  if (!isSignal(failure.kind)) return 'failed';
  // From here on a signal has ended the record: its failure says how far the change came. Another run repeats a read.
  if (!isOfChange) return 'unstarted';
  if (accepted) return 'accepted';
  return failure.outcome === 'unknown' ? 'unknown' : 'unstarted';
}

/** Returns the outcome for the journal. */
export function journalOutcomeOf(
  failure: Failure | undefined,
  verdict: RecordVerdict,
  accepted: boolean,
): JournalOutcome {
  if (verdict === 'ok') return 'done';
  // The next run reads a skipped record again, because a target that was publishing may have failed by then.
  if (verdict === 'unstarted' || verdict === 'skipped') return 'unsent';
  // The next run may send an accepted change again only if its wait has shown that it failed.
  if (accepted && failure?.kind !== 'ended_badly') return 'accepted';
  return verdict === 'unknown' ? 'unknown' : 'failed';
}

/** Returns why the batch stops after this failure: the token was rejected, or the service is down. */
export function stopAfter(
  failure: Failure | undefined,
  { down }: Pick<Limiter, 'down'>,
): Failure | undefined {
  if (failure?.facts.status === 401) {
    const what = 'stopped: the service would reject all other requests too';
    // The record counts as not started and has no line of its own, so its failure is reported here.
    const why = [`last: ${headlineOf(failure)}`, ...(failure.facts.why ?? [])];
    return failure.with({ what, why });
  }
  const last = down();
  if (last === undefined) return undefined;
  const limited = last.kind === 'rate_limited';
  const { retryAfterMs, requestId, isLasting } = last.facts;
  const time = retryAfterMs === undefined ? '' : ` ${formatDuration(retryAfterMs)}`;
  const toWait = isLasting
    ? 'a quota of the service is used up'
    : `the service asks to wait${time}`;
  return new Failure(limited ? 'rate_limited' : 'batch_failed', {
    what: `stopped: ${limited ? toWait : 'service unavailable'}`,
    why: [`last: ${last.facts.what}`],
    sent: last.facts.sent === true,
    retryable: false,
    requestId,
  });
}
