// `history settle`: finds out, only with reads, the outcome of unknown changes, and records it.

import { resolve } from 'node:path';
import { commandNamesOf } from '../../api/operations/fields.ts';
import type { Operation, Settle } from '../../api/operations/define-operation.ts';
import { everyOperation } from '../../api/operations/registry.ts';
import {
  cannotTell,
  type SettledPart,
  type Settlement,
  type Verdict,
  verdicts,
} from '../../api/operations/settle.ts';
import { formatDuration } from '../../base/durations.ts';
import { Failure, type Fault, usageFailure } from '../../base/errors.ts';
import { commandLine, shellQuote, suggestCommand } from '../../base/shell.ts';
import { type Journal, withExistingJournal } from '../../batch/journal/journal.ts';
import type { Targets, UnknownRequest } from '../../batch/journal/outcomes.ts';
import { createLimiter, readEach } from '../../batch/limiter.ts';
import type { Call } from '../../cli/command-spec.ts';
import { callOperation } from '../../client/call-operation.ts';
import { baseUrlOf, type Client, withClient } from '../../client/open-client.ts';
import type { Result } from '../../client/read-response.ts';
import { isHistoryOff } from '../../config/flags.ts';
import { SANDBOX, type Settings } from '../../config/settings.ts';
import { appendLines } from '../../fs/append-log.ts';
import { isRunning, withLongFileLock } from '../../fs/lock.ts';
import { whoAndWhere } from '../../fs/permissions.ts';
import {
  checkUndamaged,
  entryNamed,
  type EntrySettlement,
  type HistoryEntry,
  historyPath,
  readHistory,
} from '../../history/entries.ts';
import { asFailure } from '../../output/error-report.ts';
import { printValue } from '../../output/write-result.ts';

/** Settles under the lock of the history; a second settle fails instead of waiting. Throws if a read failed. */
export async function settle(call: Call): Promise<void> {
  const { runtime, operands, flags, argv } = call;
  if (flags['journal'] !== undefined && operands.length > 0)
    throw usageFailure({ field: '--journal', problem: 'cannot be combined with change IDs' });
  await withLongFileLock(historyPath(runtime), runtime, async () => {
    const history = readHistory(runtime);
    const chosen = chooseChanges(call, history.changes);
    const settled = await settleChosen(chosen, history.changes, call);
    // The verdicts are stored before they are shown, because showing them may fail.
    writeHistory(chosen, settled, call);
    // Changes at other services, and those on a damaged line, are missing here.
    const isComplete = chosen.elsewhere.length + history.damaged.length === 0;
    await show(settled, isComplete, call);
    for (const line of elsewhereLines(chosen.elsewhere)) runtime.note(line);
    checkUndamaged(history);
    checkReads(settled, argv);
  });
}

interface Chosen {
  readonly singles: readonly HistoryEntry[];
  /** The changes of each journal, by its path: as typed with `--journal`, otherwise absolute. */
  readonly journals: ReadonlyMap<string, readonly HistoryEntry[]>;
  /** Changes at other services, which cannot be read from here. */
  readonly elsewhere: readonly HistoryEntry[];
}

/** Chooses the changes to settle: those of a journal, the named ones, or all unknown ones. */
function chooseChanges(
  { operands, settings, flags }: Call,
  history: readonly HistoryEntry[],
): Chosen {
  const journal = flags['journal'] as string | undefined;
  if (journal !== undefined) {
    const entries = history.filter((entry) => entry.journal === resolve(journal) && isOpen(entry));
    return { singles: [], journals: new Map([[journal, entries]]), elsewhere: [] };
  }
  const chosen = operands.length > 0 ? namedChanges(operands, history) : history.filter(isOpen);
  const here = originIn(settings);
  const singles: HistoryEntry[] = [];
  const journals = new Map<string, HistoryEntry[]>();
  const elsewhere: HistoryEntry[] = [];
  for (const entry of chosen)
    if (entry.origin !== here) elsewhere.push(entry);
    else if (entry.journal === undefined) singles.push(entry);
    else journals.set(entry.journal, [...(journals.get(entry.journal) ?? []), entry]);
  return { singles, journals, elsewhere };
}

/** Returns the origin of the settings as the history records it: the sandbox has its name instead. */
const originIn = (settings: Settings): string =>
  settings.context === SANDBOX ? SANDBOX : new URL(baseUrlOf(settings)).origin;

/** True if the outcome is still to be found out: it is unknown, or was in progress at the last settling. */
const isOpen = ({ outcome, verdict = 'cannot tell', isMoving }: HistoryEntry): boolean =>
  outcome === 'unknown' && (verdict === 'cannot tell' || isMoving === true);

/** Finds the unknown changes whose IDs start with these texts. Throws `usage` if a text names no change. */
function namedChanges(
  operands: readonly string[],
  history: readonly HistoryEntry[],
): readonly HistoryEntry[] {
  const faults: Fault[] = [];
  const found = new Set<HistoryEntry>();
  for (const id of operands) {
    const match = entryNamed(id, history);
    if ('problem' in match) faults.push(match);
    else if (match.outcome === 'unknown') found.add(match);
  }
  if (faults.length > 0) throw usageFailure(faults, 'social history list');
  return [...found];
}

/** One change, or one request of a batch, with an unknown outcome. */
interface Question {
  /** The ID of the change in the history; with `--journal` that of the record. */
  readonly id: string;
  readonly operation: string;
  readonly ids: readonly string[];
  /** The IDs of the parts, such as targets, that its request named. */
  readonly parts?: readonly string[] | undefined;
  /** The range of time in which it may have been sent, by this machine's clock. */
  readonly sentAt: number;
  readonly sentUntil: number;
  /** The HTTP status of its response, if there was one. */
  readonly status?: number | undefined;
  /** The change in the history, or the run of the batch; absent if the history does not have it. */
  readonly entry?: HistoryEntry | undefined;
  /** The journal that has its request. */
  readonly journal?: string;
  /** The read that shows its outcome, and how that is judged; without one, the reason. */
  readonly rule?: Settle | undefined;
  readonly whyNoRead?: string | undefined;
}

interface Settled extends Question {
  readonly settlement: Settlement;
  readonly readFailed: boolean;
}

const READS_AT_ONCE = 8;
/** Above this number of reads, a note says how many there are. */
const MAX_WITHOUT_NOTE = 10;

/** Settles all chosen changes. If there are none, it opens no service. */
async function settleChosen(
  { singles, journals }: Chosen,
  history: readonly HistoryEntry[],
  call: Call,
): Promise<readonly Settled[]> {
  if (singles.length + journals.size === 0) return [];
  const { settings, runtime, flags } = call;
  const limits = { concurrency: READS_AT_ONCE, rate: undefined };
  const { signal } = runtime;
  const limiter = createLimiter(limits, settings, runtime, { signal });
  const operations = await operationsByWords();
  const options = { settings, flags, connections: READS_AT_ONCE };
  return withClient(options, runtime, async (opened) => {
    const client: Client = { ...opened, retryPolicy: limiter.retryPolicyOf('call') };
    const answer = async (questions: readonly Question[]): Promise<readonly Settled[]> => {
      if (questions.length > MAX_WITHOUT_NOTE) runtime.note(`checking ${questions.length} changes`);
      const answers = await readEach(questions, { limiter, signal }, (question) =>
        settleQuestion(question, history, client),
      );
      return questions.map((question, i) => settledBy(question, answers[i]!));
    };
    const settled = [
      ...(await answer(singles.map((entry) => questionOf(entry, operations, call)))),
    ];
    for (const [path, entries] of journals)
      settled.push(...(await settleJournal(path, entries, operations, call, answer)));
    return settled;
  });
}

type Operations = ReadonlyMap<string, Operation>;

async function operationsByWords(): Promise<Operations> {
  const operations = new Map<string, Operation>();
  for (const { operation } of await everyOperation())
    for (const { words } of commandNamesOf(operation)) operations.set(words.join(' '), operation);
  return operations;
}

/** A killed process may still have sent the request up to 30 s after it wrote its intent: the time to connect. */
const KILLED_WITHIN_MS = 30_000;

/** Makes the question about a change of the history without a journal. */
function questionOf(entry: HistoryEntry, operations: Operations, { runtime }: Call): Question {
  const { id, command, ids, count, startedAt, sentAt = startedAt, ms, status, pid } = entry;
  const lastSent = Date.parse(sentAt);
  // Without a duration the change has no end on record: its process runs, or was killed.
  const end = ms === undefined ? lastSent + KILLED_WITHIN_MS : Date.parse(startedAt) + ms;
  // The first ID is that of the resource, the others are those of its parts.
  const [first, ...parts] = ids;
  // `ms` was measured by the monotonic clock, which can fall behind the clock of the two timestamps.
  const times = { sentAt: lastSent, sentUntil: Math.max(lastSent, end) };
  const question = { id, operation: command, ids, ...times, status, entry };
  // Only a batch has a count.
  if (count !== undefined) {
    const whyNoRead =
      'it was a batch without --journal: its requests are not on record. See its results, or triage its list';
    return { ...question, whyNoRead };
  }
  if (mayRun(entry, runtime))
    return { ...question, whyNoRead: `it is running now, as process ${pid}` };
  const read = ruleOf(operations.get(command), first);
  return { ...question, parts: parts.length === 0 ? undefined : parts, ...read };
}

/** True if a change without an end may still be in progress: its process is alive on this machine. */
function mayRun({ exitCode, pid, host }: HistoryEntry, { env }: Call['runtime']): boolean {
  if (exitCode !== undefined || pid === undefined) return false;
  return host === whoAndWhere(env['SUDO_USER']).host && isRunning(pid);
}

/** Returns the read that shows the outcome; or why there is none, and where a person can check. */
function ruleOf(
  operation: Operation | undefined,
  id: string | undefined,
): Pick<Question, 'rule' | 'whyNoRead'> {
  const { settle: rule, inspect = 'Check in the service’s own console.' } = operation ?? {};
  return rule === undefined || id === undefined
    ? { whyNoRead: `no read shows it. ${inspect}` }
    : { rule };
}

/** Reads the subject of a change and judges it. Rejects if it cannot be read. */
async function settleQuestion(
  question: Question,
  history: readonly HistoryEntry[],
  client: Client,
): Promise<Settlement> {
  const { rule, whyNoRead = '', ids } = question;
  if (rule === undefined) return cannotTell(whyNoRead);
  const { runtime, settings } = client;
  // The path of the read has one field, the ID.
  const input = { [rule.read.places.path[0]!]: ids[0] };
  const requestedAt = runtime.now();
  try {
    const result = await callOperation(client, rule.read, input);
    const reading = { result, requestedAt, receivedAt: runtime.now() };
    const settlement = judgeReading({ ...question, rule }, reading);
    // The verdicts `done` and `failed` say that a change was applied: it may have been another one.
    if (!['done', 'failed'].includes(settlement.verdict)) return settlement;
    const other = otherChange(question, originIn(settings), history);
    if (other === undefined) return settlement;
    const { startedAt, id } = other;
    return cannotTell(`another change of this ${rule.noun} was sent at ${startedAt} (${id})`);
  } catch (error) {
    if (asFailure(error).kind !== 'not_found') throw error;
    return cannotTell(`the service has no such ${rule.noun}: it may have been deleted`);
  }
}

function settledBy(question: Question, answer: Settlement | Failure): Settled {
  if (!(answer instanceof Failure)) return { ...question, settlement: answer, readFailed: false };
  const settlement = cannotTell(`it could not be read: ${answer.facts.what}`);
  return { ...question, settlement, readFailed: true };
}

/** The response to a read, with the times of its request and its arrival by this machine's clock. */
interface Reading {
  readonly result: Result;
  readonly requestedAt: number;
  readonly receivedAt: number;
}

interface JudgedQuestion extends Pick<Question, 'sentAt' | 'sentUntil' | 'status' | 'parts'> {
  readonly rule: Settle;
}

/** A `Date` header counts whole seconds. */
const DATE_STEP_MS = 1000;
/** A response with this status or above came most likely from a gateway: the service may have it queued. */
const GATEWAY_STATUS = 502;

/** Judges the result of a read. A cached response could show the post before the change. */
export function judgeReading(
  { sentAt, sentUntil, status = 0, parts, rule: { judge } }: JudgedQuestion,
  { result: { data, serverTime, ageMs: cachedMs }, requestedAt, receivedAt }: Reading,
): Settlement {
  if (cachedMs !== undefined)
    return cannotTell(`the response came from a cache and is ${formatDuration(cachedMs)} old`);
  if (serverTime === undefined) return cannotTell('the response has no date to compare with');
  if (serverTime + DATE_STEP_MS <= sentAt) {
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
      parts,
      sent: { earliest: sentAt + leastAheadMs, latest: sentAt + mostAheadMs },
      // The earlier time, so that the change never seems older than it is, and `not done` is not concluded too early.
      ageMs: Math.min(requestedAt, serverTime) - sentUntil,
      gatewayAnswered: status >= GATEWAY_STATUS,
    });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return cannotTell(error.facts.what);
  }
}

/** Another change within this time, before or after, may explain the present state. */
const NEAR_MS = 15 * 60_000;

/**
 * Finds another change of the same resource from this machine, at about that time, that may have been applied. Runs of
 * the same journal are skipped, because no two of its records change the same part. A request of `social api` counts
 * too, with a path in place of IDs.
 */
const otherChange = (
  { ids: [id = ''], operation, sentAt, entry, journal }: Question,
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
      (other.command === operation || other.command.startsWith('api ')) &&
      // Only the first IDs of a large batch are on record, so it may have changed any post.
      (other.ids.some((otherId) => otherId.split('/').includes(id)) ||
        (other.count ?? 0) > other.ids.length) &&
      Math.abs(Date.parse(other.sentAt ?? other.startedAt) - sentAt) <= NEAR_MS,
  );

/** Settles the unknown requests of a journal, and writes the verdicts into it, under its lock. */
async function settleJournal(
  path: string,
  entries: readonly HistoryEntry[],
  operations: Operations,
  call: Call,
  answer: (questions: readonly Question[]) => Promise<readonly Settled[]>,
): Promise<readonly Settled[]> {
  const isTyped = call.flags['journal'] !== undefined;
  try {
    return await withExistingJournal(path, call.runtime, async (journal) => {
      checkOrigin(journal.header.origin, call);
      const requests = journal.unknownRequests();
      const { operation } = journal.header;
      const questions = requests.map((request): Question => {
        const { id, at, until = at + KILLED_WITHIN_MS, status, targets: parts } = request;
        // The last run that had started by then sent the request.
        const entry = entries.findLast(({ startedAt }) => Date.parse(startedAt) <= at);
        return {
          id: (isTyped ? id : entry?.id) ?? '-',
          operation,
          ids: id === undefined ? [] : [id],
          parts,
          sentAt: at,
          sentUntil: until,
          status,
          entry,
          journal: resolve(path),
          ...ruleOf(operations.get(operation), id),
        };
      });
      const settled = await answer(questions);
      for (const [i, request] of requests.entries())
        writeVerdict(journal, request, settled[i]!.settlement);
      return settled;
    });
  } catch (error) {
    const { kind, facts } = asFailure(error);
    if (isTyped || !['usage', 'local_io'].includes(kind)) throw error;
    // Without --journal, a journal that a running batch has locked, or that was deleted, must not stop the other changes.
    const settlement = cannotTell(`its journal cannot be read: ${facts.what}`);
    return entries.map((entry) => ({
      ...questionOf(entry, operations, call),
      settlement,
      readFailed: false,
    }));
  }
}

/** Throws for a journal of another service, whose posts cannot be read here. */
function checkOrigin(origin: string, { settings }: Call): void {
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
function writeVerdict(
  journal: Journal,
  { key, targets: requested }: UnknownRequest,
  { verdict, isMoving, parts }: Settlement,
): void {
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
  { singles, journals }: Chosen,
  settled: readonly Settled[],
  { runtime }: Call,
): void {
  if (isHistoryOff(runtime)) return;
  const settledAt = new Date(runtime.now()).toISOString();
  const lines: EntrySettlement[] = [];
  for (const { id } of [...singles, ...[...journals.values()].flat()]) {
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
  answers: readonly Settled[],
): Pick<EntrySettlement, 'verdict' | 'why' | 'verdicts'> {
  if (answers.length === 0)
    return { verdict: 'settled', why: 'no record of it is unknown any more' };
  const counts = countsOf(answers);
  const verdict = counts['cannot tell'] > 0 ? 'cannot tell' : 'settled';
  return { verdict, why: inWords(counts), verdicts: counts };
}

type Counts = Readonly<Record<Verdict, number>>;

function countsOf(settled: readonly Settled[]): Counts {
  const counts = { done: 0, 'not done': 0, failed: 0, 'cannot tell': 0 };
  for (const { settlement } of settled) counts[settlement.verdict]++;
  return counts;
}

/** Formats `2 done, 1 not done`. */
const inWords = (counts: Counts): string =>
  verdicts
    .filter((verdict) => counts[verdict] > 0)
    .map((verdict) => `${counts[verdict]} ${verdict}`)
    .join(', ');

const columns = ['verdict', 'operation', 'ids', 'sentAt', 'why', 'id'] as const;

/** Shows the verdicts and the next steps. `isComplete` is set if no change can be missing. */
async function show(settled: readonly Settled[], isComplete: boolean, call: Call): Promise<void> {
  const { runtime, form } = call;
  const items = settled.map(({ id, operation, ids, sentAt, settlement }) => ({
    id,
    operation,
    verdict: settlement.verdict,
    why: whyOf(settlement),
    ids,
    sentAt: new Date(sentAt).toISOString(),
  }));
  const counts = countsOf(settled);
  if (items.length > 0 || form === 'json')
    await printValue(call, columns, items, { items, counts });
  if (items.length > 0) runtime.note(inWords(counts));
  else if (isComplete) runtime.note('Nothing to settle');
  for (const line of nextLines(settled, call)) runtime.note(line);
}

const whyOf = ({ why, againMs }: Settlement): string =>
  againMs === undefined ? why : `${why}; ask again in ${formatDuration(againMs)}`;

/** Returns the commands that repeat what was not applied, or failed. A batch that is run again sends only that. */
function nextLines(settled: readonly Settled[], call: Call): readonly string[] {
  const lines = settled.map(({ rule, ids, entry, journal, settlement: { verdict } }) => {
    if (!['not done', 'failed'].includes(verdict)) return undefined;
    // A single change that failed is repeated for its failed parts only, because the rest may have succeeded.
    const again = journal === undefined && verdict === 'failed' ? rule?.again : undefined;
    return again?.replace(/\{\w+\}/, () => shellQuote(ids[0] ?? '')) ?? entry?.line;
  });
  // The history has … in place of a typed text: such a line cannot be run again.
  return [...new Set(lines)]
    .filter((line) => line !== undefined && !line.includes('…'))
    .map((line) => `try: ${suggestCommand(line!, call)}`);
}

/** Formats `2 more at https://api.example.com: social -C prod history settle`. */
function elsewhereLines(entries: readonly HistoryEntry[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { origin, context } of entries) {
    const how = context === null ? '' : `: social -C ${shellQuote(context)} history settle`;
    counts.set(`${origin}${how}`, (counts.get(`${origin}${how}`) ?? 0) + 1);
  }
  return [...counts].map(([place, count]) => `${count} more at ${place}`);
}

/** Throws if a read failed, because the outcome of that change is still unknown. */
function checkReads(settled: readonly Settled[], argv: readonly string[]): void {
  const unread = settled.filter(({ readFailed }) => readFailed);
  if (unread.length === 0) return;
  const readable = settled.filter(({ rule }) => rule !== undefined);
  throw new Failure('batch_failed', {
    what: `${unread.length} of ${readable.length} changes could not be checked`,
    next: commandLine(argv),
    hint: 'run it again: what is settled is not read a second time',
    sent: true,
    retryable: true,
  });
}
