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
import type { JournalOutcome } from '../journal/format.ts';
import type { Journal } from '../journal/journal.ts';
import { keysOfParts } from '../read/duplicates.ts';
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

export interface ItemRun extends Omit<WaitsOptions, 'waiting' | 'finish'> {
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

/** Makes what runs the items. */
export function itemWorker(run: ItemRun) {
  const { callContext, pace, journal, waiting, guarded } = run;
  const change = isChange(callContext.operation);
  const idOf = journalId(callContext.operation);
  const finish = (
    item: BatchItem,
    given: CallOutcome,
    state: ChangeState,
    known?: 'accepted',
  ): ItemResult => {
    const ended = endedAfter(judged(given, callContext), state.accepted);
    const { failure } = ended;
    const isSkipped = ended.isSkipped === true;
    const verdict = known ?? (isSkipped ? 'skipped' : verdictOf(failure, change, state));
    const outcome = outcomeOf(failure, verdict, state);
    // A read that was not started leaves nothing to record; what waits has its record already.
    const isRecorded =
      state.intended || (verdict !== 'unstarted' && item.past !== 'unknown') || verdict === 'ok';
    if (isRecorded && known === undefined)
      journal?.end(item.keys, idOf(item), outcome, failure?.exitCode ?? 0);
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
      finish: (item, ended, verdict) =>
        guarded(item, () =>
          finish(item, ended, { intended: change, accepted: change, sent: true }, verdict),
        ),
    });
  const begin = async (item: BatchItem): Promise<ItemResult> => {
    const state: ChangeState = { intended: false, accepted: item.past === 'accepted', sent: false };
    const own = contextFor(run, item, idOf(item), state);
    let ended: CallOutcome;
    let whole = item;
    try {
      if (item.past === 'unknown' && !run.retryUnknown)
        throw withAdvice(leftUnknown(), own.operation, item.input, own);
      if (waits === undefined) {
        ended = await callAndWait(own, undefined, item.input);
        if (ended.skipped !== undefined) run.onLeft(ended.skipped);
      } else {
        const called = await callThenWait(resuming(own, item, journal), waiting!, item.input);
        // It may end much later, and what it left alone is known now.
        if (called.skipped !== undefined) run.onLeft(called.skipped);
        const { request, keys } = withUnderWay(called, item, own);
        whole = keys === item.keys ? item : { ...item, keys };
        const settled = request.idle === 'nothing' ? request.first : waits.add(whole, request);
        if (settled === undefined) {
          const { wanted } = called;
          const isKnown = wanted === state.parts || wanted === ownParts(own.operation, item.input);
          if (state.intended) journal?.accept(item.keys, idOf(item), isKnown ? undefined : wanted);
          return { verdict: 'waiting', sent: true };
        }
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

/** The parts that an input names. */
const ownParts = ({ parts = '' }: Operation, input: Input) =>
  input[parts] as readonly string[] | undefined;

/**
 * The same context; of a change that an earlier run sent and did not see settle, with a look in place of the call. How
 * the targets stood before the change is not known; as they are now, it may not have begun yet.
 */
function resuming(callContext: CallContext, item: BatchItem, journal?: Journal): CallContext {
  if (item.past !== 'accepted') return callContext;
  const before = async (input: Input) => {
    const { operation } = callContext;
    const poll = operation.wait!.poll ?? operation;
    const instead = await callOperation(callContext, poll, pollInput(poll, input));
    const wanted = partsToResume(item, ownParts(operation, input), journal);
    return { input, instead, before: instead.data, wanted };
  };
  return { ...callContext, hooks: { ...callContext.hooks, before } };
}

/**
 * The parts of a record that an earlier run sent: it may have chosen among them. An older journal does not say it of
 * all.
 */
function partsToResume(
  { keys }: BatchItem,
  named: readonly string[] | undefined,
  journal: Journal | undefined,
): readonly string[] | undefined {
  const sent = keys.map(({ key }) => journal?.sentParts(key)?.waited);
  // Each part has its key, in the same order.
  return named === undefined ? sent[0] : named.filter((id, i) => sent[i]?.includes(id) ?? true);
}

/**
 * What is waited for, and the keys of all that ends with it: with the parts of the record that an earlier run has sent.
 */
function withUnderWay(
  called: CalledRequest,
  item: BatchItem,
  { operation, isUnderWay }: CallContext,
): { readonly request: CalledRequest; readonly keys: BatchItem['keys'] } {
  const { underWay } = item;
  if (underWay === undefined) return { request: called, keys: item.keys };
  const { idle, wanted: own = [], ...rest } = called;
  const sent = underWay === 'some' ? own.filter(isUnderWay!) : underWay;
  // What there was nothing to do of is looked at again by the next run.
  const ownKeys = idle === 'nothing' ? [] : item.keys;
  const keys = [...ownKeys, ...keysOfParts(operation, item.input, sent)];
  const wanted = [...new Set([...own, ...sent])];
  return { request: { ...rest, wanted }, keys };
}

/**
 * The context of an item's call: each attempt takes its turn, and a change leaves only after its intent is on the disk.
 */
function contextFor(
  { callContext, pace, journal, retryPolicy }: ItemRun,
  item: BatchItem,
  id: string | undefined,
  state: ChangeState,
): CallContext {
  const intend = async () => {
    try {
      await journal!.intend(item.keys, id, state.parts, state.requestId);
      state.intended = true;
    } catch (error) {
      pace.ended(undefined, 1);
      throw error;
    }
  };
  const turn = () => {
    const taken = pace.turn();
    return taken === undefined ? intend() : taken.then(intend);
  };
  const change = journal === undefined ? callContext.change : noting(callContext, item, state);
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
  if (item.underWay !== 'some') return made;
  const keyOfPart = (part: string) => keysOfParts(made.operation, item.input, [part])[0]!.key;
  return { ...made, isUnderWay: (part) => journal!.before(keyOfPart(part)) === 'accepted' };
}

/** Notes for the journal the id of the request, and the parts that a look before the call has chosen. */
function noting(
  { operation, change }: CallContext,
  { input: own }: BatchItem,
  state: ChangeState,
): ChangeObserver {
  const name = operation.parts ?? '';
  return {
    asks: (input) => change?.asks(input),
    leaves(input, requestId) {
      state.requestId = requestId;
      if (input[name] !== own[name]) state.parts = input[name] as ChangeState['parts'];
      return change?.leaves(input, requestId);
    },
    answered: (data) => change?.answered(data),
  };
}

/** Makes the function that gives the id of a record for the journal; none where that is a credential. */
function journalId(operation: Operation): (item: BatchItem) => string | undefined {
  const hidden = fieldsOf(operation)
    .filter((field) => field.hidden)
    .map(({ name }) => name);
  return ({ input }) => {
    const [name = '', id] = Object.entries(input)[0] ?? [];
    return hidden.includes(name) || typeof id !== 'string' || id.length > 64 ? undefined : id;
  };
}

const leftUnknown = () =>
  new Failure('outcome_unknown', {
    what: 'outcome unknown since an earlier run; not sent again',
    hint: '--retry-unknown sends it again',
    sent: true,
    retryable: false,
  });
