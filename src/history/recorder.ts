// Records a change in the history: before it is sent, because a crash must leave a trace, and when it has ended. A
// history that cannot be written does not stop the change: it warns once.

import type { Input, Operation, Settle } from '../api/operations/define-operation.ts';
import type { SentChange, Settlement } from '../api/operations/settle.ts';
import { type Field, isIdName, partWord } from '../api/operations/fields.ts';
import { Failure } from '../base/errors.ts';
import { hashOf } from '../base/hash.ts';
import { isObject } from '../base/json.ts';
import type { Runtime } from '../base/runtime.ts';
import type { ChangeObserver } from '../client/call-context.ts';
import { type Client, originOf } from '../client/open-client.ts';
import { isHistoryOff } from '../config/flags.ts';
import { appendLines, rotate } from '../fs/append-log.ts';
import { checkWritableBy } from '../fs/permissions.ts';
import { processId, whoAndWhere } from '../fs/lock-owner.ts';
import { asFailure } from '../output/error-report.ts';
import { mayPrompt } from '../prompts/policy.ts';
import {
  type EntryEnd,
  type EntryStart,
  type HistoryLine,
  type HistoryOutcome,
  historyPath,
  MAX_HISTORY_BYTES,
} from './entries.ts';

/** The subject of a change, for the history. */
export interface ChangeTarget {
  readonly ids: readonly string[];
  readonly count?: number;
  /** The whole input as text, without its secrets; absent if no repeat needs to be recognised. */
  readonly input?: string;
  /** Further fields of the command's entry. */
  readonly more?: RecordedCommand;
}

/** Facts of a command that a person looks up later: its files, and the typed line. */
type RecordedCommand = Pick<EntryStart, 'journal' | 'failuresTo' | 'line'>;

interface Change {
  readonly command: string;
  /** Set if an agent makes the change. */
  readonly by?: 'agent';
  targetOf(input: Input): ChangeTarget;
  /** True if the user is asked before a repeat, where prompts are allowed. */
  readonly asks?: boolean;
  /** The operation, if it is known. */
  readonly operation?: Operation | undefined;
  /** True if the command succeeds only when the wait for its change succeeds. */
  readonly isWaitedFor?: boolean;
}

type Where = Pick<Client, 'settings' | 'service' | 'runtime'>;

const MAX_IDS = 20;
const MAX_ID_LENGTH = 80;

/** Makes the entry of one change, or of a batch; `undefined` if the history is off. */
export const recordChange = (change: Change, where: Where): RecordedChange | undefined =>
  isHistoryOff(where.runtime) ? undefined : new RecordedChange(change, where);

/**
 * Runs the work of a command and records its end if it is a change. `count` is the number of records of a batch, whose
 * work returns how many were done. Rejects as the work does.
 */
export async function recordDuring(
  change: RecordedChange | undefined,
  work: () => Promise<number | void>,
  count?: number,
): Promise<void> {
  let done: number | void;
  try {
    done = await work();
  } catch (error) {
    await change?.end(asFailure(error), count);
    throw error;
  }
  await change?.end(undefined, done ?? count);
}

/** The entry of a change: written before its request is sent, and completed when the result of the command is known. */
export class RecordedChange implements ChangeObserver {
  readonly #change: Change;
  readonly #where: Where;
  /** The first line of the entry; `undefined` until a change is about to be sent. */
  #start: EntryStart | undefined;
  #startTime = 0;
  /** The parts (targets) that the request named. */
  #parts: readonly string[] | undefined;
  /** The result of the change as its response shows it. */
  #answer: Ended | undefined;
  /** The ID of the resource that the change created. */
  #made: Pick<EntryEnd, 'made'> = {};
  /** True while the user may still be asked about a repeat; they are asked once. */
  #mayAsk: boolean;
  /** The size of the history file. */
  #size = 0;
  /** True once the history could not be written: the user has been warned, and it is not tried again. */
  #isBroken = false;

  constructor(change: Change, where: Where) {
    this.#change = change;
    this.#where = where;
    const { settings, runtime } = where;
    this.#mayAsk = change.asks === true && !settings.yes && mayPrompt(settings, runtime);
  }

  async confirm(input: Input): Promise<boolean> {
    // An entry looks up the user, which is too slow for each item of a batch.
    return this.#mayAsk && this.#confirmRepeat(this.#entryOf(input));
  }

  async beforeSend(input: Input, clientRequestId: string): Promise<void> {
    if (this.#start !== undefined) return;
    this.#parts = input[this.#change.operation?.parts ?? ''] as readonly string[] | undefined;
    const entry = this.#entryOf(input);
    // The requests of a batch have an ID each, so its entry has none.
    const start = entry.count === undefined ? { ...entry, clientRequestId } : entry;
    await this.#confirmRepeat(start);
    this.#start = start;
    this.#startTime = this.#where.runtime.monotonic();
    this.#write(start);
  }

  onRetry(): void {
    if (this.#start === undefined || this.#start.count !== undefined) return;
    this.#write({ id: this.#start.id, sentAt: new Date(this.#where.runtime.now()).toISOString() });
  }

  onSuccess(data: unknown, serverTime: number | undefined): void {
    if (this.#start === undefined) return;
    const { now, monotonic } = this.#where.runtime;
    const sentAt = (serverTime ?? now()) - (monotonic() - this.#startTime);
    this.#answer = resultIn(data, this.#change.operation, { parts: this.#parts, sentAt });
    if (this.#start.count !== undefined) return;
    this.#made = madeBy(data, this.#start);
    this.#writeEnd(this.#answer, 0);
  }

  /** Records how the command ended; writes nothing if no change was about to be sent. */
  async end(failure: Failure | undefined, count?: number): Promise<void> {
    if (this.#start === undefined) return;
    const { runtime } = this.#where;
    // A change whose result cannot be shown is still done; only the exit code says otherwise.
    const { exitCode } = failure ?? runtime.stdout.failure?.() ?? { exitCode: 0 };
    const facts = factsOf(failure, runtime.secrets.mask);
    if (count === undefined) this.#endOne(failure, exitCode, facts);
    else this.#endBatch(failure, exitCode, facts, count);
    if (this.#size > MAX_HISTORY_BYTES) await rotateHistory(runtime);
  }

  #endOne(failure: Failure | undefined, exitCode: number, facts: Partial<EntryEnd>): void {
    const answer = this.#answer;
    const ended =
      answer === undefined
        ? { outcome: outcomeOf(failure) }
        : afterAnswer(answer, failure, this.#change.isWaitedFor === true);
    // The end written after the response is enough if nothing has changed since.
    if (ended !== answer || exitCode !== 0) this.#writeEnd(ended, exitCode, facts);
  }

  #endBatch(
    failure: Failure | undefined,
    exitCode: number,
    facts: Partial<EntryEnd>,
    count: number,
  ): void {
    const { operation, isWaitedFor } = this.#change;
    const isOpen = operation?.wait !== undefined && isWaitedFor !== true;
    const isAnyDone = this.#answer !== undefined;
    const { outcome, ...totals } = batchEnd(failure, count, { isAnyDone, isOpen });
    this.#writeEnd({ outcome }, exitCode, { ...facts, ...totals });
  }

  #entryOf(input: Input): EntryStart {
    return entryStart(this.#change.targetOf(input), this.#change, this.#where);
  }

  /** Resolves with true if the user was asked. Rejects with `declined` after a no. */
  async #confirmRepeat(start: EntryStart): Promise<boolean> {
    if (!this.#mayAsk || start.input === undefined) return false;
    this.#mayAsk = false;
    const { confirmRepeat } = await import('./repeat-guard.ts');
    return confirmRepeat(start, this.#where.settings, this.#where.runtime);
  }

  #writeEnd(ended: Ended, exitCode: number, more: Partial<EntryEnd> = {}): void {
    const ms = Math.round(this.#where.runtime.monotonic() - this.#startTime);
    this.#write({ id: this.#start!.id, ...ended, exitCode, ms, ...this.#made, ...more });
  }

  #write(line: HistoryLine): void {
    if (this.#isBroken) return;
    const size = append(this.#where.runtime, line);
    if (size === undefined) this.#isBroken = true;
    else this.#size = size;
  }
}

function entryStart(
  { ids, count, input, more }: ChangeTarget,
  { command, by }: Change,
  { settings, service, runtime }: Where,
): EntryStart {
  const random = Math.floor(runtime.random() * 36 ** 4);
  return {
    id: runtime.now().toString(36) + random.toString(36).padStart(4, '0'),
    startedAt: new Date(runtime.now()).toISOString(),
    command,
    ids: ids.slice(0, MAX_IDS).map((id) => id.slice(0, MAX_ID_LENGTH)),
    count,
    input: input === undefined ? undefined : hashOf(input),
    context: settings.context ?? null,
    origin: originOf(service),
    by,
    ...more,
    ...whoAndWhere(runtime.env['SUDO_USER']),
    pid: processId(),
    note: settings.note && runtime.secrets.mask(settings.note),
  };
}

type Ended = Pick<EntryEnd, 'outcome' | 'result'>;

/** Returns the outcome of a change without a response. */
function outcomeOf(failure: Failure | undefined): HistoryOutcome {
  const { outcome = 'accepted' } = failure ?? {};
  if (outcome === 'accepted') return 'ok';
  return outcome === 'none' ? 'unsent' : outcome;
}

/** The clocks of the service's machines may differ by this. */
const SERVICE_SKEW_MS = 2000;

/** Reads the result of a change from its response. A change that can be waited for has only started. */
function resultIn(
  data: unknown,
  operation: Operation | undefined,
  { parts, sentAt }: { readonly parts: readonly string[] | undefined; readonly sentAt: number },
): Ended {
  if (operation?.wait === undefined) return { outcome: 'ok' };
  const { settle } = operation;
  // A response of another type than the read cannot be judged like the read.
  if (settle?.read.result !== operation.result) return { outcome: 'accepted' };
  const at = sentAt - SERVICE_SKEW_MS;
  const change = { parts, sent: { earliest: at, latest: at }, ageMs: Infinity };
  const { verdict, isMoving, parts: ended = [] } = judgeSafely(settle, data, change);
  const failed = ended.filter(({ outcome }) => outcome === 'failed').length;
  if (verdict === 'failed')
    return {
      outcome: 'failed',
      result: `${failed} of ${ended.length} ${partWord(operation)}${ended.length === 1 ? '' : 's'} failed`,
    };
  return { outcome: verdict === 'done' && isMoving !== true ? 'ok' : 'accepted' };
}

function judgeSafely(settle: Settle, data: unknown, change: SentChange): Partial<Settlement> {
  try {
    return settle.judge(data, change);
  } catch (error) {
    // The response does not show its targets.
    if (error instanceof Failure) return {};
    throw error;
  }
}

/** Returns the end of a change that had a response. The result of a wait takes precedence, if there was one. */
function afterAnswer(answer: Ended, failure: Failure | undefined, isWaitedFor: boolean): Ended {
  if (failure === undefined) return isWaitedFor ? { outcome: 'ok' } : answer;
  if (failure.kind !== 'ended_badly') return answer;
  // `1 of 2 targets failed: mastodon`: text of the service may follow the colon.
  const [result] = failure.facts.what.split(':', 1);
  return { outcome: 'failed', result };
}

/** Returns further facts of a failure for the end of an entry. */
function factsOf(failure: Failure | undefined, mask: (text: string) => string): Partial<EntryEnd> {
  const { status, requestId } = failure?.facts ?? {};
  return { status, requestId: requestId && mask(requestId).slice(0, MAX_ID_LENGTH) };
}

/**
 * Returns the end of a batch: its totals and its outcome. `isAnyDone` is set if the service has accepted a change;
 * `isOpen` if the accepted changes were not waited for.
 */
function batchEnd(
  failure: Failure | undefined,
  count: number,
  { isAnyDone, isOpen }: { readonly isAnyDone: boolean; readonly isOpen: boolean },
): Pick<EntryEnd, 'outcome' | 'counts' | 'causes'> {
  const none = { ok: count, failed: 0, unknown: 0, pending: 0, notStarted: 0 };
  const { ok, failed, unknown, notStarted, ...all } = {
    ...none,
    ...(failure?.facts.details as object),
  };
  const pending = isOpen ? all.pending + ok : all.pending;
  const counts = { ok: isOpen ? 0 : ok, failed, unknown, pending, notStarted };
  return { outcome: batchOutcome(counts, isAnyDone), counts, ...causesOf(failure) };
}

function batchOutcome(
  { ok, failed, unknown, pending }: Readonly<Record<string, number>>,
  isAnyDone: boolean,
): HistoryOutcome {
  if (unknown! > 0) return 'unknown';
  if (failed! > 0) return ok! + pending! > 0 ? 'partial' : isAnyDone ? 'failed' : 'refused';
  if (pending! > 0) return 'accepted';
  return isAnyDone || ok! > 0 ? 'ok' : 'unsent';
}

function causesOf(failure: Failure | undefined): Pick<EntryEnd, 'causes'> {
  const { causes = [] } = (failure?.facts.details ?? {}) as {
    causes?: readonly { readonly cause: string; readonly count: number }[];
  };
  if (causes.length === 0) return {};
  return { causes: Object.fromEntries(causes.map(({ cause, count }) => [cause, count])) };
}

/** Returns the ID of a resource that the change created, if it is new: an endpoint, a message or a reply. */
function madeBy(data: unknown, { ids }: EntryStart): Pick<EntryEnd, 'made'> {
  const { id, message, commentUri } = isObject(data) ? data : {};
  const made = id ?? (isObject(message) ? message['id'] : undefined) ?? commentUri;
  const isNew = typeof made === 'string' && made.length <= MAX_MADE_LENGTH && !ids.includes(made);
  return isNew ? { made } : {};
}

/** The URI of a reply is longer than an ID. */
const MAX_MADE_LENGTH = 200;

/** Writes a line and returns the size of the file. On failure it warns and returns `undefined`. */
function append(runtime: Runtime, line: HistoryLine): number | undefined {
  try {
    checkWritableBy(runtime.stateDir());
    return appendLines(historyPath(runtime), `${JSON.stringify(line)}\n`);
  } catch (error) {
    runtime.note(`warning: the history of changes was not written: ${asFailure(error).facts.what}`);
    return undefined;
  }
}

async function rotateHistory(runtime: Runtime): Promise<void> {
  try {
    await rotate(historyPath(runtime), MAX_HISTORY_BYTES);
  } catch {
    // Another process is rotating the file, or the next change will try again.
  }
}

/** Returns the IDs of an input, in declared order, and its text; credentials are in neither. */
export function changeTarget(fields: readonly Field[], input: Input): ChangeTarget {
  const ids = fields
    .filter((field) => !field.hidden && isIdName(field.name))
    .flatMap(({ name }) => input[name] ?? [])
    .map(String);
  const secrets = fields.filter(({ hidden }) => hidden).map(({ name }) => name);
  return { ids, input: comparableInput(input, secrets) };
}

/** Formats the input of an operation as one text, in a fixed order and without its secrets. */
function comparableInput(input: Input, secrets: readonly string[]): string {
  const comparable = Object.entries(input).map(([name, value]) => [
    name,
    secrets.includes(name) ? value === null : value,
  ]);
  return JSON.stringify(comparable.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)));
}
