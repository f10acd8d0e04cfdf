// One item of a batch, from its intent in the journal to its result: the same call as a single one, with its turn from
// the rate limiter, and a verdict that says what may have happened.

import {
  isChange,
  pollInput,
  type Input,
  type Operation,
} from '../../api/operations/define-operation.ts';
import { fieldsOf } from '../../api/operations/fields.ts';
import { Failure } from '../../base/errors.ts';
import { withAdvice } from '../../client/advice.ts';
import type {
  CallContext,
  CallOutcome,
  ChangeObserver,
  SkippedParts,
} from '../../client/call-context.ts';
import { callOperation } from '../../client/call-operation.ts';
import type { RetryPolicy } from '../../client/retry.ts';
import { afterWait, callAndWait, callThenWait, endedAfter } from '../../wait/call-and-wait.ts';
import type { WaitOptions } from '../../wait/options.ts';
import { HASHED, type JournalOutcome } from '../journal/format.ts';
import type { Journal } from '../journal/journal.ts';
import type { BatchItem } from '../read/validate-records.ts';
import {
  type ChangeState,
  itemFailure,
  judged,
  outcomeOf,
  stopAfter,
  verdictOf,
} from './item-verdict.ts';
import type { ItemResult, ItemVerdict } from './scheduler.ts';
import { createWaits, type WaitsOptions } from './waits.ts';

export interface ItemRun extends Omit<WaitsOptions, 'waiting' | 'finish' | 'onLook'> {
  readonly waiting: WaitOptions | undefined;
  readonly journal: Journal | undefined;
  readonly retryUnknown: boolean;
  /** Called with the parts that an item left alone. */
  onLeft(skipped: SkippedParts): void;
  /** Called once for each item that was started, with the outcome that the journal has of it. */
  onEnd(
    item: BatchItem,
    ended: Partial<CallOutcome>,
    verdict: Exclude<ItemVerdict, 'unstarted'>,
    outcome: JournalOutcome,
  ): void;
}

type CalledRequest = Awaited<ReturnType<typeof callThenWait>>;

/** An item whose result is waited for: what ends with it. */
export interface AwaitedItem extends BatchItem {
  /** The parts that are waited for; `undefined` where they are not known. */
  readonly awaited?: readonly string[] | undefined;
  /** Set where only what an earlier run has sent is waited for, and there was nothing to do of the record itself. */
  readonly isOthersAlone?: boolean;
}

/** Makes what runs the items. */
export function itemWorker(run: ItemRun) {
  const { callContext, pace, journal, waiting, guarded } = run;
  const { operation } = callContext;
  const change = isChange(operation);
  const record = journal && journalist(journal, operation);
  const finish = (
    item: AwaitedItem,
    given: CallOutcome,
    state: ChangeState,
    known?: 'accepted',
  ): ItemResult => {
    const ended = endedAfter(judged(given, callContext), state.accepted);
    const { failure } = ended;
    const isSkipped = ended.isSkipped === true;
    const verdict = known ?? (isSkipped ? 'skipped' : verdictOf(failure, change, state));
    const outcome = outcomeOf(failure, verdict, state);
    // What was not sent leaves nothing to record; what waits has its record already.
    const isRecorded =
      state.intended ||
      verdict === 'ok' ||
      (!['unstarted', 'skipped'].includes(verdict) && item.past !== 'unknown');
    if (isRecorded && known === undefined) record?.end(item, state, outcome, ended);
    if (verdict !== 'unstarted') run.onEnd(item, ended, verdict, outcome);
    // What was judged or left to an earlier run has been sent; of the rest its attempts say so.
    const isSent = given.failure === undefined || failure?.facts.sent === true || state.sent;
    const sent = isSent || verdict === 'unknown' || verdict === 'accepted';
    return { verdict, sent, stop: stopAfter(failure, pace) };
  };
  const waits =
    waiting &&
    createWaits({
      ...run,
      waiting,
      onLook: (item, { good = [] }) => record?.done(item, good),
      finish: (item, ended, verdict) =>
        guarded(item, () =>
          finish(item, ended, { intended: change, accepted: change, sent: true }, verdict),
        ),
    });
  const begin = async (item: BatchItem): Promise<ItemResult> => {
    const state: ChangeState = { intended: false, accepted: item.past === 'accepted', sent: false };
    const own = contextFor(run, item, state, record);
    let ended: CallOutcome;
    let whole: AwaitedItem = item;
    try {
      if (item.past === 'unknown' && !run.retryUnknown)
        throw withAdvice(leftUnknown(), own.operation, item.input, own);
      if (waits === undefined) {
        ended = await callAndWait(own, undefined, item.input);
        if (ended.skipped !== undefined) run.onLeft(ended.skipped);
      } else {
        const called = await callThenWait(resuming(own, item), waiting!, item.input);
        // It may end much later, and what it left alone is known now.
        if (called.skipped !== undefined) run.onLeft(called.skipped);
        const request = withUnderWay(called, item);
        const isOthersAlone = called.idle === 'nothing' && request.idle === undefined;
        whole = { ...item, awaited: request.wanted, isOthersAlone };
        if (state.intended) record?.accept(whole);
        const settled = request.idle === 'nothing' ? request.first : waits.add(whole, request);
        if (settled === undefined) return { verdict: 'waiting', sent: true };
        ended = afterWait(settled, request);
      }
    } catch (error) {
      ended = { data: undefined, failure: itemFailure(error) };
    }
    return finish(whole, ended, state);
  };
  return {
    /** What is waited for; nothing where the items are not. */
    waits,
    /** Runs one item, up to what there is to wait for. Rejects with a `Failure` only where the batch cannot go on. */
    start: (item: BatchItem) => guarded(item, () => begin(item)),
  };
}

/**
 * The same context; of a change that an earlier run sent and did not see settle, with a look in place of the call. How
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

/** What is waited for: with the parts of the record that an earlier run has sent. */
function withUnderWay(called: CalledRequest, { underWay = [] }: BatchItem): CalledRequest {
  if (underWay.length === 0) return called;
  const { idle: _idle, wanted = [], ...rest } = called;
  return { ...rest, wanted: [...new Set([...wanted, ...underWay])] };
}

type Journalist = ReturnType<typeof journalist>;

/** Writes down what becomes of items: of each target that was named, waited for or seen. */
function journalist(journal: Journal, operation: Operation) {
  const { parts: field = '' } = operation;
  const namedIn = ({ input }: BatchItem) => input[field] as readonly string[] | undefined;
  const hidden = fieldsOf(operation)
    .filter((each) => each.hidden)
    .map(({ name }) => name);
  /** The id of a record whose key is a hash; none where it is a credential. */
  const idOf = ({ input, key }: BatchItem): string | undefined => {
    const [name = '', id] = Object.entries(input)[0] ?? [];
    const isShown = typeof id === 'string' && id.length <= 64 && !hidden.includes(name);
    return isShown && key.startsWith(HASHED) ? id : undefined;
  };
  return {
    /** Resolves when the intent is on the disk: all that the request names, or the whole. */
    async intend(item: BatchItem, state: ChangeState): Promise<void> {
      const id = idOf(item);
      const { requestId } = state;
      await journal.intend(item.key, state.parts, {
        ...(id && { id }),
        ...(requestId !== undefined && { requestId }),
      });
      state.intended = true;
    },
    /** The service has taken the change. */
    accept(item: AwaitedItem): void {
      const { key, awaited = namedIn(item) } = item;
      if (namedIn(item) === undefined) journal.end(key, undefined, 'accepted', 0);
      if (awaited !== undefined) journal.end(key, awaited, 'accepted', 0);
    },
    /** These parts have been seen to be as wanted. */
    done({ key }: BatchItem, parts: readonly string[]): void {
      const news = parts.filter((part) => journal.targetOutcome(key, part) !== 'done');
      if (news.length > 0) journal.end(key, news, 'done', 0);
    },
    /** How it ended: of a wait that ended badly, what failed has failed, and the rest is done. */
    end(
      item: AwaitedItem,
      { parts }: ChangeState,
      outcome: JournalOutcome,
      { failure, bad }: CallOutcome,
    ): void {
      const { key, awaited, isOthersAlone } = item;
      const exit = failure?.exitCode ?? 0;
      const status = outcome === 'unknown' ? failure?.facts.status : undefined;
      // Of what was in flight only that is unknown which the request was about.
      const isOfParts = isOthersAlone === true || (outcome === 'unknown' && parts !== undefined);
      if (namedIn(item) === undefined && !isOfParts)
        journal.end(key, undefined, outcome, exit, status);
      const all = awaited ?? parts ?? namedIn(item);
      const isSplit = outcome === 'failed' && bad !== undefined;
      const good = isSplit ? all?.filter((part) => !bad.includes(part)) : all;
      if (isSplit) journal.end(key, bad, outcome, exit);
      if (isSplit || outcome === 'done') this.done(item, good ?? []);
      else if (all !== undefined) journal.end(key, all, outcome, exit, status);
    },
  };
}

/**
 * The context of an item's call: each attempt takes its turn, and a change leaves only after its intent is on the disk.
 */
function contextFor(
  { callContext, pace, journal, retryPolicy }: ItemRun,
  item: BatchItem,
  state: ChangeState,
  record: Journalist | undefined,
): CallContext {
  const intend = async () => {
    try {
      await record!.intend(item, state);
    } catch (error) {
      pace.ended(undefined, 1);
      throw error;
    }
  };
  const turn = () => {
    const taken = pace.turn();
    return taken === undefined ? intend() : taken.then(intend);
  };
  const change = journal === undefined ? callContext.change : noting(callContext, state);
  // Object.assign, because on Node 20 each property after a spread costs 1 µs.
  const made = Object.assign({}, callContext, {
    change,
    retryPolicy(operation: Operation, retries: number): RetryPolicy {
      const forChange = isChange(operation);
      const ended = (failure: Failure | undefined, tries: number) => {
        if (failure === undefined || failure.facts.sent === true) state.sent = true;
        if (failure === undefined && forChange) state.accepted = true;
        return pace.ended(failure, tries);
      };
      const own = forChange && journal !== undefined ? { ended, turn } : { ended };
      return Object.assign({}, retryPolicy(retries), own);
    },
  });
  const { parts: field } = callContext.operation;
  if (journal === undefined || field === undefined || item.input[field] !== undefined) return made;
  return { ...made, sentBefore: journal.sentBefore(item.key) };
}

/** Notes for the journal the id of the request, and the parts that it names. */
function noting({ operation, change }: CallContext, state: ChangeState): ChangeObserver {
  const name = operation.parts ?? '';
  return {
    asks: (input) => change?.asks(input),
    leaves(input, requestId) {
      state.requestId = requestId;
      state.parts = input[name] as ChangeState['parts'];
      return change?.leaves(input, requestId);
    },
    answered: (data, serverTime) => change?.answered(data, serverTime),
  };
}

const leftUnknown = () =>
  new Failure('outcome_unknown', {
    what: 'outcome unknown since an earlier run; not sent again',
    hint: '--retry-unknown sends it again',
    sent: true,
    retryable: false,
  });
