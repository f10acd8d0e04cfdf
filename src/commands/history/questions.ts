// What there is to settle: the changes of the history, and the requests of journals, whose outcome is unknown; and what
// can be said of each without asking the service.

import type { Input, Operation } from '../../api/operations/define-operation.ts';
import { commandNamesOf } from '../../api/operations/command-names.ts';
import { anyChange, operationAt } from '../../api/operations/any-path.ts';
import { everyOperation } from '../../api/operations/registry.ts';
import type { Settlement } from '../../api/operations/settle.ts';
import type { Method } from '../../base/http.ts';
import type { SettlingJournal } from '../../batch/journal/job.ts';
import type { UnknownRequest } from '../../batch/journal/journal.ts';
import type { BatchSettings } from '../../batch/options.ts';
import type { LocalCall } from '../../cli/local-command.ts';
import type { HistoryEntry } from '../../history/entries.ts';

/** A process that was killed may have sent so long after it had said so: the time for a connection. */
const KILLED_WITHIN_MS = 30_000;

/** One change, or one request of a batch, whose outcome is unknown. */
export interface Question {
  /** The id of the change in the history; in a journal that of the record. */
  readonly id: string;
  readonly operation: string;
  readonly ids: readonly string[];
  /** When it was about to be sent, and until when it may have been sent, by this machine's clock. */
  readonly sentAt: number;
  readonly sentUntil: number;
  /** The read that can show it, and how it is judged; else what is said without one. */
  readonly asks: Asking | Settlement;
  readonly entry?: HistoryEntry;
  readonly request?: UnknownRequest;
}

export interface Asking {
  readonly operation: Operation;
  readonly input: Input;
  /** The parts that its request named, where that is known; throws as `targetsOf` does. */
  parts(data: unknown): readonly string[] | undefined | 'gone';
}

/** What the words of a command are an operation of, with the ids in their places. */
export interface Known {
  readonly operation: Operation;
  readonly ids: readonly string[];
}

/** Makes the function that finds the operation of an entry. */
export async function operationFinder(): Promise<
  (command: string, ids: readonly string[]) => Promise<Known>
> {
  const all = (await everyOperation()).flatMap(({ operation }) =>
    commandNamesOf(operation).map(({ words }) => [words.join(' '), operation] as const),
  );
  const byWords = new Map(all);
  return async (command, ids) => {
    const operation = byWords.get(command);
    if (operation !== undefined) return { operation, ids };
    const [, method] = /^api ([A-Z]+)$/.exec(command) ?? [];
    const [path = ''] = ids;
    const found = method === undefined ? undefined : await operationAt(method as Method, path);
    if (found === undefined) return { operation: anyChange, ids };
    const segments = path.split('/');
    const template = found.path.split('/');
    return {
      operation: found,
      ids: segments.filter((_segment, i) => template[i]?.startsWith('{')).map(decodeURIComponent),
    };
  };
}

/** A change of the history as a question. */
function entryAsked(entry: HistoryEntry, asks: Question['asks']): Question {
  const { id, command: operation, ids, startedAt, sentAt = startedAt, ms } = entry;
  const last = Date.parse(sentAt);
  const end = ms === undefined ? last + KILLED_WITHIN_MS : Date.parse(startedAt) + ms;
  return { id, operation, ids, sentAt: last, sentUntil: Math.max(last, end), asks, entry };
}

/** The question about a single change. */
export function questionOf(entry: HistoryEntry, { operation, ids }: Known): Question {
  const [first, ...parts] = ids;
  // A body that was typed as JSON is not on record.
  const known = entry.command.startsWith('api ') || parts.length === 0 ? undefined : parts;
  return entryAsked(
    entry,
    askingOf(operation, first, () => known),
  );
}

/** The question about a change that is not looked for. */
export const unasked = (entry: HistoryEntry, why: string): Question =>
  entryAsked(entry, cannotTell(why));

/** The question about a request of a journal. */
export function questionAbout(
  request: UnknownRequest,
  { operation }: Pick<Known, 'operation'>,
  base: { readonly operation: string; readonly entry?: HistoryEntry },
): Question {
  const { id, at, until = at + KILLED_WITHIN_MS } = request;
  return {
    ...base,
    id: base.entry?.id ?? id ?? '-',
    ids: id === undefined ? [] : [id],
    sentAt: at,
    sentUntil: until,
    request,
    asks: askingOf(operation, id, () => request.targets),
  };
}

/** How the service is asked; or that it cannot be, and where a person can look. */
function askingOf(
  operation: Operation,
  id: string | undefined,
  parts: Asking['parts'],
): Question['asks'] {
  const { settle, inspect = 'Check in the service’s own console.' } = operation;
  const field = settle?.read.places.path[0];
  if (settle === undefined) return cannotTell(`no read shows it. ${inspect}`);
  if (field === undefined || id === undefined)
    return cannotTell('the journal does not say which it is');
  return { operation, input: { [field]: id }, parts };
}

export const cannotTell = (why: string): Settlement => ({ verdict: 'cannot tell', why });

/** A journal that is held open, with the changes of the history that it belongs to. */
export interface OpenJournal extends SettlingJournal {
  readonly path: string;
  readonly entries: readonly HistoryEntry[];
}

export interface Settling {
  readonly call: LocalCall;
  readonly argv: readonly string[];
  readonly batch: BatchSettings;
  readonly questions: readonly Question[];
  readonly journals: readonly OpenJournal[];
  /** The service that is meant, where something is unknown at others too. */
  readonly where?: string | undefined;
  /** All changes on record: another one may explain what is seen. */
  readonly history: readonly HistoryEntry[];
}

/** What came of a question. */
export interface Settled {
  readonly question: Question;
  readonly settlement: Settlement;
  /** Whether the service was asked in vain. */
  readonly isUnread: boolean;
}
