// `history settle`: finds out, only with reads, the outcome of unknown changes, and records it in the history and in the
// journals of batches. What makes a verdict is in `verdict.ts`.

import { resolve } from 'node:path';
import {
  cannotTell,
  type SettledPart,
  type Settlement,
  type Verdict,
} from '../../api/operations/settle.ts';
import { formatDuration } from '../../base/durations.ts';
import { Failure, usageFailure } from '../../base/errors.ts';
import {
  type CommandLine,
  type SocialCommand,
  isSameLine,
  labelledLine,
  socialLine,
  splitShellWords,
  withIds,
} from '../../base/shell.ts';
import { type Journal, withExistingJournal } from '../../batch/journal/journal.ts';
import type { Targets } from '../../batch/journal/outcomes.ts';
import { createLimiter, type Limiter, readEach } from '../../batch/limiter.ts';
import { batchProgress } from '../../batch/report/progress.ts';
import { BatchSummary } from '../../batch/report/summary.ts';
import type { Call } from '../../cli/command-spec.ts';
import { baseUrlOf, withClient } from '../../client/open-client.ts';
import { isHistoryOff, type RawFlags } from '../../config/flags.ts';
import { SANDBOX, type Settings } from '../../config/settings.ts';
import { appendLines } from '../../fs/append-log.ts';
import { withLongFileLock } from '../../fs/lock.ts';
import {
  checkUndamaged,
  entryNamed,
  type EntrySettlement,
  type HistoryEntry,
  historyPath,
  readHistory,
} from '../../history/entries.ts';
import { asFailure } from '../../output/error-report.ts';
import { showProgress } from '../../output/progress.ts';
import { printValue } from '../../output/write-result.ts';
import { inWords } from './report.ts';
import {
  operationsByCommand,
  settleChange,
  type SettleContext,
  type UnknownChange,
} from './verdict.ts';

/** Settles under the lock of the history; a second settle fails instead of waiting. Throws if a read failed. */
export async function settle(call: Call): Promise<void> {
  const { runtime, operands, flags, argv } = call;
  if (journalFlag(flags) !== undefined && operands.length > 0)
    throw usageFailure({ field: '--journal', problem: 'cannot be combined with change IDs' });
  await withLongFileLock(historyPath(runtime), runtime, async () => {
    const history = readHistory(runtime);
    const chosen = chooseEntries(call, history.changes);
    const elsewhere = chosen.filter((entry) => isElsewhere(entry, call));
    const here = chosen.filter((entry) => !isElsewhere(entry, call));
    const settled = await settleEntries(here, history.changes, call);
    // The verdicts are stored before they are shown, because showing them may fail.
    writeHistory(here, settled, call);
    await show(settled, call);
    // Changes at other services, and those on a damaged line, are missing here.
    if (settled.length + elsewhere.length + history.damaged.length === 0)
      runtime.note('Nothing to settle');
    for (const line of elsewhereLines(elsewhere)) runtime.note(line);
    checkUndamaged(history);
    checkReads(settled, argv);
  });
}

const journalFlag = (flags: RawFlags) => flags['journal'] as string | undefined;

/** Chooses the entries to settle: those of --journal, the named ones, or all unknown ones. */
function chooseEntries(
  { operands, flags }: Call,
  history: readonly HistoryEntry[],
): readonly HistoryEntry[] {
  const journal = journalFlag(flags);
  if (operands.length > 0) return namedEntries(operands, history);
  const open = history.filter(isOpen);
  return journal === undefined ? open : open.filter((entry) => entry.journal === resolve(journal));
}

/** True for a change at another service, which cannot be read from here. A journal is checked when it is opened. */
function isElsewhere({ origin }: HistoryEntry, { flags, settings }: Call): boolean {
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

/** A change with its verdict. */
interface SettledChange extends UnknownChange {
  readonly settlement: Settlement;
  /** True if the read failed: the verdict is `cannot tell`, and is not recorded. */
  readonly readFailed: boolean;
}

const READS_AT_ONCE = 8;

interface Reads extends SettleContext {
  readonly limiter: Limiter;
}

/** Settles the entries without a journal, then the requests of each journal. For none, it opens no service. */
async function settleEntries(
  entries: readonly HistoryEntry[],
  history: readonly HistoryEntry[],
  { settings, runtime, flags }: Call,
): Promise<readonly SettledChange[]> {
  const typed = journalFlag(flags);
  if (entries.length === 0 && typed === undefined) return [];
  const limits = { concurrency: READS_AT_ONCE, rate: undefined };
  const limiter = createLimiter(limits, settings, runtime, { signal: runtime.signal });
  const operations = await operationsByCommand();
  const options = { settings, flags, connections: READS_AT_ONCE };
  return withClient(options, runtime, async (opened) => {
    const reads: Reads = {
      client: { ...opened, retryPolicy: limiter.retryPolicyOf('call') },
      limiter,
      operations,
      history,
    };
    const singles = entries.filter(({ journal }) => journal === undefined);
    const settled = [...(await settleEach(singles.map(changeOf), reads))];
    const recorded = entries.map(({ journal }) => journal).filter((path) => path !== undefined);
    for (const path of typed === undefined ? new Set(recorded) : [typed]) {
      const runs = entries.filter(({ journal }) => journal === resolve(path));
      settled.push(...(await settleJournal(path, runs, reads)));
    }
    return settled;
  });
}

/** Makes the change of an entry. */
function changeOf(entry: HistoryEntry): UnknownChange {
  const { command, ids, startedAt, sentAt = startedAt, ms, status } = entry;
  // The first ID is that of the resource, the others are those of its parts.
  const [id, ...parts] = ids;
  const at = Date.parse(sentAt);
  // Without a duration the change has no end on record: its process runs, or was killed.
  // `ms` was measured by the monotonic clock, which can fall behind the clock of the two timestamps.
  const until = ms === undefined ? undefined : Math.max(at, Date.parse(startedAt) + ms);
  const targets = parts.length === 0 ? undefined : parts;
  return { command, request: { key: id ?? '', id, at, until, status, targets }, entry };
}

/** Settles each change, several at once, and shows on stderr how many are done. */
async function settleEach(
  changes: readonly UnknownChange[],
  reads: Reads,
): Promise<readonly SettledChange[]> {
  const { client, limiter } = reads;
  const { settings, runtime } = client;
  const summary = new BatchSummary(changes.length, runtime.secrets.mask);
  const progress = showProgress(batchProgress(summary, limiter, runtime), settings, runtime);
  const { signal } = runtime;
  try {
    const answers = await readEach(changes, { limiter, signal }, (change) =>
      settleChange(change, reads).finally(() => summary.counts.ok++),
    );
    return changes.map((change, i) => {
      const answer = answers[i]!;
      if (!(answer instanceof Failure)) return { ...change, settlement: answer, readFailed: false };
      const settlement = cannotTell(`it could not be read: ${answer.facts.what}`);
      return { ...change, settlement, readFailed: true };
    });
  } finally {
    progress.stop();
  }
}

/** Settles the unknown requests of a journal, and writes the verdicts into it, under its lock. */
async function settleJournal(
  path: string,
  runs: readonly HistoryEntry[],
  reads: Reads,
): Promise<readonly SettledChange[]> {
  const { runtime, settings, flags } = reads.client;
  try {
    return await withExistingJournal(path, runtime, async (journal) => {
      const { origin, operation: command } = journal.header;
      checkOrigin(origin, settings);
      const changes = journal.unknownRequests().map((request): UnknownChange => {
        // The last run that had started by then sent the request.
        const entry = runs.findLast(({ startedAt }) => Date.parse(startedAt) <= request.at);
        return { command, request, entry, journal: resolve(path) };
      });
      const settled = await settleEach(changes, reads);
      for (const change of settled) writeJournal(journal, change);
      return settled;
    });
  } catch (error) {
    const { kind, facts } = asFailure(error);
    if (journalFlag(flags) !== undefined || !['usage', 'local_io'].includes(kind)) throw error;
    // Without --journal, a journal that a running batch has locked, or that was deleted, must not stop the other changes.
    const settlement = cannotTell(`its journal cannot be read: ${facts.what}`);
    return runs.map((entry) => ({ ...changeOf(entry), settlement, readFailed: false }));
  }
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

/** The exit codes to record for a change that was not applied (`no_answer`), and one that failed (`ended_badly`). */
const [NO_ANSWER, ENDED_BADLY] = [9, 10];

/** Writes the outcome of a request into its journal, and that of each part, if these are known. */
function writeJournal(
  journal: Journal,
  { request: { key, targets: requested }, settlement }: SettledChange,
): void {
  const { verdict, isMoving, parts } = settlement;
  if (verdict === 'cannot tell') return;
  if (verdict === 'not done') return journal.end(key, requested, 'unsent', NO_ANSWER);
  const end = (targets: Targets, outcome: SettledPart['outcome']) =>
    journal.end(key, targets, outcome, outcome === 'failed' ? ENDED_BADLY : 0);
  const whole = isMoving === true ? 'accepted' : 'done';
  // A request that named its targets ends by the outcome of each, if these are known.
  if (requested === undefined || parts === undefined)
    end(requested, verdict === 'failed' ? 'failed' : whole);
  for (const { id, outcome } of parts ?? []) end([id], outcome);
}

/** Writes the verdicts to the history, except on a change for which a read failed. */
function writeHistory(
  entries: readonly HistoryEntry[],
  settled: readonly SettledChange[],
  { runtime }: Call,
): void {
  if (isHistoryOff(runtime)) return;
  const settledAt = new Date(runtime.now()).toISOString();
  const lines: EntrySettlement[] = [];
  for (const { id } of entries) {
    const answers = settled.filter(({ entry }) => entry?.id === id);
    if (answers.some(({ readFailed }) => readFailed)) continue;
    // An answer without a journal is about all of a change, also of a batch whose journal cannot be read.
    const whole = answers.find(({ journal }) => journal === undefined)?.settlement;
    if (whole === undefined) lines.push({ id, settledAt, ...verdictOnBatch(answers) });
    else {
      const { verdict, why, isMoving = false } = whole;
      lines.push({ id, settledAt, verdict, why, isMoving });
    }
  }
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  if (text !== '') appendLines(historyPath(runtime), text);
}

/** Sums up the verdicts on the requests of a batch: it is settled once none of them is `cannot tell`. */
function verdictOnBatch(
  answers: readonly SettledChange[],
): Pick<EntrySettlement, 'verdict' | 'why' | 'verdicts'> {
  if (answers.length === 0)
    return { verdict: 'settled', why: 'no record of it is unknown any more' };
  const counts = countsOf(answers);
  const verdict = counts['cannot tell'] > 0 ? 'cannot tell' : 'settled';
  return { verdict, why: inWords(counts), verdicts: counts };
}

type Counts = Readonly<Record<Verdict, number>>;

function countsOf(settled: readonly SettledChange[]): Counts {
  const counts = { done: 0, 'not done': 0, failed: 0, 'cannot tell': 0 };
  for (const { settlement } of settled) counts[settlement.verdict]++;
  return counts;
}

const columns = ['verdict', 'operation', 'ids', 'sentAt', 'why', 'id'] as const;

/** Shows the verdicts and the next steps. */
async function show(settled: readonly SettledChange[], call: Call): Promise<void> {
  const { runtime, form, flags } = call;
  const items = settled.map(
    ({ command, request: { id, targets = [], at }, entry, settlement }) => ({
      id: (journalFlag(flags) === undefined ? entry?.id : id) ?? '-',
      operation: command,
      verdict: settlement.verdict,
      why: whyOf(settlement),
      ids: id === undefined ? [] : [id, ...targets],
      sentAt: new Date(at).toISOString(),
    }),
  );
  const counts = countsOf(settled);
  if (items.length > 0 || form === 'json')
    await printValue(call, columns, items, { items, counts });
  if (items.length > 0) runtime.note(inWords(counts));
  for (const line of await nextLines(settled, call)) runtime.note(line);
}

const whyOf = ({ why, againMs }: Settlement): string =>
  againMs === undefined ? why : `${why}; ask again in ${formatDuration(againMs)}`;

/** Returns the commands that repeat what was not applied, or failed. A batch that is run again sends only that. */
async function nextLines(
  settled: readonly SettledChange[],
  call: Call,
): Promise<readonly string[]> {
  const lines: CommandLine[] = [];
  const operations = await operationsByCommand();
  for (const {
    command,
    request: { id = '' },
    entry,
    journal,
    settlement,
  } of settled) {
    const { verdict } = settlement;
    if (verdict !== 'not done' && verdict !== 'failed') continue;
    // A single change that failed is repeated for its failed parts only, because the rest may have succeeded.
    const isSingle = journal === undefined && verdict === 'failed';
    const again = isSingle ? operations.get(command)?.settle?.again : undefined;
    const words = again === undefined ? recordedWords(entry) : withIds(again, () => [id]);
    const line = words && socialLine(words, call);
    if (line !== undefined && !lines.some((other) => isSameLine(line, other))) lines.push(line);
  }
  return lines.map((line) => labelledLine('try', line));
}

/** Returns the words of a recorded line; `undefined` if it has … in place of a typed text, and cannot be run again. */
function recordedWords(entry: HistoryEntry | undefined): SocialCommand | undefined {
  const { line } = entry ?? {};
  const words = line === undefined || line.includes('…') ? undefined : splitShellWords(line);
  return words && { words };
}

/** Formats `2 more at https://api.example.com: social -C prod history settle`. */
function elsewhereLines(entries: readonly HistoryEntry[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { origin, context } of entries) {
    const words = ['social', '-C', context ?? '', 'history', 'settle'];
    const place = context === null ? origin : labelledLine(origin, words);
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
