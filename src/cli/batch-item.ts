// One item of a batch from its intent to its result: the same call as a single one, held back with all the others,
// kept in the journal, and told apart by what may have happened.

import type { Ending, Verdict } from '../call/batch.ts';
import type { Journal } from '../call/journal.ts';
import type { Outcome } from '../call/journal-line.ts';
import type { Pace } from '../call/pace.ts';
import type { Patience } from '../call/retry.ts';
import { Failure, isSignal } from '../errors.ts';
import { isChange, type Operation } from '../operations/operation.ts';
import type { Item } from './batch-records.ts';
import type { Calling } from './calling.ts';
import { explained } from './explain.ts';
import { extraOf } from './extras/table.ts';
import { asFailure } from './report.ts';
import { settled } from './settled.ts';
import type { Waiting } from './waiting-flags.ts';
import type { Ended } from './waiting.ts';

export interface ItemRun {
  readonly calling: Calling;
  readonly waiting: Waiting | undefined;
  readonly pace: Pace;
  readonly journal: Journal | undefined;
  readonly retryUnknown: boolean;
  /** What every call of the batch is tried by, less the turns; `attemptMs` for one attempt and the wait after it. */
  readonly patience: Pick<Patience, 'monotonic' | 'random' | 'sleep'> & {
    readonly mostAskedMs: number;
    readonly attemptMs: number;
  };
  /** Told once for each item that was started. */
  onEnd(item: Item, ended: Partial<Ended>, verdict: Verdict): void;
}

/** What is known of a change while it is under way. */
interface Progress {
  intended: boolean;
  /** The service has answered it. */
  accepted: boolean;
}

/** Makes the function that runs one item. It rejects with a `Failure` only where the batch cannot go on. */
export function itemWorker(run: ItemRun): (item: Item) => Promise<Ending> {
  const { calling, pace, journal } = run;
  const change = isChange(calling.operation);
  const idOf = journalId(calling.operation);
  return async (item) => {
    const progress: Progress = { intended: false, accepted: item.past === 'accepted' };
    const ended = await attempt(run, item, progress);
    const verdict = verdictOf(ended.failure, change, progress);
    const as = outcomeOf(ended.failure, verdict, progress);
    // A read that was not even started leaves nothing to remember.
    if (
      progress.intended ||
      (verdict !== 'unstarted' && item.past !== 'unknown') ||
      verdict === 'ok'
    )
      journal?.end(item.key, idOf(item), as, ended.failure?.exitCode ?? 0);
    if (verdict !== 'unstarted') run.onEnd(item, ended, verdict);
    const stop = stopAfter(ended.failure, pace);
    return stop === undefined ? { verdict } : { verdict, stop };
  };
}

/** The call and what follows from its result; only a broken journal and faults of our own get out. */
async function attempt(run: ItemRun, item: Item, progress: Progress): Promise<Ended> {
  const { waiting, retryUnknown } = run;
  const calling = pacedFor(run, item, progress);
  if (item.past === 'unknown' && !retryUnknown)
    return {
      data: undefined,
      failure: explained(leftUnknown(), calling.operation, item.input, calling),
    };
  let data: unknown;
  try {
    const ended = await callOrResume(calling, waiting, item);
    data = ended.data;
    if (ended.failure !== undefined) return ended;
    extraOf(calling.operation.command).judge?.(data, calling.flags);
    return { data };
  } catch (error) {
    const failure = asFailure(error);
    if (failure.kind === 'internal' || failure.kind === 'local_io') throw failure;
    return { data, failure };
  }
}

/** A change that an earlier run sent and did not see settle is only waited for. */
async function callOrResume(
  calling: Calling,
  waiting: Waiting | undefined,
  { input, past }: Item,
): Promise<Ended> {
  if (past !== 'accepted' || waiting === undefined) return settled(calling, waiting, input);
  const { awaitSettled } = await import('./waiting.ts');
  const wanted = input['targetIds'] as readonly string[] | undefined;
  return awaitSettled(calling, { input, waiting, ...(wanted === undefined ? {} : { wanted }) });
}

/** The calling of one item: each attempt takes a turn, and a change leaves only after its intent is on the disk. */
function pacedFor(
  { calling, pace, journal, patience }: ItemRun,
  item: Item,
  progress: Progress,
): Calling {
  const idOf = journalId(calling.operation);
  const intend = async () => {
    try {
      await journal!.intend(item.key, idOf(item));
      progress.intended = true;
    } catch (error) {
      pace.ended(undefined, 1);
      throw error;
    }
  };
  const own = (operation: Operation, retries: number): Patience => ({
    retries,
    totalMs: patience.attemptMs * (retries + 1),
    mostAskedMs: patience.mostAskedMs,
    monotonic: patience.monotonic,
    random: patience.random,
    sleep: patience.sleep,
    turn() {
      const turn = pace.turn();
      if (journal === undefined || progress.intended || !isChange(operation)) return turn;
      return turn === undefined ? intend() : turn.then(intend);
    },
    ended(failure, tries) {
      if (failure === undefined && isChange(operation)) progress.accepted = true;
      return pace.ended(failure, tries);
    },
  });
  return { ...calling, patience: own };
}

/** What a person may read of a record in the journal; nothing where the id itself lets somebody in. */
const journalId =
  ({ wait }: Operation) =>
  ({ input }: Item): string | undefined => {
    const id = Object.values(input)[0];
    return wait?.kind === 'pairing' || typeof id !== 'string' || id.length > 64 ? undefined : id;
  };

function verdictOf(failure: Failure | undefined, change: boolean, progress: Progress): Verdict {
  if (failure === undefined) return 'ok';
  if (failure.kind === 'outcome_unknown') return 'unknown';
  if (!isSignal(failure.kind)) return 'failed';
  const mayHaveHappened = change && (failure.outcome === 'unknown' || progress.accepted);
  return mayHaveHappened ? 'unknown' : 'unstarted';
}

function outcomeOf(
  failure: Failure | undefined,
  verdict: Verdict,
  { accepted }: Progress,
): Outcome {
  if (verdict === 'ok') return 'done';
  if (verdict === 'unstarted') return 'unsent';
  // What has settled badly may be tried again; what has not settled may not.
  if (accepted && failure?.kind !== 'ended_badly') return 'accepted';
  return verdict === 'unknown' ? 'unknown' : 'failed';
}

/** A token that is refused will be refused again; a service that is down is left alone. */
function stopAfter(failure: Failure | undefined, pace: Pace): Failure | undefined {
  if (failure?.facts.status === 401) {
    const what = 'stopped: the token was not accepted';
    return new Failure('unauthorized', { ...failure.facts, what });
  }
  const down = pace.down();
  if (down === undefined) return undefined;
  const limited = down.kind === 'rate_limited';
  return new Failure(limited ? 'rate_limited' : 'batch_failed', {
    what: limited ? 'stopped: the service asks to wait' : 'stopped: service unavailable',
    why: [`last: ${down.facts.what}`],
    sent: true,
    retryable: false,
  });
}

const leftUnknown = () =>
  new Failure('outcome_unknown', {
    what: 'it was under way when an earlier run ended; it was not sent again',
    hint: 'give --retry-unknown to send it again',
    sent: true,
    retryable: false,
  });
