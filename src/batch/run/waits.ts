// Waits for the items of a batch that the service has accepted: looks at those that are due, one after the other, by
// the rules of a single wait. An item that is waited for takes no place; only the look at it does.

import { isChange } from '../../api/operations/define-operation.ts';
import type { WaitVerdict } from '../../api/operations/wait.ts';
import { Failure } from '../../base/errors.ts';
import { isSignal } from '../../base/exit-codes.ts';
import type { CallContext, CallOutcome } from '../../client/call-context.ts';
import { asFailure } from '../../output/error-report.ts';
import type { Result } from '../../client/read-response.ts';
import type { RetryPolicy } from '../../client/retry.ts';
import type { WaitOptions } from '../../wait/options.ts';
import { afterLook, beginPolling, givenUp, looksInTime } from '../../wait/poll.ts';
import {
  gaveUp,
  judgeLook,
  lookAt,
  stoppedWaiting,
  sayIfTooLate,
  waitFailure,
  type WaitRequest,
} from '../../wait/wait-request.ts';
import type { AwaitedItem } from './item.ts';
import { createOutage, type Outage } from './outage.ts';
import { itemFailure, stopAfter } from './item-verdict.ts';
import type { RateLimiter } from './rate-limit.ts';
import type { ItemResult, SchedulerWaits } from './scheduler.ts';
import { createWaitingList, type WaitingList } from './waiting-list.ts';
import type { Standing, WaitingItem } from './waiting-slots.ts';

/** A look may be late by the first interval divided by this, so that others are due with it. */
const SLACK_DIVISOR = 16;

export interface WaitsOptions {
  readonly callContext: CallContext;
  readonly waiting: WaitOptions;
  readonly pace: RateLimiter;
  readonly retryPolicy: (retries: number) => RetryPolicy;
  /** Ends the looks. */
  readonly signal: AbortSignal;
  /** Takes up how an item stands, at each look. */
  onLook(item: AwaitedItem, verdict: WaitVerdict): void;
  /** Takes up the end of an item; the verdict follows from it where none is given. */
  finish(item: AwaitedItem, ended: CallOutcome, verdict?: 'accepted'): ItemResult;
  /** Runs the work of an item with its secrets known. */
  guarded<T>(item: AwaitedItem, work: () => T): T;
}

export interface Waits extends SchedulerWaits {
  readonly list: Pick<WaitingList, 'count' | 'standings' | 'oldest'>;
  /** Looks in flight. */
  looking(): number;
  /** Whether this first look leaves something to wait for: then it is waited for from now on. */
  add(
    item: AwaitedItem,
    request: WaitRequest & { readonly first: Result },
  ): CallOutcome | undefined;
}

/** Waits for nothing yet. */
export function createWaits(options: WaitsOptions): Waits {
  const { callContext, waiting, signal } = options;
  const { runtime } = callContext;
  const { monotonic } = runtime;
  const list = createWaitingList(waiting);
  const outage = createOutage(runtime);
  const ends = createEnds(options, list);
  const looks = createLooks(options);
  const rounds = createRounds(options, { list, outage, ends, looks });
  let isProbing = false;
  // Of many, those that are due at nearly the same time are looked at one right after the other: one wake for all of
  // them.
  const slackMs = () => Math.min(list.asleep(), waiting.intervalMs / SLACK_DIVISOR);

  return {
    list,
    looking: looks.inFlight,
    add(item, request) {
      const { input, before, wanted, first } = request;
      const verdict = judgeLook(first, callContext, request, 0);
      options.onLook(item, verdict);
      const state = beginPolling(waiting, monotonic());
      if (afterLook(state, verdict, waiting, runtime) === 'ended') {
        return endedWith(first, waitFailure({ last: first, verdict }, callContext, request));
      }
      sayIfTooLate(first, callContext, request);
      const parts = looks.partsOf(first, request);
      const text = verdict.standing;
      list.add(Object.assign(state, { item, input, before, wanted, text, parts }));
      return undefined;
    },
    count: list.count,
    now: monotonic,
    dueAt() {
      if (list.asleep() === 0) return undefined;
      if (outage.isOn()) return isProbing ? undefined : outage.heldUntil();
      return rounds.isLast() ? 0 : list.dueAt();
    },
    async poll() {
      if (!outage.isOn()) return rounds.look(list.take(), false);
      // What has run out of time does not wait for the end of the outage.
      const late = [...list.takeAll(monotonic() - waiting.timeoutMs)].map(ends.timedOut);
      if (list.asleep() === 0) return late;
      // Any of them: the one that is due first may be what the service does not bear.
      const any = list.take(Math.floor(runtime.random() * list.asleep()));
      isProbing = true;
      const ended = await rounds.look(any, true).finally(() => (isProbing = false));
      return [...late, ...ended];
    },
    sleepUntil: (at) => runtime.sleep(Math.max(1, at + slackMs() - monotonic()), signal),
    lastLooks: rounds.setLast,
    end(why) {
      rounds.setOver(why);
      return Array.from(list.takeAll(), (each) => ends.release(each, why));
    },
  };
}

interface Parts {
  readonly list: WaitingList;
  readonly outage: Outage;
  readonly ends: ReturnType<typeof createEnds>;
  readonly looks: ReturnType<typeof createLooks>;
}

/** Looks at one item, and puts it to sleep again or ends its wait. */
function createRounds(options: WaitsOptions, { list, outage, ends, looks }: Parts) {
  const { callContext, waiting, signal } = options;
  const { runtime } = callContext;
  /** Each item is looked at once more; then why none is any longer. */
  let isLast = false;
  let over: Failure | undefined;

  const again = (
    each: WaitingItem,
    { text, parts }: Omit<Standing, 'count'>,
    stop?: Failure,
  ): ItemResult => {
    if (over !== undefined || isLast) return ends.release(each, over ?? lastLook());
    list.sleepAgain(each, text, parts);
    return { verdict: 'waiting', stop };
  };
  const failed = (each: WaitingItem, failure: Failure, isProbe: boolean) => {
    outage.failed(failure, isProbe);
    const after = afterLook(each, failure, waiting, runtime);
    if (isProbe && outage.isFinal()) {
      const { failures } = each;
      const others = Array.from(list.takeAll(), (one) => ends.lost(one, failure, failures));
      return [ends.lost(each, failure, failures), ...others];
    }
    if (after === 'ended') return [ends.timedOut(each)];
    if (after === 'lost') return [ends.lost(each, failure, each.failures)];
    return [again(each, each.standing, stopAfter(failure, options.pace))];
  };
  const look = async (each: WaitingItem, isProbe: boolean): Promise<readonly ItemResult[]> => {
    const elapsedMs = () => runtime.monotonic() - each.startedAt;
    const seen = await looks.at(each, waiting.timeoutMs - elapsedMs());
    if (seen instanceof Failure) return failed(each, seen, isProbe);
    outage.answered();
    const verdict = looks.judge(seen, each, elapsedMs());
    options.onLook(each.item, verdict);
    if (afterLook(each, verdict, waiting, runtime) === 'ended')
      return [ends.settled(each, seen, verdict)];
    return [again(each, { text: verdict.standing, parts: looks.partsOf(seen, each) })];
  };
  return {
    isLast: () => isLast,
    setLast: () => void (isLast = true),
    setOver: (why: Failure) => void (over ??= why),
    async look(each: WaitingItem, isProbe: boolean): Promise<readonly ItemResult[]> {
      try {
        return await options.guarded(each.item, () => look(each, isProbe));
      } catch (error) {
        list.end(each);
        if (signal.aborted) return [ends.release(each, asFailure(signal.reason))];
        outage.answered();
        return [ends.broken(each, itemFailure(error))];
      }
    },
  };
}

/** Looks at items with requests that take their turn. */
function createLooks({ callContext, retryPolicy, signal }: WaitsOptions) {
  const { operation, runtime, settings } = callContext;
  const { remarks, partsOf } = operation.wait!;
  const lookInTime = looksInTime(signal, runtime.monotonic, settings.timeoutMs);
  let inFlight = 0;
  const taken = () => void inFlight++;
  /** A look that is answered gives back what the failed ones before it took from the retry budget. */
  const policyAfter = (policy: RetryPolicy, failures: number): RetryPolicy =>
    Object.assign({}, policy, {
      turn() {
        const turn = policy.turn?.();
        return turn === undefined ? taken() : turn.then(taken);
      },
      ended(failure: Failure | undefined, tries: number) {
        inFlight--;
        return policy.ended?.(failure, tries + failures) ?? true;
      },
    });
  return {
    inFlight: () => inFlight,
    at({ input, failures }: WaitingItem, leftMs: number): Promise<Result | Failure> {
      const policy = policyAfter(retryPolicy(0), failures);
      return lookInTime((own) => lookAt(callContext, input, own, policy), leftMs);
    },
    judge(seen: Result, each: WaitingItem, elapsedMs: number): WaitVerdict {
      for (const remark of remarks?.(seen.data) ?? []) runtime.note(remark);
      return judgeLook(seen, callContext, each, elapsedMs);
    },
    partsOf: ({ data }: Result, { wanted }: Pick<WaitRequest, 'wanted'>) =>
      partsOf(data, { wanted }),
  };
}

/** The ways in which a wait ends. */
function createEnds({ callContext, finish }: WaitsOptions, list: WaitingList) {
  const end = (each: WaitingItem, ended: CallOutcome, verdict?: 'accepted'): ItemResult => {
    list.end(each);
    return finish(each.item, ended, verdict);
  };
  const failing = (each: WaitingItem, failure: Failure, verdict?: 'accepted') =>
    end(each, { data: undefined, failure }, verdict);
  const pending = (each: WaitingItem, lost?: Failure) => {
    const verdict = { state: 'pending', standing: each.standing.text } as const;
    const seen = { last: { data: undefined }, verdict, lost };
    return end(each, endedWith({ data: undefined }, waitFailure(seen, callContext, each)));
  };
  return {
    settled: (each: WaitingItem, last: Result, verdict: WaitVerdict) =>
      end(each, endedWith(last, waitFailure({ last, verdict }, callContext, each))),
    timedOut: (each: WaitingItem) => pending(each),
    /** Too many looks have failed. A read that was given up changes nothing. */
    lost(each: WaitingItem, last: Failure, failures: number) {
      const why = givenUp(last, failures);
      if (isChange(callContext.operation)) return pending(each, why);
      return failing(each, gaveUp(why, callContext, each));
    },
    /** The look failed for good. A refused token says nothing about the item. */
    broken(each: WaitingItem, failure: Failure) {
      if (failure.kind === 'no_answer' && isChange(callContext.operation))
        return pending(each, failure);
      return failing(each, failure, failure.facts.status === 401 ? 'accepted' : undefined);
    },
    /** It may go on at the service; nothing more is known. */
    release(each: WaitingItem, why: Failure): ItemResult {
      const { what } = why.facts;
      const cut = isSignal(why.kind)
        ? why
        : new Failure('still_pending', { what, retryable: false });
      const stopped = stoppedWaiting(cut, each.standing.text, callContext, each);
      return failing(each, stopped, 'accepted');
    },
  };
}

/** No spread: on Node 20 an object with properties after one has a hidden class of its own. */
const endedWith = (last: CallOutcome, failed: ReturnType<typeof waitFailure>): CallOutcome =>
  Object.assign({}, last, failed);

const lastLook = () => new Failure('still_pending', { what: 'the batch was stopped' });
