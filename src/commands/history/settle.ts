// `history settle`: finds out, only with reads, the outcome of unknown changes, and records it in the history and in the
// journals of batches. What makes a verdict is in `verdict.ts`.

import { resolve } from 'node:path';
import * as z from 'zod/mini';
import { fieldMeta } from '../../api/schema/rules.ts';
import type { Operation } from '../../api/operations/define-operation.ts';
import { MAY_START_MS } from '../../api/operations/part-states.ts';
import { cannotTell, type Settlement, type Verdict } from '../../api/operations/settle.ts';
import { formatDuration, withMoments } from '../../base/durations.ts';
import { asFailure, Failure, usageFailure } from '../../base/errors.ts';
import {
  type CommandLine,
  flagWords,
  isSameLine,
  labelledLine,
  socialLine,
  withIds,
} from '../../base/shell.ts';
import type { RequestEnd } from '../../batch/journal/format.ts';
import { type Journal, withExistingJournal } from '../../batch/journal/journal.ts';
import { type OpenRequest, WHOLE_PART } from '../../batch/journal/requests.ts';
import { createLimiter, type Limiter, readEach } from '../../batch/limiter.ts';
import { batchProgress } from '../../batch/report/progress.ts';
import { BatchSummary } from '../../batch/report/summary.ts';
import type { Invocation } from '../../cli/command-spec.ts';
import { baseUrlOf, type Client, withClient } from '../../client/open-client.ts';
import { isHistoryOff, type RawFlags } from '../../config/flags.ts';
import { SANDBOX, type Settings } from '../../config/settings.ts';
import { withLongFileLock } from '../../fs/lock.ts';
import {
  appendHistory,
  checkUndamaged,
  contextNow,
  entryNamed,
  type EntrySettlement,
  type HistoryEntry,
  historyPath,
  readHistory,
  recordedCommand,
  inWords,
  withNote,
} from '../../history/entries.ts';
import { showProgress } from '../../output/progress.ts';
import { printValue } from '../../output/write-result.ts';

import {
  earlierIn,
  operationsByCommand,
  requestInJournal,
  requestOfEntry,
  settleSubject,
  verdictOnRun,
  whyUnreadable,
} from './verdict.ts';

/** At most this long does `--wait` ask again. */
const LONGEST_WAIT_MS = 15 * 60_000;
/** After this time a change that is still in progress is read again. */
const MOVING_AGAIN_MS = 15_000;

/** Settles under the lock of the history; a second settle fails instead of waiting. Throws if a read failed. */
export async function settle(call: Invocation): Promise<void> {
  const { runtime, operands, flags, argv } = call;
  if (journalFlag(flags) !== undefined && operands.length > 0)
    throw usageFailure({ field: '--journal', problem: 'cannot be combined with change IDs' });
  await withLongFileLock(historyPath(runtime), runtime, async () => {
    const history = readHistory(runtime);
    const chosen = chooseEntries(call, history.changes);
    const elsewhere = chosen.filter((entry) => isElsewhere(entry, call));
    const here = chosen.filter((entry) => !isElsewhere(entry, call));
    const settled = await settleUntilKnown(here, call);
    await show(settled, call);
    // Changes at other services, and those on a damaged line, are missing here.
    if (settled.length + elsewhere.length + history.damaged.length === 0)
      runtime.note('Nothing to settle');
    for (const line of elsewhereLines(elsewhere, call)) runtime.note(line);
    checkUndamaged(history);
    checkReads(settled, argv);
  });
}

/** Settles the entries, with `--wait` again until nothing more can be known or the time is over. */
async function settleUntilKnown(
  entries: readonly HistoryEntry[],
  call: Invocation,
): Promise<readonly SettledChange[]> {
  const { runtime, settings, flags } = call;
  const { monotonic, signal, sleep } = runtime;
  const startedAt = monotonic();
  for (;;) {
    // The verdicts are stored before they are shown, because showing them may fail.
    const settled = await settleEntries(entries, call);
    const times = settled.flatMap(({ settlement: { againMs, isMoving } }) =>
      isMoving === true ? MOVING_AGAIN_MS : (againMs ?? []),
    );
    const againMs = Math.max(1000, Math.min(...times));
    const leftMs = startedAt + LONGEST_WAIT_MS - monotonic();
    if (flags['wait'] !== true || times.length === 0 || againMs > leftMs) return settled;
    const until = monotonic() + againMs;
    const open = settled.filter(({ settlement: one }) => one.isMoving ?? one.againMs);
    const one = open.length === 1 ? open[0]?.id : undefined;
    const name = one ?? `${open.length} of ${settled.length}`;
    const parts = () => [
      `${name} not known yet; asking again in ${formatDuration(until - monotonic())}`,
      '; Ctrl-C is safe',
      againMs > MAY_START_MS.unknown ? '; a gateway answered, or it is publishing: 15m' : '',
    ];
    const progress = showProgress({ parts }, settings, runtime);
    try {
      await sleep(againMs, signal);
    } finally {
      progress.stop();
    }
  }
}

const journalFlag = (flags: RawFlags) => flags['journal'] as string | undefined;

/** Chooses the entries to settle: those of --journal, the named ones, or all unknown ones. */
function chooseEntries(
  { operands, flags }: Invocation,
  history: readonly HistoryEntry[],
): readonly HistoryEntry[] {
  const journal = journalFlag(flags);
  if (operands.length > 0) return namedEntries(operands, history);
  const open = history.filter(isOpen);
  return journal === undefined ? open : open.filter((entry) => entry.journal === resolve(journal));
}

/** True for a change at another service, which cannot be read from here. A journal is checked when it is opened. */
function isElsewhere({ origin }: HistoryEntry, { flags, settings }: Invocation): boolean {
  if (journalFlag(flags) !== undefined) return false;
  // The history has the name of the sandbox in place of its origin.
  return origin !== (settings.context === SANDBOX ? SANDBOX : new URL(baseUrlOf(settings)).origin);
}

/** True if the outcome is still to be found out: it is unknown, or was in progress at the last settling. */
const isOpen = ({ outcome, verdict = 'cannot tell', isMoving }: HistoryEntry): boolean =>
  outcome === 'unknown' && (verdict === 'cannot tell' || isMoving === true);

/** Finds the unknown entries whose IDs start with these texts. Throws `usage` if a text names no change. */
function namedEntries(
  operands: readonly string[],
  history: readonly HistoryEntry[],
): readonly HistoryEntry[] {
  const found = operands.map((id) => entryNamed(id, history));
  const faults = found.filter((entry) => 'problem' in entry);
  if (faults.length > 0) throw usageFailure(faults, ['social', 'history', 'list']);
  return history.filter((entry) => entry.outcome === 'unknown' && found.includes(entry));
}

/** A record or a single change with its verdict. */
interface SettledChange {
  readonly command: string;
  /** The ID of the resource; `undefined` if that is a credential. */
  readonly id: string | undefined;
  readonly parts: readonly string[];
  readonly sentAt: string;
  /** Its entry, or that of the run of its batch; absent if the history does not have it. */
  readonly entry: HistoryEntry | undefined;
  /** The path of the journal that has it. */
  readonly journal?: string | undefined;
  readonly settlement: Settlement;
  /** True if the read failed: the verdict is `cannot tell`, and is not recorded. */
  readonly readFailed: boolean;
}

const READS_AT_ONCE = 8;

interface Reads {
  readonly client: Client;
  readonly limiter: Limiter;
  readonly operations: ReadonlyMap<string, Operation>;
}

/** Settles the entries without a journal, then the requests of each journal. For none, it opens no service. */
async function settleEntries(
  entries: readonly HistoryEntry[],
  call: Invocation,
): Promise<readonly SettledChange[]> {
  const { settings, runtime, flags, operands } = call;
  const typed = journalFlag(flags);
  if (entries.length === 0 && typed === undefined) return [];
  const limits = { concurrency: READS_AT_ONCE, rate: undefined };
  const limiter = createLimiter(limits, settings, runtime, { signal: runtime.signal });
  const operations = await operationsByCommand();
  const options = { settings, flags, connections: READS_AT_ONCE };
  return withClient(options, runtime, async (opened) => {
    const client = { ...opened, retryPolicy: limiter.retryPolicyOf('call') };
    const reads: Reads = { client, limiter, operations };
    const singles = entries.filter(({ journal }) => journal === undefined);
    const settled = [...(await settleSingles(singles, reads))];
    const recorded = entries.map(({ journal }) => journal).filter((path) => path !== undefined);
    for (const path of typed === undefined ? new Set(recorded) : [typed]) {
      const runs = entries.filter(({ journal }) => journal === resolve(path));
      settled.push(...(await settleJournal(path, runs, operands.length > 0, reads)));
    }
    return settled;
  });
}

/** Reads for each item, several at once, and shows on stderr how many are done. A failed read is `cannot tell`. */
async function settleEach<Item>(
  items: readonly Item[],
  { client, limiter }: Reads,
  settleOne: (item: Item) => Promise<readonly Settlement[]>,
): Promise<readonly { readonly found: readonly Settlement[]; readonly readFailed: boolean }[]> {
  const { settings, runtime } = client;
  const summary = new BatchSummary(items.length, runtime);
  const progress = showProgress(batchProgress(summary, limiter, runtime), settings, runtime);
  const { signal } = runtime;
  try {
    const answers = await readEach(items, { limiter, signal }, (item) =>
      settleOne(item).finally(() => summary.counts.ok++),
    );
    return answers.map((answer) =>
      answer instanceof Failure
        ? { found: [cannotTell(`it could not be read: ${answer.facts.what}`)], readFailed: true }
        : { found: answer, readFailed: false },
    );
  } finally {
    progress.stop();
  }
}

/** Settles changes without a journal, and writes the verdicts to the history. */
async function settleSingles(
  entries: readonly HistoryEntry[],
  reads: Reads,
): Promise<readonly SettledChange[]> {
  const { client, operations } = reads;
  const answers = await settleEach(entries, reads, async (entry) => {
    const why = whyUnreadable(entry);
    if (why !== undefined) return [cannotTell(why)];
    const { command, ids } = entry;
    return settleSubject(operations.get(command), ids[0], [requestOfEntry(entry)], client);
  });
  const settled = entries.map((entry, i): SettledChange => {
    const { found, readFailed } = answers[i]!;
    const { command, ids, startedAt, sentAt = startedAt } = entry;
    const [id, ...parts] = ids;
    return { command, id, parts, sentAt, entry, settlement: found[0]!, readFailed };
  });
  const lines = settled
    .filter(({ readFailed }) => !readFailed)
    .map(({ entry, settlement: { verdict, why, isMoving = false } }) => ({
      id: entry!.id,
      verdict,
      why,
      isMoving,
    }));
  writeVerdicts(lines, client);
  return settled;
}

/**
 * Settles the unknown requests of a journal under its lock, those of one record by one read, and writes the verdicts
 * into it and into the entries of its runs. `isOfRuns` is set if only what these runs left unknown is to be settled.
 */
async function settleJournal(
  path: string,
  runs: readonly HistoryEntry[],
  isOfRuns: boolean,
  reads: Reads,
): Promise<readonly SettledChange[]> {
  const { client, operations } = reads;
  const { runtime, settings, flags } = client;
  try {
    return await withExistingJournal(path, runtime, async (journal) => {
      const { origin, operation: command } = journal.header;
      checkOrigin(origin, settings);
      const isOwn = ({ run }: OpenRequest) => runs.some(({ id }) => id === run);
      const open = journal.all().map((record) => record.openRequests());
      // A run without one of its own may have found one of an earlier run unknown.
      const isWhole =
        !isOfRuns ||
        (!open.flat().some(isOwn) && runs.some((one) => earlierIn(one, journal).length > 0));
      const records = open
        .map((requests) => requests.filter((one) => isWhole || isOwn(one)))
        .filter((requests) => requests.length > 0);
      const answers = await settleEach(records, reads, (requests) => {
        const { id } = requests[0]!;
        return settleSubject(operations.get(command), id, requests.map(requestInJournal), client);
      });
      const settled = records.flatMap((requests, i) => {
        const { found, readFailed } = answers[i]!;
        return requests.flatMap((request, at): readonly SettledChange[] => {
          const settlement = found[at] ?? found[0]!;
          if (!readFailed) writeJournal(journal, request, settlement);
          // A record is shown by its last request.
          const isRepeated = requests
            .slice(at + 1)
            .some((later) => request.parts.every((part) => later.parts.includes(part)));
          if (isRepeated) return [];
          const { id, run, sent } = request;
          const parts = request.parts.filter((part) => part !== WHOLE_PART);
          const sentAt = new Date(sent.at).toISOString();
          const entry = runs.find((one) => one.id === run);
          return [{ command, id, parts, sentAt, entry, journal: path, settlement, readFailed }];
        });
      });
      const lines = runs
        .filter((run) => !settled.some(({ entry, readFailed }) => readFailed && entry === run))
        .map((run) => verdictOnRun(run, journal));
      writeVerdicts(lines, client);
      return settled;
    });
  } catch (error) {
    const { kind, facts } = asFailure(error);
    if (journalFlag(flags) !== undefined || !['usage', 'local_io'].includes(kind)) throw error;
    // Without --journal, a journal that a running batch has locked, or that was deleted, must not stop the other changes.
    const settlement = cannotTell(`its journal cannot be read: ${facts.what}`);
    return runs.map((entry) => {
      const { command, ids, startedAt: sentAt } = entry;
      return { command, id: ids[0], parts: [], sentAt, entry, settlement, readFailed: false };
    });
  }
}

/** Writes the state of a request into its journal, one line for the parts with the same verdict. */
function writeJournal(
  journal: Journal,
  { sent: { requestId }, parts }: OpenRequest,
  settlement: Settlement,
): void {
  const byEnd = new Map<RequestEnd, string[]>();
  for (const part of parts) {
    const { verdict, isMoving } = settlement.parts?.get(part) ?? settlement;
    if (verdict === 'cannot tell') continue;
    const end = verdict === 'done' && isMoving === true ? 'accepted' : verdict;
    byEnd.set(end, [...(byEnd.get(end) ?? []), part]);
  }
  for (const [as, ended] of byEnd)
    journal.writeEnd({
      ended: requestId,
      parts: ended,
      as,
      seen: as === 'accepted' ? settlement.seen : undefined,
      settled: true,
    });
}

/** Writes verdicts to the history, unless it is off. */
function writeVerdicts(
  verdictLines: readonly Omit<EntrySettlement, 'settledAt'>[],
  { runtime }: Client,
): void {
  if (isHistoryOff(runtime) || verdictLines.length === 0) return;
  const settledAt = new Date(runtime.now()).toISOString();
  const lines = verdictLines.map(({ id, ...rest }) => ({ id, settledAt, ...rest }));
  appendHistory(runtime, lines);
}

/** Throws for a journal of another service, whose posts cannot be read here. */
function checkOrigin(origin: string, settings: Settings): void {
  const baseUrl = baseUrlOf(settings);
  if (origin === baseUrl) return;
  throw usageFailure({
    field: '--journal',
    problem: `is a journal of ${origin}, not of ${baseUrl}`,
  });
}

type Counts = Readonly<Record<Verdict, number>>;

function countsOf(settled: readonly SettledChange[]): Counts {
  const counts = { done: 0, 'not done': 0, failed: 0, 'cannot tell': 0 };
  for (const { settlement } of settled) counts[settlement.verdict]++;
  return counts;
}

const tableOf = (idLabel: string) =>
  z.object({
    rows: z.array(
      z.object({
        verdict: z.string().register(fieldMeta, { look: 'whole' }),
        operation: z.string().register(fieldMeta, { label: 'command' }),
        ids: z.array(z.string()).register(fieldMeta, { look: 'below' }),
        sentAt: z.string().register(fieldMeta, { look: 'clock', label: 'sent' }),
        why: z.string().register(fieldMeta, { look: 'below' }),
        id: z.string().register(fieldMeta, { look: 'whole', label: idLabel }),
      }),
    ),
  });

const columns = ['verdict', 'operation', 'ids', 'sentAt', 'why', 'id'] as const;

/** A longer table leaves out what is done. */
const MOST_ROWS = 12;

/** Shows the verdicts and the next steps. */
async function show(settled: readonly SettledChange[], call: Invocation): Promise<void> {
  const { runtime, form, flags, settings } = call;
  const isTable = form === 'table';
  const ofJournal = journalFlag(flags) !== undefined;
  const items = settled.map(({ command, id, parts, sentAt, entry, settlement }) => ({
    id: (ofJournal ? id : entry?.id) ?? '-',
    operation: command,
    verdict: settlement.verdict,
    why: isTable ? withMoments(whyOf(settlement), runtime.now(), settings.utc) : whyOf(settlement),
    // A table has the ID of a record in a column of its own.
    ids: id === undefined ? [] : ofJournal && isTable ? parts : [id, ...parts],
    sentAt,
  }));
  const counts = countsOf(settled);
  const left = items.filter(({ verdict }) => verdict !== 'done');
  const isFolded = isTable && !settings.wide && items.length > MOST_ROWS;
  const shown = isFolded ? left : items;
  if (shown.length > 0 || form === 'json')
    await printValue(
      call,
      columns,
      shown,
      { items, counts },
      tableOf(ofJournal ? 'record' : 'change'),
    );
  const folded = shown.length < items.length ? ' (-o wide lists what is done, too)' : '';
  if (items.length > 0) runtime.note(`${inWords(counts)}${folded}`);
  for (const line of await nextLines(settled, call)) runtime.note(line);
}

const whyOf = ({ why, againMs }: Settlement): string =>
  againMs === undefined ? why : `${why}; ask again in ${formatDuration(againMs)}`;

/**
 * Returns the command that asks again until more is known, and those that repeat what was not applied, or failed. A batch
 * that is run again sends only that.
 */
async function nextLines(
  settled: readonly SettledChange[],
  call: Invocation,
): Promise<readonly string[]> {
  const { flags, operands: ids } = call;
  const typed = [journalFlag(flags) ?? []].flat();
  const asTyped = [...flagWords('--journal', ...typed), '--wait'];
  const mayAsk = settled.some(({ settlement: { againMs, isMoving } }) => againMs ?? isMoving);
  const lines: CommandLine[] = [];
  if (mayAsk && flags['wait'] !== true)
    lines.push(socialLine({ words: ['history', 'settle'], ids, flags: asTyped }, call));
  const operations = await operationsByCommand();
  for (const { command, id = '', entry, journal, settlement } of settled) {
    const { verdict } = settlement;
    if (verdict !== 'not done' && verdict !== 'failed') continue;
    // A single change that failed is repeated for its failed parts only, because the rest may have succeeded.
    const isSingle = journal === undefined && verdict === 'failed';
    const again = isSingle ? operations.get(command)?.settle?.again : undefined;
    const isWhole = entry?.line?.includes('…') === false;
    const recorded = isWhole ? recordedCommand(entry) : undefined;
    const repeat = again === undefined ? recorded : withIds(again, () => [id]);
    const line = repeat && socialLine(withNote(repeat, entry), call);
    if (line !== undefined && !lines.some((other) => isSameLine(line, other))) lines.push(line);
  }
  return lines.map((line) => labelledLine('try', line));
}

/** Formats `2 more at https://api.example.com: social -C prod history settle`; without a context there is no line. */
function elsewhereLines(
  entries: readonly HistoryEntry[],
  { config }: Invocation,
): readonly string[] {
  const counts = new Map<string, number>();
  for (const entry of entries) {
    const context = contextNow(entry, config);
    const words = ['social', '-C', context ?? '', 'history', 'settle'];
    const place = context === undefined ? entry.origin : labelledLine(entry.origin, words);
    counts.set(place, (counts.get(place) ?? 0) + 1);
  }
  return [...counts].map(([place, count]) => `${count} more at ${place}`);
}

/** Throws if a read failed, because the outcome of that change is still unknown. */
function checkReads(settled: readonly SettledChange[], argv: readonly string[]): void {
  const unread = settled.filter(({ readFailed }) => readFailed);
  if (unread.length === 0) return;
  throw new Failure('batch_failed', {
    what: `${unread.length} of ${settled.length} changes could not be read`,
    next: ['social', ...argv],
    hint: 'run it again: what is settled is not read a second time',
    sent: true,
    retryable: true,
  });
}
