// Writes a change down: before it leaves, for a crash must leave a trace, and when it is known how it ended. A record
// that cannot be written is no reason to keep a change back: that is said, once.

import type { Failure } from '../base/errors.ts';
import type { Runtime } from '../base/runtime.ts';
import { isHistoryOff } from '../config/flags.ts';
import type { Settings } from '../config/settings.ts';
import { appendLines, rotate } from '../fs/append-log.ts';
import { asFailure } from '../output/error-report.ts';
import {
  type EntryStart,
  type EntryEnd,
  historyPath,
  MAX_HISTORY_BYTES,
  type HistoryOutcome,
} from './entries.ts';
import { hashOf } from '../base/hash.ts';
import type { Input } from '../api/operations/define-operation.ts';
import { checkWritableBy } from '../fs/safe-read.ts';

/** What a change is, once it is known what leaves. */
export interface ChangeTarget {
  readonly ids: readonly string[];
  readonly count?: number;
  /** All of the input as text, secrets left out; nothing where it cannot be the same change again. */
  readonly input?: string;
  readonly journal?: string | undefined;
}

export interface ChangeRecord {
  /** Asks now what `leaves` would ask, and tells whether somebody was asked. Rejects where the change is not wanted. */
  asks(deed: ChangeTarget): Promise<boolean> | undefined;
  /** Called right before the change leaves; writes once. `asked` may still refuse it. */
  leaves(deed: ChangeTarget): Promise<void> | undefined;
  /** The service has done it, whatever follows. */
  answered(data: unknown): void;
  /** How the command ended; nothing is written where nothing was about to leave. */
  end(failure: Failure | undefined, count?: number): Promise<void>;
}

export interface HistoryContext {
  readonly command: string;
  readonly origin: string;
  readonly settings: Settings;
  readonly runtime: Runtime;
  /** Who made the change, where that was not the one at the command line. */
  readonly by?: 'agent';
  /** Asked before the record begins; tells whether there was a question, rejects where the answer was no. */
  readonly ask?: (begun: EntryStart) => Promise<boolean>;
}

const MOST_IDS = 20;
const LONGEST_ID = 80;

/** A record of one change, or of one batch; nothing where the user wants none. */
export function recordChange(recording: HistoryContext): ChangeRecord | undefined {
  const { runtime } = recording;
  if (isHistoryOff(runtime)) return undefined;
  let begun: EntryStart | undefined;
  let start = 0;
  let made: Pick<EntryEnd, 'made'> = {};
  let isDone = false;
  let isAsked = false;
  let size: number | undefined = 0;

  const write = (line: EntryStart | EntryEnd) => {
    if (size !== undefined) size = append(recording, line);
  };
  const begin = (said: EntryStart) => {
    begun = said;
    start = runtime.monotonic();
    write(said);
  };
  const endLine = (
    outcome: HistoryOutcome,
    exitCode: number,
    more: Partial<EntryEnd> = {},
  ): EntryEnd => {
    const ms = Math.round(runtime.monotonic() - start);
    return { id: begun!.id, outcome, exitCode, ms, ...made, ...more };
  };
  const asks = (said: EntryStart): Promise<boolean> | undefined => {
    if (isAsked || recording.ask === undefined || said.input === undefined) return undefined;
    isAsked = true;
    return recording.ask(said);
  };
  return {
    asks: (deed) => asks(beginning(deed, recording)),
    leaves(deed) {
      if (begun !== undefined) return undefined;
      const said = beginning(deed, recording);
      const asked = asks(said);
      if (asked !== undefined) return asked.then(() => begin(said));
      begin(said);
      return undefined;
    },
    answered(data) {
      if (begun === undefined || begun.count !== undefined) return;
      isDone = true;
      made = madeBy(data, begun);
      write(endLine('ok', 0));
    },
    async end(failure, count) {
      if (begun === undefined) return;
      const outcome = isDone ? 'ok' : outcomeOf(failure);
      // What was done, and cannot be shown, is done; the command ends as that says all the same.
      const { exitCode } = failure ?? runtime.stdout.failure?.() ?? { exitCode: 0 };
      const isNews = !isDone || exitCode !== 0;
      if (isNews) write(endLine(outcome, exitCode, ending(failure, count)));
      if ((size ?? 0) > MAX_HISTORY_BYTES) await rotateHistory(recording);
    },
  };
}

function beginning(
  { ids, count, input, journal }: ChangeTarget,
  { command, origin, settings, runtime, by }: HistoryContext,
): EntryStart {
  return {
    id:
      runtime.now().toString(36) +
      Math.floor(runtime.random() * 36 ** 4)
        .toString(36)
        .padStart(4, '0'),
    startedAt: new Date(runtime.now()).toISOString(),
    command,
    ids: ids.slice(0, MOST_IDS).map((id) => id.slice(0, LONGEST_ID)),
    ...(count === undefined ? {} : { count }),
    ...(input === undefined ? {} : { input: fingerprint(input) }),
    context: settings.context ?? null,
    origin,
    ...(by === undefined ? {} : { by }),
    ...(journal === undefined ? {} : { journal }),
  };
}

/** Sixty-four bits: to know the same again, not to withstand anybody. */
function fingerprint(text: string): string {
  const { high, low } = hashOf(text);
  return [high, low].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
}

function outcomeOf(failure: Failure | undefined): HistoryOutcome {
  if (failure === undefined) return 'ok';
  return failure.outcome === 'none' ? 'unsent' : failure.outcome;
}

/** What is known of an end: the status of a refusal, the numbers of a batch. */
function ending(failure: Failure | undefined, count: number | undefined): Partial<EntryEnd> {
  const status = failure?.facts.status;
  return {
    ...(status === undefined ? {} : { status }),
    ...(count === undefined ? {} : batchEnding(failure, count)),
  };
}

function batchEnding(failure: Failure | undefined, count: number): Partial<EntryEnd> {
  const none = { ok: count, failed: 0, unknown: 0, notStarted: 0 };
  const { ok, failed, unknown, notStarted } = { ...none, ...(failure?.facts.details as object) };
  const whole = failed > 0 ? 'refused' : ok > 0 ? 'ok' : 'unsent';
  const outcome = unknown > 0 ? 'unknown' : failed > 0 && ok > 0 ? 'partial' : whole;
  return { outcome, counts: { ok, failed, unknown, notStarted } };
}

/** The id of what was made, where it was not known before. */
function madeBy(data: unknown, { ids }: EntryStart): Pick<EntryEnd, 'made'> {
  const id = (data as { id?: unknown } | null | undefined)?.id;
  return typeof id === 'string' && id.length <= LONGEST_ID && !ids.includes(id) ? { made: id } : {};
}

/** Writes a line and gives the size of the file; where that fails, says so and gives nothing. */
function append({ runtime }: HistoryContext, line: EntryStart | EntryEnd): number | undefined {
  try {
    checkWritableBy(runtime.stateDir());
    return appendLines(historyPath(runtime), `${JSON.stringify(line)}\n`);
  } catch (error) {
    runtime.note(`warning: the history of changes was not written: ${asFailure(error).facts.what}`);
    return undefined;
  }
}

async function rotateHistory({ runtime }: HistoryContext): Promise<void> {
  const path = historyPath(runtime);
  try {
    await rotate(path, MAX_HISTORY_BYTES);
  } catch {
    // Somebody else is at it, or the next change will try again.
  }
}

/** The input of an operation as one text: the same whatever its order, and without what is secret. */
export function comparableInput(input: Input, secrets: readonly string[]): string {
  const shown = Object.entries(input).map(([name, value]) => [
    name,
    secrets.includes(name) ? value === null : value,
  ]);
  return JSON.stringify(shown.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)));
}
