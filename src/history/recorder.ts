// Writes a change to the history: before it is sent, because a crash must leave a trace, and when it has ended. A
// history that cannot be written does not stop the change: a warning says so, once.

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

/** What a change is about. */
export interface ChangeTarget {
  readonly ids: readonly string[];
  readonly count?: number;
  /** The whole input as text, without its secrets; absent where no repeat has to be recognised. */
  readonly input?: string;
  /** What else is stored of a command. */
  readonly more?: RecordedCommand;
}

/** What a person asks later: where the rest is, and what was typed. */
type RecordedCommand = Pick<EntryStart, 'journal' | 'failuresTo' | 'line'>;

interface Change {
  readonly command: string;
  /** Set where an agent makes it. */
  readonly by?: 'agent';
  targetOf(input: Input): ChangeTarget;
  /** Whether the user is asked before a repeat, where prompts are allowed. */
  readonly asks?: boolean;
  /** What is called; nothing where that is not known. */
  readonly operation?: Operation | undefined;
  /** Whether the command ends well only when what it began has ended well. */
  readonly isWaitedFor?: boolean;
}

type Where = Pick<Client, 'settings' | 'service' | 'runtime'>;

const MAX_IDS = 20;
const MAX_ID_LENGTH = 80;

/** The entry of one change, or one batch of them; `undefined` where the history is off. */
export const recordChange = (change: Change, where: Where): RecordedChange | undefined =>
  isHistoryOff(where.runtime) ? undefined : new RecordedChange(change, where);

/**
 * Runs the work of a command and records how it ended, where it is a change; `count` of a batch, whose work returns how
 * many were done. Rejects as the work does.
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

/** The entry of a change: begun before its request leaves, and ended when the command knows how it ended. */
export class RecordedChange implements ChangeObserver {
  readonly #change: Change;
  readonly #where: Where;
  /** The first line of the entry; `undefined` until a change is about to be sent. */
  #start: EntryStart | undefined;
  #startTime = 0;
  /** The parts that the request named. */
  #parts: readonly string[] | undefined;
  /** What the answer to the change shows of its result. */
  #answer: Ended | undefined;
  /** The id of what the change created. */
  #made: Pick<EntryEnd, 'made'> = {};
  /** Whether the user may still be asked about a repeat; they are asked once. */
  #mayAsk: boolean;
  /** The size of the history. */
  #size = 0;
  /** The history could not be written: the user has been warned, and it is not tried again. */
  #isBroken = false;

  constructor(change: Change, where: Where) {
    this.#change = change;
    this.#where = where;
    const { settings, runtime } = where;
    this.#mayAsk = change.asks === true && !settings.yes && mayPrompt(settings, runtime);
  }

  async confirm(input: Input): Promise<boolean> {
    // An entry looks up who the user is, which is too much for each item of a batch.
    return this.#mayAsk && this.#confirmRepeat(this.#entryOf(input));
  }

  async beforeSend(input: Input, clientRequestId: string): Promise<void> {
    if (this.#start !== undefined) return;
    this.#parts = input[this.#change.operation?.parts ?? ''] as readonly string[] | undefined;
    const entry = this.#entryOf(input);
    // Each request of a batch has its own.
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

  /** Records how the command ended; writes nothing where no change was about to be sent. */
  async end(failure: Failure | undefined, count?: number): Promise<void> {
    if (this.#start === undefined) return;
    const { runtime } = this.#where;
    // A result that cannot be shown is done all the same; the exit code is the command's.
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
    // What was answered has been written, and may have been all.
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

  /** Resolves to whether the user was asked. Rejects with `declined` where the answer is no. */
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

/** How a change without an answer ended. */
function outcomeOf(failure: Failure | undefined): HistoryOutcome {
  const { outcome = 'accepted' } = failure ?? {};
  if (outcome === 'accepted') return 'ok';
  return outcome === 'none' ? 'unsent' : outcome;
}

/** The clocks of the service's own machines may differ by so much. */
const SERVICE_SKEW_MS = 2000;

/** What the answer to a change shows of its result: a change that can be waited for has only begun. */
function resultIn(
  data: unknown,
  operation: Operation | undefined,
  { parts, sentAt }: { readonly parts: readonly string[] | undefined; readonly sentAt: number },
): Ended {
  if (operation?.wait === undefined) return { outcome: 'ok' };
  const { settle } = operation;
  // An answer of another kind than what the read shows cannot be judged as that.
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
    // The answer does not show its targets.
    if (error instanceof Failure) return {};
    throw error;
  }
}

/** How a change ended that was answered: what a wait saw counts, where there was one. */
function afterAnswer(answer: Ended, failure: Failure | undefined, isWaitedFor: boolean): Ended {
  if (failure === undefined) return isWaitedFor ? { outcome: 'ok' } : answer;
  if (failure.kind !== 'ended_badly') return answer;
  // `1 of 2 targets failed: mastodon`: words of the service may follow the colon.
  const [result] = failure.facts.what.split(':', 1);
  return { outcome: 'failed', result };
}

/** What the end of an entry says more of a refusal. */
function factsOf(failure: Failure | undefined, mask: (text: string) => string): Partial<EntryEnd> {
  const { status, requestId } = failure?.facts ?? {};
  return { status, requestId: requestId && mask(requestId).slice(0, MAX_ID_LENGTH) };
}

/**
 * The same of a batch: its totals, and what they come to. `isAnyDone` where the service has accepted a change; `isOpen`
 * where nobody waited for the end of what was accepted.
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

/** The id of what the change created, where it was not known before: of an endpoint, a message or a reply. */
function madeBy(data: unknown, { ids }: EntryStart): Pick<EntryEnd, 'made'> {
  const { id, message, commentUri } = isObject(data) ? data : {};
  const made = id ?? (isObject(message) ? message['id'] : undefined) ?? commentUri;
  const isNew = typeof made === 'string' && made.length <= MAX_MADE_LENGTH && !ids.includes(made);
  return isNew ? { made } : {};
}

/** The URI of a reply is longer than an ID. */
const MAX_MADE_LENGTH = 200;

/** Writes a line and returns the size of the file. Where that fails it warns and returns `undefined`. */
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
    // Another process is rotating it, or the next change will try again.
  }
}

/** The ids of an input, in declared order, and its text; credentials are in neither. */
export function changeTarget(fields: readonly Field[], input: Input): ChangeTarget {
  const ids = fields
    .filter((field) => !field.hidden && isIdName(field.name))
    .flatMap(({ name }) => input[name] ?? [])
    .map(String);
  const secrets = fields.filter(({ hidden }) => hidden).map(({ name }) => name);
  return { ids, input: comparableInput(input, secrets) };
}

/** The input of an operation as one text, in a fixed order and without its secrets. */
function comparableInput(input: Input, secrets: readonly string[]): string {
  const shown = Object.entries(input).map(([name, value]) => [
    name,
    secrets.includes(name) ? value === null : value,
  ]);
  return JSON.stringify(shown.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)));
}
