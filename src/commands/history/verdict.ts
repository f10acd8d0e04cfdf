// The verdict of `history settle` on the requests for one resource: `settleSubject` reads it once, such as the post of a
// retry, and the rule of the operation compares what it shows with what was read before each request.

import type { Operation, Settle } from '../../api/operations/define-operation.ts';
import { commandNamesOf } from '../../api/operations/fields.ts';
import { everyOperation } from '../../api/operations/registry.ts';
import { MAY_START_MS, type Seen } from '../../api/operations/part-states.ts';
import {
  cannotTell,
  inOne,
  type PartSettlement,
  type Settlement,
} from '../../api/operations/settle.ts';
import { hasTargets } from '../../api/schema/post.ts';
import { saysDuplicate } from '../../base/error-forms.ts';
import { Failure, ifPossible } from '../../base/errors.ts';
import type { Runtime } from '../../base/runtime.ts';
import type { RequestEnd } from '../../batch/journal/format.ts';
import { type JournalState, readJournalState } from '../../batch/journal/journal.ts';
import type { OpenRequest } from '../../batch/journal/requests.ts';
import { callOperation } from '../../client/call-operation.ts';
import type { Client } from '../../client/open-client.ts';
import { unsureIn } from '../../client/cause.ts';
import type { Result } from '../../client/read-response.ts';
import { isRunning } from '../../fs/lock.ts';
import { whoAndWhere } from '../../fs/permissions.ts';
import { type EntrySettlement, type HistoryEntry, inWords } from '../../history/entries.ts';

/** A request whose outcome is to be found out. */
export interface UnknownRequest {
  readonly parts: readonly string[] | undefined;
  /** The states that were read before it. */
  readonly seen: Seen | undefined;
  /** The service's clock when its outcome became unknown; `undefined` after a crash before that. */
  readonly endDate: number | undefined;
  /** The HTTP status of its response, if one arrived. */
  readonly status: number | undefined;
}

export const requestOfEntry = ({ ids, seen, endDate, status }: HistoryEntry): UnknownRequest => {
  // The first ID is that of the resource, the others are those of its parts.
  const [, ...parts] = ids;
  return { parts: parts.length === 0 ? undefined : parts, seen, endDate, status };
};

export const requestInJournal = ({ parts, sent, ended }: OpenRequest): UnknownRequest => ({
  parts,
  seen: sent.seen,
  endDate: ended?.date,
  status: ended?.status,
});

/** Returns the operations by their commands; a request of `social api` has none. */
export async function operationsByCommand(): Promise<ReadonlyMap<string, Operation>> {
  const operations = (await everyOperation()).map(({ operation }) => operation);
  return new Map(
    operations.flatMap((operation) =>
      commandNamesOf(operation).map(({ words }) => [words.join(' '), operation] as const),
    ),
  );
}

/** Returns why the outcome of an entry without a journal cannot be read; `undefined` if it may be. */
export function whyUnreadable(entry: HistoryEntry): string | undefined {
  // Only a batch has a count.
  if (entry.count !== undefined)
    return 'it was a batch without --journal: its requests are not on record. See its results, or triage its list';
  return endOf(entry) === 'running' ? `it is running now, as process ${entry.pid}` : undefined;
}

/** Returns how the process of a change ended: its exit code, or what can be said without one. */
export function endOf({ exitCode, pid, host }: HistoryEntry): string {
  if (exitCode !== undefined) return String(exitCode);
  if (pid === undefined || host !== whoAndWhere(undefined).host) return 'killed, or running';
  return isRunning(pid) ? 'running' : 'killed';
}

/** Judges requests for the resource with this ID, all by one read. Rejects if the read fails. */
export async function settleSubject(
  operation: Operation | undefined,
  id: string | undefined,
  requests: readonly UnknownRequest[],
  client: Client,
): Promise<readonly Settlement[]> {
  const { settle: rule, inspect } = operation ?? {};
  const advice = typeof inspect === 'string' ? inspect : 'Check in the service’s own console.';
  if (rule === undefined || id === undefined)
    return requests.map(() => cannotTell(`no read shows it. ${advice}`));
  const result = await readSubject(rule, id, client);
  if (result === undefined)
    return requests.map(() =>
      cannotTell(`the service has no such ${rule.noun}: it may have been deleted`),
    );
  return requests.map((request) => judge(rule, request, result));
}

/** Reads the subject of a change; `undefined` if the service does not have it. */
async function readSubject(
  { read }: Settle,
  id: string,
  client: Client,
): Promise<Result | undefined> {
  try {
    // The path of the read has one field, the ID.
    return await callOperation(client, read, { [read.places.path[0]!]: id });
  } catch (error) {
    if (error instanceof Failure && error.kind === 'not_found') return undefined;
    throw error;
  }
}

/** A response with this status or above came most likely from a gateway: the service may have it queued. */
const GATEWAY_STATUS = 502;

function judge(
  rule: Settle,
  { parts, seen, endDate, status = 0 }: UnknownRequest,
  { data, serverTime, ageMs }: Result,
): Settlement {
  const date = endDate ?? (seen?.date === undefined ? undefined : seen.date + MAY_START_MS.killed);
  const read = { date: serverTime, isCached: ageMs !== undefined };
  const gatewayAnswered = status >= GATEWAY_STATUS;
  return withoutUnsure(rule.judge(data, read, { parts, seen, date, gatewayAnswered }), data);
}

/** A part that failed in words that say it may be published all the same, or that it is already, was perhaps done. */
function withoutUnsure(settlement: Settlement, data: unknown): Settlement {
  const { parts = new Map<string, PartSettlement>() } = settlement;
  const unsure = [...unsureIn(data, []), ...duplicatesIn(data)];
  const isOpen = (part: string, { verdict }: PartSettlement) =>
    verdict === 'failed' && unsure.includes(part);
  if (![...parts].some(([part, one]) => isOpen(part, one))) return settlement;
  const judged = new Map(
    [...parts].map(([part, one]) => {
      const why = `${one.why}, in words that say it may be published: look at the account`;
      return [part, isOpen(part, one) ? cannotTell(why) : one];
    }),
  );
  return { ...settlement, ...inOne([...judged.values()]), parts: judged };
}

/** Returns the targets that failed as a duplicate: the post that they duplicate may be that of the lost change. */
const duplicatesIn = (post: unknown): readonly string[] =>
  hasTargets(post)
    ? post.targets
        .filter(({ error }) => typeof error === 'string' && saysDuplicate(error))
        .map(({ id }) => id)
    : [];

/** Returns the requests of earlier runs that a run found unknown, and so counted as its own, by their states now. */
export function earlierIn({ id, startedAt, counts }: HistoryEntry, journal: JournalState) {
  const unknownIn = (before?: number) =>
    journal
      .all()
      .flatMap((record) => record.requestsIn(id, before))
      .filter(({ wasUnknown }) => wasUnknown);
  const left = (counts?.['unknown'] ?? 0) - unknownIn().length;
  // Which of them it found is not on record: those that are done now count last.
  return unknownIn(Date.parse(startedAt))
    .toSorted((a, b) => openness(b.end) - openness(a.end))
    .slice(0, Math.max(0, left));
}

const openness = (end: RequestEnd): number => ['done', end, 'accepted', 'unknown'].indexOf(end);

/** Sums up what became of the records that a run left unknown, and all of a run that was killed. */
export function verdictOnRun(
  entry: HistoryEntry,
  journal: JournalState,
): Omit<EntrySettlement, 'settledAt'> {
  const { id, count = 0, counts } = entry;
  const verdicts: Record<string, number> = {};
  const totals: Record<string, number> = {};
  const own = journal.all().flatMap((record) => record.requestsIn(id));
  for (const { end, wasUnknown } of own) {
    const word = wasUnknown ? 'unknown' : endWords[end];
    totals[word] = (totals[word] ?? 0) + 1;
  }
  for (const { end } of [
    ...own.filter(({ wasUnknown }) => wasUnknown),
    ...earlierIn(entry, journal),
  ]) {
    const verdict = end === 'unknown' ? 'cannot tell' : end;
    verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
  }
  const open = (verdicts['cannot tell'] ?? 0) + (verdicts['accepted'] ?? 0);
  const why = inWords(verdicts);
  const verdict = open > 0 ? 'cannot tell' : 'settled';
  if (counts !== undefined) return { id, verdict, why, verdicts };
  const sent = Object.values(totals).reduce((sum, number) => sum + number, 0);
  const notStarted = Math.max(0, count - sent);
  return { id, verdict, why, verdicts, counts: { ...totals, notStarted } };
}

/** The keys of the totals of a batch for the states of its requests. */
const endWords: Readonly<Record<RequestEnd, string>> = {
  done: 'ok',
  accepted: 'accepted',
  refused: 'failed',
  failed: 'failed',
  'not done': 'failed',
  unknown: 'unknown',
};

/** Adds to unknown runs what their journals know by now, where these can be read: a later run may have found it out. */
export function withJournals(
  changes: readonly HistoryEntry[],
  { now }: Pick<Runtime, 'now'>,
): readonly HistoryEntry[] {
  const journals = new Map<string, JournalState | undefined>();
  return changes.map((entry) => {
    const { outcome, journal: path } = entry;
    if (outcome !== 'unknown' || path === undefined || endOf(entry) === 'running') return entry;
    if (!journals.has(path))
      journals.set(
        path,
        ifPossible(() => readJournalState(path, undefined, now)),
      );
    const journal = journals.get(path);
    const found = journal?.all().length ? verdictOnRun(entry, journal) : entry;
    return found.verdicts?.['cannot tell'] === undefined ? { ...entry, ...found } : entry;
  });
}
