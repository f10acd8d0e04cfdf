// Runs one record of a batch: intent in the journal → request → accepted → wait → outcome. It makes the same call and
// the same wait as a single command, and holds a place of the limiter until the wait, and a turn for each request.

import { isChange, pollInput, type Input } from '../api/operations/define-operation.ts';
import { formatDuration } from '../base/durations.ts';
import { afterAccepted, asFailure, Failure, headlineOf, isSignal } from '../base/errors.ts';
import { withAdvice } from '../client/advice.ts';
import type { Session, CallOutcome, SkippedParts, WaitOptions } from '../client/session.ts';
import { callOperation } from '../client/call-operation.ts';
import type { SentChange } from '../client/open-client.ts';
import { unsureIn } from '../client/cause.ts';
import {
  type CalledOperation,
  isForNothing,
  outcomeWithoutWait,
  readThenCall,
  waitRequestOf,
} from '../wait/call-and-wait.ts';
import { type WaitRequest, pollOnce, waitForEnd } from '../wait/wait.ts';
import type { RecordJournal } from './journal/record-journal.ts';
import { WHOLE_PART } from './journal/requests.ts';
import type { Limiter } from './limiter.ts';
import { type BatchRecord, namedTargets } from './read/validate-records.ts';
import type { RecordVerdict } from './report/summary.ts';
import type { BatchSession } from './session.ts';

export interface RecordResult {
  readonly verdict: RecordVerdict;
  readonly ended: CallOutcome;
  /** True if an earlier run left the outcome unknown, and this one did not send what is unknown. */
  readonly isLeftUnknown: boolean;
  /** The input with which another batch may do what failed or was not sent; `undefined` if there is nothing. */
  readonly left: Input | undefined;
  /** The reason why nothing more should be started. */
  readonly stop: Failure | undefined;
}

/**
 * Runs one record. The caller has taken its place; it is released before the wait. Without `waiting` the record ends
 * with its call. Rejects with a `Failure` only if the batch cannot continue.
 */
export const runRecord = (
  record: BatchRecord,
  waiting: WaitOptions | undefined,
  session: BatchSession,
  releasePlace: () => void,
): Promise<RecordResult> => new RunningRecord(record, session).run(waiting, releasePlace);

class RunningRecord {
  readonly #record: BatchRecord;
  readonly #batch: BatchSession;
  readonly #journal: RecordJournal | undefined;
  /** The session of its call, which writes its intent. */
  readonly #session: Session;
  /** The request of this run, once its intent is written. */
  #request: { readonly change: SentChange; isAccepted: boolean } | undefined;
  /** True while it waits for a change that an earlier run has sent. */
  #awaitsEarlier = false;
  /** The targets that its call skipped: a wait that throws does not return them. */
  #skipped: SkippedParts | undefined;
  /** The targets that it is about. */
  #about: readonly string[] | undefined;

  constructor(record: BatchRecord, batch: BatchSession) {
    this.#record = record;
    this.#batch = batch;
    this.#journal = batch.journalOf(record);
    this.#session = this.#sessionOfCall();
  }

  async run(waiting: WaitOptions | undefined, releasePlace: () => void): Promise<RecordResult> {
    let ended: CallOutcome;
    try {
      ended = await this.#callAndWait(waiting, releasePlace);
    } catch (error) {
      ended = { data: undefined, skipped: this.#skipped, failure: recordFailure(error) };
    }
    return this.#end(await withAfterHook(ended, this.#record.input, this.#session));
  }

  async #callAndWait(
    waiting: WaitOptions | undefined,
    releasePlace: () => void,
  ): Promise<CallOutcome> {
    const { operation } = this.#session;
    const called = await this.#call(waiting);
    const { prepared } = called;
    const { skipped, accepted } = prepared;
    this.#skipped = skipped;
    this.#awaitsEarlier = accepted !== undefined && accepted.size > 0;
    if (prepared.do === 'nothing' && prepared.because === 'done') this.#journal?.finishAfterRead();
    // A part that an earlier run has sent and that is published now is a success of the batch.
    const isFound = prepared.do === 'nothing' && this.#journal?.isAllSentDone() === true;
    if (waiting === undefined || isForNothing(prepared)) {
      this.#about = prepared.wanted ?? namedTargets(prepared.input, operation);
      const isUnwaited = isChange(operation) && operation.wait !== undefined && !isFound;
      const outcome = outcomeWithoutWait(called);
      return { ...outcome, isSkipped: outcome.isSkipped === true && !isFound, isFound, isUnwaited };
    }
    const request = waitRequestOf(operation, called, waiting);
    this.#about = request.wanted;
    this.#batch.board?.see(this.#record, request.first?.data, request.wanted);
    releasePlace();
    const outcome = { ...(await this.#wait(request)), skipped };
    if (isChange(operation)) this.#journal?.finishAfterWait();
    return isFound ? { ...outcome, isFound } : outcome;
  }

  /**
   * Makes the call. A command with a read before it asks the journal there (`ledger`), one without goes by the journal
   * alone.
   */
  async #call(waiting: WaitOptions | undefined): Promise<CalledOperation> {
    const { input } = this.#record;
    const { operation, hooks } = this.#session;
    const journal = this.#journal;
    if (journal === undefined || hooks.before !== undefined)
      return readThenCall(this.#session, input, waiting);
    const states = journal.partsIn(input).map((part) => journal.stateOf(part));
    if (states.includes('unknown'))
      throw withAdvice(leftUnknown(0), operation, input, this.#session);
    if (!states.includes('accepted')) return readThenCall(this.#session, input, waiting);
    const { poll = operation } = operation.wait!;
    const shown = await callOperation(this.#session, poll, pollInput(poll, input));
    const [wanted, accepted] = [namedTargets(input, operation), journal.accepted()];
    const prepared = { do: 'nothing', because: 'moving', input, shown, wanted, accepted } as const;
    const startedAt = this.#session.runtime.monotonic();
    return { answer: shown, prepared, startedAt };
  }

  /**
   * Makes the session of the call: each attempt waits for its turn in the limiter, and a change is sent only after its
   * intent is on the disk in the journal, if there is one. The batch was confirmed as a whole, so it has no `confirm`.
   */
  #sessionOfCall(): Session {
    const { observer, limiter } = this.#batch;
    const journal = this.#journal;
    return {
      ...this.#batch,
      service: this.#batch.serviceOfRecords,
      ledger: journal,
      retryPolicy: limiter.retryPolicyOf('call'),
      observer: {
        beforeAttempt: async (sent) => {
          await observer?.beforeAttempt(sent);
          await journal?.writeIntent(sent);
          this.#request = { change: sent, isAccepted: false };
          const named = namedTargets(sent.input, this.#session.operation);
          if (named !== undefined)
            this.#batch.board?.see(this.#record, sent.before?.result.data, named);
        },
        onSuccess: (sent, result) => {
          if (this.#request !== undefined) this.#request.isAccepted = true;
          journal?.writeAccepted(sent, result);
          observer?.onSuccess(sent, result);
        },
        onFailure: (sent, failure) => observer?.onFailure?.(sent, failure) ?? failure,
      },
    };
  }

  /** Waits until the record is done: each poll takes a place, and its request a turn. */
  async #wait(request: WaitRequest): Promise<CallOutcome> {
    const { limiter, cancel, summary } = this.#batch;
    const polling: Session = {
      ...this.#session,
      retryPolicy: limiter.retryPolicyOf('poll'),
    };
    const poll = async (signal: AbortSignal) => {
      const release = await limiter.place('poll', signal);
      try {
        return await pollOnce(polling, request.input, signal);
      } finally {
        release();
      }
    };
    summary.waits++;
    try {
      const ended = await waitForEnd(this.#session, request, {
        signal: cancel.halt,
        poll,
        onPoll: ({ data }, { state, good = state === 'done' ? [WHOLE_PART] : [] }) => {
          this.#journal?.notePoll(data);
          this.#journal?.writePublished(good);
          this.#batch.board?.see(this.#record, data, request.wanted, good);
        },
      });
      if (ended.failure?.kind === 'ended_badly')
        this.#journal?.writeFailed(ended.bad ?? [WHOLE_PART], ended.data);
      return ended;
    } finally {
      summary.waits--;
    }
  }

  /** Judges the end of the record, and writes that of its request to the journal. */
  #end(outcome: CallOutcome): RecordResult {
    const { operation, limiter } = this.#batch;
    const request = this.#request;
    const isAccepted = request?.isAccepted ?? false;
    if (request !== undefined && !isAccepted && outcome.failure !== undefined) {
      const { failure } = outcome;
      const as = failure.outcome === 'unknown' ? 'unknown' : 'refused';
      this.#journal?.writeEnd(request.change, as, failure.facts.status);
    }
    const failure = this.#failureOf(outcome);
    const unknown = this.#unknownParts();
    const isOfChange = isChange(operation);
    const mayBeAccepted = isAccepted || (request === undefined && this.#hasAccepted());
    const own = verdictOf(failure, isOfChange, mayBeAccepted);
    const hasLeftUnknown = unknown.length > 0 && own !== 'unstarted' && own !== 'unknown';
    const ended: CallOutcome = {
      ...outcome,
      about: this.#about,
      failure: hasLeftUnknown ? this.#leftUnknown(unknown.length, failure) : failure,
    };
    const verdict = hasLeftUnknown
      ? 'unknown'
      : ended.isSkipped === true && failure === undefined
        ? 'skipped'
        : own;
    const isLeftUnknown =
      verdict === 'unknown' && (request === undefined || isAccepted || failure === undefined);
    const stop = stopAfter(failure, limiter);
    return { verdict, ended, isLeftUnknown, left: this.#leftToDo(verdict, ended), stop };
  }

  /** Returns the failure of the record. What an earlier run has sent is still accepted if it cannot be read now. */
  #failureOf({ failure }: CallOutcome): Failure | undefined {
    if (failure === undefined) return undefined;
    if (this.#request?.isAccepted === true || this.#awaitsEarlier) return afterAccepted(failure);
    if (this.#request !== undefined || !this.#hasAccepted()) return failure;
    if (failure.kind !== 'no_answer') return afterAccepted(failure);
    const what = `accepted by an earlier run, and not read now: ${failure.facts.what}`;
    return afterAccepted(failure.with({ what }, 'still_pending'));
  }

  /** True if an earlier run of this journal has sent parts of the record that have not ended. */
  #hasAccepted(): boolean {
    return this.#journal !== undefined && this.#journal.accepted().size > 0;
  }

  /** Returns the parts that are unknown; one that this run has sent successfully is shown as that. */
  #unknownParts(): readonly string[] {
    const journal = this.#journal;
    if (journal === undefined) return [];
    const request = this.#request;
    const sent = request?.isAccepted === true ? journal.partsIn(request.change.input) : [];
    return journal.unknownParts().filter((part) => !sent.includes(part));
  }

  #leftUnknown(count: number, other: Failure | undefined): Failure {
    const why = other === undefined ? [] : [`besides: ${other.facts.what}`];
    const { operation } = this.#session;
    const failure = leftUnknown(operation.partsField === undefined ? 0 : count).with({ why });
    return withAdvice(failure, operation, this.#record.input, this.#session);
  }

  /** Returns the input of a record that failed, or was not sent, without parts that must not be sent again. */
  #leftToDo(verdict: RecordVerdict, { bad: failed, data }: CallOutcome): Input | undefined {
    const { input } = this.#record;
    if (!['failed', 'unknown', 'unstarted'].includes(verdict)) return undefined;
    const { operation, causeRules } = this.#session;
    const unsure = unsureIn(data, causeRules);
    const bad = failed?.filter((part) => !unsure.includes(part));
    const { partsField } = operation;
    const request = this.#request;
    const sent = request && namedTargets(request.change.input, operation);
    const candidates = bad ?? sent ?? namedTargets(input, operation);
    if (this.#journal !== undefined) return this.#journal.repeatable(candidates);
    // An accepted change may still be published.
    if (verdict === 'unknown' || (request?.isAccepted === true && bad === undefined))
      return undefined;
    if (partsField === undefined || candidates === undefined) return input;
    if (candidates.length === 0) return undefined;
    return { ...input, [partsField]: candidates };
  }
}

const leftUnknown = (parts: number) =>
  new Failure('outcome_unknown', {
    what:
      parts === 0
        ? 'outcome unknown since an earlier run; not sent again'
        : `outcome of ${parts} ${parts === 1 ? 'target' : 'targets'} unknown since an earlier run; not sent again`,
    hint: '--retry-unknown sends it again',
    sent: true,
    retryable: false,
  });

/** Runs the `after` hook of the command on a success: if it throws, the record ends with that failure. */
async function withAfterHook(
  ended: CallOutcome,
  input: Input,
  session: Session,
): Promise<CallOutcome> {
  if (ended.failure !== undefined || ended.isSkipped === true) return ended;
  try {
    await session.hooks.after?.(ended, input, session);
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

/** Returns why the batch stops after this failure: the token was rejected, or the service is down. */
export function stopAfter(
  failure: Failure | undefined,
  { down }: Pick<Limiter, 'down'>,
): Failure | undefined {
  if (failure?.facts.status === 401) {
    const what = 'stopped: the service would reject all other requests too';
    // The record counts as not started and has no line of its own, so its failure is reported here.
    const last = headlineOf(failure.with({ nothingWas: undefined }));
    return failure.with({ what, why: [`last: ${last}`, ...(failure.facts.why ?? [])] });
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
