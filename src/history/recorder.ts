// Writes a change to the history: before it is sent, because a crash must leave a trace, and when it has ended. A
// history that cannot be written does not stop the change: a warning says so, once.

import type { Input, Operation } from '../api/operations/define-operation.ts';
import type { SentChange, Settlement } from '../api/operations/settle.ts';
import { type Field, isIdName } from '../api/operations/fields.ts';
import { Failure } from '../base/errors.ts';
import { hashOf } from '../base/hash.ts';
import { isObject } from '../base/json.ts';
import type { Runtime } from '../base/runtime.ts';
import type { CallContext, ChangeObserver } from '../client/call-context.ts';
import { originOf } from '../client/open-service.ts';
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

/** The observer of a change, and the end of its entry. */
export type ObservedChange = NonNullable<ReturnType<typeof observeChange>>;

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

type Where = Pick<CallContext, 'settings' | 'service' | 'runtime'>;

const MAX_IDS = 20;
const MAX_ID_LENGTH = 80;

/**
 * The entry of one change, or one batch of them, and the observer of the calls that fill it; `undefined` where the
 * history is off.
 */
export function observeChange(change: Change, where: Where) {
  const { targetOf, operation, asks = false, isWaitedFor = false } = change;
  const { settings, runtime } = where;
  if (isHistoryOff(runtime)) return undefined;
  let started: EntryStart | undefined;
  let startTime = 0;
  let parts: readonly string[] | undefined;
  let made: Pick<EntryEnd, 'made'> = {};
  /** What the answer to the change shows of its result. */
  let answer: Ended | undefined;
  let mayAsk = asks && !settings.yes && mayPrompt(settings, runtime);
  let size: number | undefined = 0;

  const write = (line: HistoryLine) => {
    if (size !== undefined) size = append(runtime, line);
  };
  const begin = (start: EntryStart) => {
    started = start;
    startTime = runtime.monotonic();
    write(start);
  };
  const writeEnd = (ended: Ended, exitCode: number, more: Partial<EntryEnd> = {}) => {
    const ms = Math.round(runtime.monotonic() - startTime);
    write({ id: started!.id, ...ended, exitCode, ms, ...made, ...more });
  };
  const startOf = (input: Input) => entryStart(targetOf(input), change, where);
  const ask = async (start: EntryStart): Promise<boolean> => {
    if (!mayAsk || start.input === undefined) return false;
    mayAsk = false;
    const { confirmRepeat } = await import('./repeat-guard.ts');
    return confirmRepeat(start, settings, runtime);
  };
  const watch: ChangeObserver = {
    // An entry looks up who the user is, which is too much for each item of a batch.
    confirm: async (input) => mayAsk && ask(startOf(input)),
    async beforeSend(input, clientRequestId) {
      if (started !== undefined) return;
      parts = input[operation?.parts ?? ''] as readonly string[] | undefined;
      const plain = startOf(input);
      // Each request of a batch has its own.
      const start = plain.count === undefined ? { ...plain, clientRequestId } : plain;
      await ask(start);
      begin(start);
    },
    onRetry() {
      if (started === undefined || started.count !== undefined) return;
      write({ id: started.id, sentAt: new Date(runtime.now()).toISOString() });
    },
    onSuccess(data, serverTime) {
      if (started === undefined) return;
      const now = serverTime ?? runtime.now();
      answer = resultIn(data, operation, {
        parts,
        sentAt: now - (runtime.monotonic() - startTime),
      });
      if (started.count !== undefined) return;
      made = madeBy(data, started);
      writeEnd(answer, 0);
    },
  };
  /** How the command ended. Writes nothing where no change was about to be sent. */
  const end = async (failure: Failure | undefined, count?: number): Promise<void> => {
    if (started === undefined) return;
    // A result that cannot be shown is done all the same; the exit code is the command's.
    const { exitCode } = failure ?? runtime.stdout.failure?.() ?? { exitCode: 0 };
    const facts = factsOf(failure, runtime.secrets.mask);
    if (count !== undefined) {
      const isOpen = operation?.wait !== undefined && !isWaitedFor;
      const { outcome, ...totals } = batchEnd(failure, count, {
        isAnyDone: answer !== undefined,
        isOpen,
      });
      writeEnd({ outcome }, exitCode, { ...facts, ...totals });
    } else {
      const ended =
        answer === undefined
          ? { outcome: outcomeOf(failure) }
          : afterAnswer(answer, failure, isWaitedFor);
      if (ended !== answer || exitCode !== 0) writeEnd(ended, exitCode, facts);
    }
    if ((size ?? 0) > MAX_HISTORY_BYTES) await rotateHistory(runtime);
  };
  return { watch, end };
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
  const at = sentAt - SERVICE_SKEW_MS;
  const change = { parts, sent: { earliest: at, latest: at }, ageMs: Infinity };
  const { verdict, isMoving, targets = [] } = judgeSafely(operation, data, change);
  const failed = targets.filter(({ status }) => status === 'failed').length;
  if (verdict === 'failed')
    return {
      outcome: 'failed',
      result: `${failed} of ${targets.length} target${targets.length === 1 ? '' : 's'} failed`,
    };
  return { outcome: verdict === 'done' && isMoving !== true ? 'ok' : 'accepted' };
}

function judgeSafely(
  { settle }: Operation,
  data: unknown,
  change: SentChange,
): Partial<Settlement> {
  try {
    return settle?.judge(data, change) ?? {};
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
