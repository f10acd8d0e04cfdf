// The verdict of `history settle` on one change: `settleChange` reads its subject, such as the post of a retry, and
// judges what the response shows. If anything else may explain that, the verdict is `cannot tell`.

import type { Operation, Settle } from '../../api/operations/define-operation.ts';
import { commandNamesOf } from '../../api/operations/fields.ts';
import { everyOperation } from '../../api/operations/registry.ts';
import { cannotTell, type Settlement } from '../../api/operations/settle.ts';
import { formatDuration } from '../../base/durations.ts';
import { Failure } from '../../base/errors.ts';
import type { UnknownRequest } from '../../batch/journal/outcomes.ts';
import { callOperation } from '../../client/call-operation.ts';
import { type Client, originOf } from '../../client/open-client.ts';
import type { Result } from '../../client/read-response.ts';
import { isRunning } from '../../fs/lock.ts';
import { whoAndWhere } from '../../fs/permissions.ts';
import type { HistoryEntry } from '../../history/entries.ts';

/** A change with an unknown outcome: an entry of the history, or one request of a journal. */
export interface UnknownChange {
  readonly command: string;
  /** The request; that of an entry is made from its times and IDs. */
  readonly request: UnknownRequest;
  /** Its entry, or that of the run of its batch; absent if the history does not have it. */
  readonly entry: HistoryEntry | undefined;
  /** The path of the journal that has its request. */
  readonly journal?: string;
}

/** The client and the facts that the verdicts on all changes share. */
export interface SettleContext {
  readonly client: Client;
  /** The operations by their commands. */
  readonly operations: ReadonlyMap<string, Operation>;
  readonly history: readonly HistoryEntry[];
}

/**
 * Finds out the outcome of a change: whether a read can show it, what the read shows, and whether another change may
 * explain that. Rejects if the read fails.
 */
export async function settleChange(
  change: UnknownChange,
  { client, operations, history }: SettleContext,
): Promise<Settlement> {
  const { command, request, entry, journal } = change;
  if (journal === undefined && entry !== undefined) {
    // Only a batch has a count.
    if (entry.count !== undefined)
      return cannotTell(
        'it was a batch without --journal: its requests are not on record. See its results, or triage its list',
      );
    if (mayRun(entry)) return cannotTell(`it is running now, as process ${entry.pid}`);
  }
  const { settle: rule, inspect } = operations.get(command) ?? {};
  if (rule === undefined || request.id === undefined)
    return cannotTell(
      `no read shows it. ${typeof inspect === 'string' ? inspect : 'Check in the service’s own console.'}`,
    );

  const reading = await readSubject(rule, request.id, client);
  if (reading === undefined)
    return cannotTell(`the service has no such ${rule.noun}: it may have been deleted`);
  const settlement = judgeReading(rule, request, reading);

  // `done` and `failed` say that a change was applied, which may have been another one.
  if (!['done', 'failed'].includes(settlement.verdict)) return settlement;
  const other = otherChange(change, originOf(client.service), history);
  return other === undefined
    ? settlement
    : cannotTell(
        `another change of this ${rule.noun} was sent at ${other.startedAt} (${other.id})`,
      );
}

/** Returns the operations by their commands; a request of `social api` has none. */
export async function operationsByCommand(): Promise<ReadonlyMap<string, Operation>> {
  const operations = (await everyOperation()).map(({ operation }) => operation);
  return new Map(
    operations.flatMap((operation) =>
      commandNamesOf(operation).map(({ words }) => [words.join(' '), operation] as const),
    ),
  );
}

/** True if a change without an end may still be in progress: its process is alive on this machine. */
const mayRun = ({ exitCode, pid, host }: HistoryEntry): boolean =>
  exitCode === undefined &&
  pid !== undefined &&
  host === whoAndWhere(undefined).host &&
  isRunning(pid);

/** The response to a read, with the times of its request and its arrival by this machine's clock. */
interface Reading {
  readonly result: Result;
  readonly requestedAt: number;
  readonly receivedAt: number;
}

/** Reads the subject of a change; `undefined` if the service does not have it. */
async function readSubject(
  { read }: Settle,
  id: string,
  client: Client,
): Promise<Reading | undefined> {
  const { now } = client.runtime;
  const requestedAt = now();
  try {
    // The path of the read has one field, the ID.
    const result = await callOperation(client, read, { [read.places.path[0]!]: id });
    return { result, requestedAt, receivedAt: now() };
  } catch (error) {
    if (error instanceof Failure && error.kind === 'not_found') return undefined;
    throw error;
  }
}

/** A `Date` header counts whole seconds. */
const DATE_STEP_MS = 1000;
/** A response with this status or above came most likely from a gateway: the service may have it queued. */
const GATEWAY_STATUS = 502;
/** A killed process may still have sent the request up to 30 s after it wrote its intent: the time to connect. */
const KILLED_WITHIN_MS = 30_000;

/** Judges a request by a later read. A cached response may show the subject before the change, and so tells nothing. */
export function judgeReading(
  { judge }: Pick<Settle, 'judge'>,
  { at, until = at + KILLED_WITHIN_MS, status = 0, targets }: UnknownRequest,
  { result: { data, serverTime, ageMs: cachedMs }, requestedAt, receivedAt }: Reading,
): Settlement {
  if (cachedMs !== undefined)
    return cannotTell(`the response came from a cache and is ${formatDuration(cachedMs)} old`);
  if (serverTime === undefined) return cannotTell('the response has no date to compare with');
  if (serverTime + DATE_STEP_MS <= at) {
    const date = new Date(serverTime).toISOString();
    return cannotTell(
      `the response is dated ${date}, before the change: it came from a cache, or a clock is wrong`,
    );
  }
  // The service dated the response between its request and its arrival, which bounds how far its clock is ahead of this
  // one. An old date may mean a slow clock, or a cache and a right clock, so the upper bound is at least 0.
  const leastAheadMs = serverTime - receivedAt;
  const mostAheadMs = Math.max(0, serverTime + DATE_STEP_MS - requestedAt);
  try {
    return judge(data, {
      parts: targets,
      sent: { earliest: at + leastAheadMs, latest: at + mostAheadMs },
      // The earlier time, so that the change never seems older than it is, and `not done` is not concluded too early.
      ageMs: Math.min(requestedAt, serverTime) - until,
      gatewayAnswered: status >= GATEWAY_STATUS,
    });
  } catch (error) {
    // `judge` throws this if the response shows no targets.
    if (!(error instanceof Failure)) throw error;
    return cannotTell(error.facts.what);
  }
}

/** Another change within this time, before or after, may explain the present state. */
const NEAR_MS = 15 * 60_000;

/**
 * Finds another change by the same command, of the same resource, from this machine, at about that time, that may have
 * been applied: no other command changes the state that is judged. Runs of the same journal are skipped, because no two
 * of its records change the same part. A request of `social api` counts too, with a path in place of IDs.
 */
const otherChange = (
  { command, request: { id = '', at }, entry, journal }: UnknownChange,
  origin: string,
  history: readonly HistoryEntry[],
): HistoryEntry | undefined =>
  history.find(
    (other) =>
      other.id !== entry?.id &&
      !(journal !== undefined && other.journal === journal) &&
      other.origin === origin &&
      !['refused', 'unsent'].includes(other.outcome) &&
      other.verdict !== 'not done' &&
      (other.command === command || other.command.startsWith('api ')) &&
      // Only the first IDs of a large batch are on record, so it may have changed any post.
      (other.ids.some((otherId) => otherId.split('/').includes(id)) ||
        (other.count ?? 0) > other.ids.length) &&
      Math.abs(Date.parse(other.sentAt ?? other.startedAt) - at) <= NEAR_MS,
  );
