// Records a change in the history: before it is sent, because a crash must leave a trace, and when it has ended. A
// history that cannot be written does not stop the change: it warns once.

import { saysDuplicate } from '../base/error-forms.ts';
import { idOf, type Input, type Operation } from '../api/operations/define-operation.ts';
import { acceptanceOf, type Seen, seenIn } from '../api/operations/part-states.ts';
import { type Field, isIdName } from '../api/operations/fields.ts';
import { relativeTime } from '../base/durations.ts';
import { asFailure, Failure } from '../base/errors.ts';
import { hashOf } from '../base/hash.ts';
import { isObject } from '../base/json.ts';
import {
  type ChangeObserver,
  type Client,
  originOf,
  type SentChange,
} from '../client/open-client.ts';
import type { Result } from '../client/read-response.ts';
import { isHistoryOff } from '../config/flags.ts';
import { rotate } from '../fs/append-log.ts';
import { checkWriteAsRoot, whoAndWhere } from '../fs/permissions.ts';
import { processId } from '../fs/lock.ts';
import { mayPrompt } from '../prompts/confirm.ts';
import {
  appendHistory,
  type EntryResult,
  type EntryStart,
  type HistoryLine,
  type HistoryOutcome,
  historyPath,
  MAX_HISTORY_BYTES,
} from './entries.ts';
import { confirmRepeat, unknownBefore } from './repeat-question.ts';

/** The fields of an entry that identify what is changed, with the journal and the command line for a person. */
export type ChangeTarget = Pick<EntryStart, 'ids' | 'count' | 'input' | 'journal' | 'line'>;

interface Change {
  readonly command: string;
  targetOf(input: Input): ChangeTarget;
  /** True if the user is asked before a repeat, where prompts are allowed. */
  readonly confirmsRepeats?: boolean;
  /** The operation, if it is known. */
  readonly operation?: Operation | undefined;
  /** True if the command succeeds only when the wait for its change succeeds. */
  readonly isWaitedFor?: boolean;
}

type Where = Pick<Client, 'settings' | 'service' | 'runtime'>;

/** A longer list would fill the file with a few batches. */
const MAX_IDS = 200;
const MAX_ID_LENGTH = 80;

/** Makes the writer of one change, or of a batch; `undefined` if the history is off. */
export const historyWriterFor = (change: Change, where: Where): HistoryWriter | undefined =>
  isHistoryOff(where.runtime) ? undefined : new HistoryWriter(change, where);

/**
 * Runs the work of a command, and then writes the end of its change into the history. The work of a batch returns how
 * its records ended. Rejects as the work does.
 */
export async function runRecorded(
  history: HistoryWriter | undefined,
  work: () => Promise<Partial<BatchTotals> | void>,
): Promise<void> {
  let totals: Partial<BatchTotals> | void;
  try {
    totals = await work();
  } catch (error) {
    await history?.end(asFailure(error));
    throw error;
  }
  await history?.end(undefined, totals ?? undefined);
}

/**
 * Writes the entry of a change: its start before the request is sent, and its end when the result of the command is
 * known.
 */
export class HistoryWriter implements ChangeObserver {
  /** The ID of the entry. */
  readonly id: string;
  readonly #change: Change;
  readonly #where: Where;
  /** The first line of the entry; `undefined` until a change is about to be sent. */
  #start: EntryStart | undefined;
  #startTime = 0;
  /** The read before the change. */
  #before: SentChange['before'];
  /** True if its request was certainly refused, although the outcome of the change stays unknown. */
  #isRefused = false;
  /** The number of changes whose resource the service does not have. */
  #missing = 0;
  /** The number of changes that the service has accepted. */
  #acceptances = 0;
  /** The result of the change as its response shows it; in a batch, that of the record which responded last. */
  #answer: EntryResult | undefined;
  /** True while the user may still be asked about a repeat; they are asked once. */
  #mayConfirm: boolean;
  /** True once the history could not be written: the user has been warned, and it is not tried again. */
  #isBroken = false;

  constructor(change: Change, where: Where) {
    this.#change = change;
    this.#where = where;
    const { settings, runtime } = where;
    const random = Math.floor(runtime.random() * 36 ** 4);
    this.id = runtime.now().toString(36) + random.toString(36).padStart(4, '0');
    this.#mayConfirm =
      change.confirmsRepeats === true && !settings.yes && mayPrompt(settings, runtime);
  }

  get recordedId(): string | undefined {
    return this.#start === undefined || this.#isBroken ? undefined : this.id;
  }

  /** Asks before a repeat. Resolves with true if it asked; rejects after a no. */
  async confirm(input: Input, isForWhatIsLeft?: boolean): Promise<boolean> {
    if (!this.#mayConfirm) return false;
    this.#mayConfirm = false;
    return confirmRepeat(this.#entryOf(input), this.#where, isForWhatIsLeft);
  }

  beforeAttempt({ input, clientRequestId, before }: SentChange): void {
    const { now, monotonic } = this.#where.runtime;
    const isFirst = this.#start === undefined;
    const entry = this.#start ?? this.#entryOf(input);
    const seen = before?.seen();
    this.#before = before;
    // Only a batch has a count, and one entry for all its records. Its requests have an ID each, so it has none.
    if (isFirst) {
      this.#start = entry.count === undefined ? { ...entry, clientRequestId, seen } : entry;
      this.#startTime = monotonic();
      this.#write(this.#start);
    } else if (entry.count === undefined)
      this.#write({ id: entry.id, sentAt: new Date(now()).toISOString(), seen });
  }

  onSuccess({ input, before }: SentChange, { data, serverTime }: Result): void {
    if (this.#start === undefined) return;
    const seen = before?.seen();
    const { operation } = this.#change;
    const parts = input[operation?.partsField ?? ''] as readonly string[] | undefined;
    const answered = seenIn(data, serverTime);
    const result = resultIn(data, operation, { parts, before: seen, serverTime });
    // A change that may be repeated without a question only sets values.
    const isOfNew = this.#change.confirmsRepeats !== false;
    this.#answer = { ...result, made: isOfNew ? createdId(data, this.#start) : undefined };
    if (operation?.partsField !== undefined && ++this.#acceptances <= MAX_IDS) {
      const accepted = { of: idOf(input), parts, before: seen, answered };
      this.#write({ id: this.#start.id, accepted });
    }
    // This is written before the wait, so that a crash during the wait does not leave the outcome unknown.
    if (this.#start.count === undefined) this.#writeEnd(this.#answer, 0);
  }

  /**
   * A refusal as a duplicate after a request of another run whose outcome is unknown says nothing certain: that request
   * may have made what this one would repeat.
   */
  onFailure(_change: SentChange, failure: Failure): Failure {
    if (failure.kind === 'not_found') this.#missing++;
    if (this.#start?.count !== undefined || this.#start === undefined) return failure;
    if (failure.outcome !== 'refused' || !isDuplicate(failure)) return failure;
    const { runtime } = this.#where;
    const before = unknownBefore(this.#start, runtime);
    if (before === undefined) return failure;
    this.#isRefused = true;
    const when = relativeTime(Date.parse(before.startedAt) - runtime.now());
    const why = `you sent this ${when}, with an unknown outcome: the refusal may mean that it was made then`;
    const facts = { why: [...(failure.facts.why ?? []), why], retryable: false, hint: undefined };
    return failure.with({ ...facts, outcome: 'unknown' }, 'outcome_unknown');
  }

  /** Records how the command ended; writes nothing if no change was about to be sent. */
  async end(failure: Failure | undefined, totals?: Partial<BatchTotals>): Promise<void> {
    if (this.#start === undefined) return;
    const { runtime } = this.#where;
    // A change whose result cannot be shown is still done; only the exit code says otherwise.
    const { exitCode } = failure ?? runtime.stdout.failure?.() ?? { exitCode: 0 };
    const { count } = this.#start;
    const { operation, isWaitedFor = false } = this.#change;
    const isOpen = operation?.wait !== undefined && !isWaitedFor;
    const ended =
      count === undefined
        ? singleEnd(this.#answer, failure, isWaitedFor)
        : batchEnd(failure, totals ?? { ok: count }, {
            isAnyDone: this.#answer !== undefined,
            isOpen,
          });
    const { requestId: id, details } = failure?.facts ?? {};
    // A batch has a status only if all its records have it.
    const isMissing = ended.counts?.['failed'] === this.#missing && ended.outcome === 'refused';
    const status = isMissing ? 404 : failure?.facts.status;
    const causes = count === undefined ? undefined : causesIn(details, operation);
    const requestId = id && runtime.secrets.mask(id).slice(0, MAX_ID_LENGTH);
    if (this.#isRefused && ended.outcome === 'unknown')
      return this.#writeEnd({ ...ended, status, requestId, outcome: 'refused' }, exitCode);
    const endDate = ended.outcome === 'unknown' ? this.#before?.dateNow() : undefined;
    this.#writeEnd({ status, requestId, endDate, causes, ...ended }, exitCode);
    // If this fails, another process is rotating the file, or the next change will try again.
    await rotate(historyPath(runtime), MAX_HISTORY_BYTES).catch(() => undefined);
  }

  #entryOf(input: Input): EntryStart {
    return entryStart(this.id, this.#change.targetOf(input), this.#change, this.#where);
  }

  #writeEnd(ended: EntryResult, exitCode: number): void {
    const ms = Math.round(this.#where.runtime.monotonic() - this.#startTime);
    this.#write({ id: this.#start!.id, exitCode, ms, ...ended });
  }

  /** Writes a line. If that fails, it warns once, and nothing more is written. */
  #write(line: HistoryLine): void {
    if (this.#isBroken) return;
    const { runtime } = this.#where;
    try {
      checkWriteAsRoot(runtime.stateDir());
      appendHistory(runtime, [line]);
    } catch (error) {
      this.#isBroken = true;
      const { what } = asFailure(error).facts;
      runtime.note(`warning: the history of changes was not written: ${what}`);
    }
  }
}

/** True for a refusal that says that the same was made before. */
const isDuplicate = ({ facts: { status, code = '', message = '' } }: Failure): boolean =>
  status === 409 || saysDuplicate(`${code} ${message}`);

function entryStart(
  id: string,
  { ids, ...target }: ChangeTarget,
  { command }: Change,
  { settings, service, runtime }: Where,
): EntryStart {
  return {
    id,
    startedAt: new Date(runtime.now()).toISOString(),
    command,
    ids: ids.slice(0, MAX_IDS).map((one) => one.slice(0, MAX_ID_LENGTH)),
    ...target,
    context: settings.context ?? null,
    origin: originOf(service),
    by: runtime.agent && 'agent',
    ...whoAndWhere(runtime.env['SUDO_USER']),
    pid: processId(),
    note: settings.note && runtime.secrets.mask(settings.note),
  };
}

/** Reads the result of a change from its response. A change that can be waited for may have only been accepted. */
function resultIn(
  data: unknown,
  operation: Operation | undefined,
  {
    parts,
    before,
    serverTime,
  }: {
    readonly parts: readonly string[] | undefined;
    readonly before: Seen | undefined;
    readonly serverTime: number | undefined;
  },
): EntryResult {
  if (operation?.wait === undefined) return { outcome: 'ok' };
  const { poll, judge } = operation.wait;
  // `judge` expects the response of the polled read, so it cannot judge one of another type.
  if (poll?.result !== operation.result) return { outcome: 'accepted' };
  const shown = Object.keys(seenIn(data, undefined).parts);
  const accepted = new Map(
    shown.map((id) => [id, acceptanceOf(id, before, undefined, { date: serverTime })]),
  );
  try {
    const time = { elapsedMs: 0, now: serverTime ?? 0, serverTime };
    const { state, result } = judge(data, { wanted: parts, accepted }, time);
    // Without a read before it, what is published may have been so before.
    const isKnown = parts !== undefined || before !== undefined;
    if (state !== 'ended_badly')
      return { outcome: state === 'done' && isKnown ? 'ok' : 'accepted' };
    return { outcome: 'failed', result };
  } catch (error) {
    // `judge` throws this if the response does not show the targets.
    if (error instanceof Failure) return { outcome: 'accepted' };
    throw error;
  }
}

/**
 * Returns the end of a single change: what its response showed, if there was one. The result of a wait takes precedence.
 */
function singleEnd(
  answer: EntryResult | undefined,
  failure: Failure | undefined,
  isWaitedFor: boolean,
): EntryResult {
  if (answer === undefined)
    return { outcome: failure === undefined ? 'ok' : outcomesOf[failure.outcome] };
  if (failure === undefined)
    return isWaitedFor ? { ...answer, outcome: 'ok', result: undefined } : answer;
  if (failure.kind !== 'ended_badly') return answer;
  return { ...answer, outcome: 'failed', result: failure.facts.result };
}

/** The outcome of a change without a readable response, by that of its failure: the service took an accepted one. */
const outcomesOf = {
  none: 'unsent',
  refused: 'refused',
  unknown: 'unknown',
  accepted: 'ok',
} as const;

/** The numbers of a batch's records by their end. */
type BatchTotals = Readonly<
  Record<'ok' | 'failed' | 'unknown' | 'accepted' | 'notStarted' | 'skipped' | 'before', number>
>;

/**
 * Returns the end of a batch: its totals and its outcome. `isAnyDone` is set if the service has accepted a change;
 * `isOpen` if the accepted changes were not waited for.
 */
function batchEnd(
  failure: Failure | undefined,
  ended: Partial<BatchTotals>,
  { isAnyDone, isOpen }: { readonly isAnyDone: boolean; readonly isOpen: boolean },
): EntryResult {
  // A failure without totals stopped the batch at an unknown point.
  const count = ended.ok ?? 0;
  const totals = failure === undefined ? ended : (failure.facts.details ?? { unknown: count });
  const {
    ok = 0,
    failed = 0,
    unknown = 0,
    accepted: open = 0,
    notStarted = 0,
    skipped = 0,
    before = 0,
  } = totals as Partial<BatchTotals>;
  const [done, accepted] = isOpen ? [0, open + ok] : [ok, open];
  const counts = { ok: done, failed, unknown, accepted, notStarted, skipped, before };
  return { outcome: batchOutcome(counts, isAnyDone), counts };
}

const MAX_TEXTS = 5;

/** Returns why records failed. An error about a change that has a text may repeat it, and is not stored. */
function causesIn(details: unknown, operation: Operation | undefined): EntryResult['causes'] {
  const { causes } = (details ?? {}) as { readonly causes?: EntryResult['causes'] };
  const isOfParts = operation?.partsField !== undefined;
  return causes?.map(({ cause, count, texts }) => ({
    cause,
    count,
    texts: isOfParts ? texts?.slice(0, MAX_TEXTS) : undefined,
  }));
}

function batchOutcome(
  { ok, failed, unknown, accepted }: BatchTotals,
  isAnyDone: boolean,
): HistoryOutcome {
  if (unknown > 0) return 'unknown';
  if (failed > 0 && ok + accepted > 0) return 'partial';
  // `failed`: the service accepted changes, and their targets failed. `refused`: it accepted none.
  if (failed > 0) return isAnyDone ? 'failed' : 'refused';
  if (accepted > 0) return 'accepted';
  return isAnyDone || ok > 0 ? 'ok' : 'unsent';
}

/** The URI of a reply is longer than an ID. */
const MAX_MADE_LENGTH = 200;

/** Returns the ID of a resource that the change created, if it is new: an endpoint, a message or a reply. */
function createdId(data: unknown, { ids }: EntryStart): string | undefined {
  const { id, message, commentUri } = isObject(data) ? data : {};
  const made = id ?? (isObject(message) ? message['id'] : undefined) ?? commentUri;
  const isNew = typeof made === 'string' && made.length <= MAX_MADE_LENGTH && !ids.includes(made);
  return isNew ? made : undefined;
}

/** Returns the IDs of an input, in declared order, and its hash; credentials are in neither. */
export function changeTarget(fields: readonly Field[], input: Input): ChangeTarget {
  const ids = fields
    .filter((field) => !field.hidden && isIdName(field.name))
    .flatMap(({ name }) => input[name] ?? [])
    .map(String);
  const secrets = fields.filter(({ hidden }) => hidden).map(({ name }) => name);
  // A secret is compared only by whether it is cleared (`null`).
  const comparable = Object.entries(input)
    .map(([name, value]) => [name, secrets.includes(name) ? value === null : value])
    .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  return { ids, input: hashOf(JSON.stringify(comparable)) };
}
