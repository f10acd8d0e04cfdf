// `history settle`: finds out, only with reads, the outcome of unknown changes, and records it.

import { resolve } from 'node:path';
import { commandNamesOf } from '../../api/operations/command-names.ts';
import { anyChange } from '../../api/operations/any-path.ts';
import type { Operation } from '../../api/operations/define-operation.ts';
import { fieldsOf } from '../../api/operations/fields.ts';
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
import { quote } from '../../base/sanitize.ts';
import { commandLine, shellQuote, suggestCommand } from '../../base/shell.ts';
import {
  type Journal,
  type Targets,
  type UnknownRequest,
  withUnknownRequests,
} from '../../batch/journal/journal.ts';
import { eachLimited, type Limiter, limiterFor } from '../../batch/limiter.ts';
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
  resultOf,
} from '../../history/entries.ts';
import { asFailure } from '../../output/error-report.ts';
import { printRows } from '../../output/write-result.ts';

export async function settle(call: Call): Promise<void> {
  const { runtime, operands, flags, argv } = call;
  const journal = flags['journal'] as string | undefined;
  if (journal !== undefined && operands.length > 0)
    throw usageFailure({ field: '--journal', problem: 'cannot be combined with change IDs' });
  await withLongFileLock(historyPath(runtime), runtime, async () => {
    const history = readHistory(runtime);
    const chosen = chooseChanges(call, journal, history.changes);
    const settled = await settleChosen(chosen, history.changes, call);
    writeHistory(chosen, settled, call);
    const isAll = chosen.elsewhere.length === 0;
    await show(settled, isAll && history.damaged.length === 0, call);
    for (const line of elsewhereLines(chosen.elsewhere)) runtime.note(line);
    checkUndamaged(history);
    checkRead(settled, argv);
  });
}

const READS_AT_ONCE = 8;

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
  const { limiter, retryPolicy } = limiterFor(limits, settings, runtime, { signal });
  const operations = await operationsByWords();
  const options = { settings, flags, connections: READS_AT_ONCE };
  return withClient(options, runtime, async (opened) => {
    // Parallel reads show no progress, because each would draw a line.
    const client = { ...opened, settings: { ...settings, quiet: true }, retryPolicy };
    const judging: Judging = { call, client, limiter, operations, history };
    const questions = singles.map((entry) => questionOf(entry, judging));
    const settled = await settleQuestions(questions, judging);
    for (const [path, entries] of journals)
      settled.push(
        ...(await settleJournal(path, entries, judging, flags['journal'] !== undefined)),
      );
    return settled;
  });
}

interface Chosen {
  readonly singles: readonly HistoryEntry[];
  /** The changes that belong to each journal. */
  readonly journals: ReadonlyMap<string, readonly HistoryEntry[]>;
  /** Changes at other services, which cannot be read from here. */
  readonly elsewhere: readonly HistoryEntry[];
}

/** Chooses the changes to settle: those of a journal, the named ones, or all unknown ones. */
function chooseChanges(
  call: Call,
  journal: string | undefined,
  history: readonly HistoryEntry[],
): Chosen {
  if (journal !== undefined) {
    const entries = history.filter((entry) => entry.journal === resolve(journal) && isOpen(entry));
    return { singles: [], journals: new Map([[journal, entries]]), elsewhere: [] };
  }
  const { operands, settings } = call;
  const chosen = operands.length > 0 ? named(operands, history) : history.filter(isOpen);
  const here = originIn(settings);
  const changesHere = chosen.filter(({ origin }) => origin === here);
  const journals = new Map<string, HistoryEntry[]>();
  for (const entry of changesHere)
    if (entry.journal !== undefined)
      journals.set(entry.journal, [...(journals.get(entry.journal) ?? []), entry]);
  return {
    singles: changesHere.filter((entry) => entry.journal === undefined),
    journals,
    elsewhere: chosen.filter(({ origin }) => origin !== here),
  };
}

/** Returns the origin of the settings in the form of the history. */
const originIn = (settings: Settings): string =>
  settings.context === SANDBOX ? SANDBOX : new URL(baseUrlOf(settings)).origin;

const isOpen = ({ outcome, verdict = 'cannot tell', isMoving }: HistoryEntry): boolean =>
  outcome === 'unknown' && (verdict === 'cannot tell' || isMoving === true);

/** Finds the changes whose IDs start with these texts. Throws `usage` if there is none, or if its outcome is known. */
function named(
  operands: readonly string[],
  history: readonly HistoryEntry[],
): readonly HistoryEntry[] {
  const faults: Fault[] = [];
  const found = new Set<HistoryEntry>();
  for (const id of operands) {
    const entry = entryNamed(id, history);
    if ('problem' in entry) faults.push(entry);
    else if (entry.outcome === 'unknown') found.add(entry);
    else {
      const problem = `has a known outcome (${resultOf(entry)}): ${quote(id)}`;
      faults.push({ field: 'change ID', problem });
    }
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
  /** The range of time in which it may have been sent, by this machine's clock. */
  readonly sentAt: number;
  readonly sentUntil: number;
  /** The HTTP status of its response, if there was one. */
  readonly status?: number | undefined;
  readonly entry?: HistoryEntry | undefined;
  /** The journal that has its request. */
  readonly journal?: string;
  /** The read that shows it, and the parts that its request named; or why no read does. */
  readonly ask: Ask | Settlement;
}

interface Ask {
  readonly operation: Operation;
  readonly id: string;
  /** The parts that its request named. */
  readonly parts: readonly string[] | undefined;
}

interface Settled {
  readonly question: Question;
  readonly settlement: Settlement;
  /** Set if the read failed. */
  readonly unread?: Failure;
}

interface Judging {
  readonly call: Call;
  readonly client: Client;
  readonly limiter: Limiter;
  readonly operations: ReadonlyMap<string, Operation>;
  /** All recorded changes: another one may explain the present state. */
  readonly history: readonly HistoryEntry[];
}

async function operationsByWords(): Promise<ReadonlyMap<string, Operation>> {
  const all = await everyOperation();
  return new Map(
    all.flatMap(({ operation }) =>
      commandNamesOf(operation).map(({ words }) => [words.join(' '), operation] as const),
    ),
  );
}

/** A killed process may still have sent the request up to 30 s after it wrote its intent: the time to connect. */
const KILLED_WITHIN_MS = 30_000;

/** Makes the question about a change of the history without a journal. */
function questionOf(entry: HistoryEntry, { call, operations }: Judging): Question {
  const { id, command, ids, count, startedAt, sentAt = startedAt, ms, status } = entry;
  const last = Date.parse(sentAt);
  const end = ms === undefined ? last + KILLED_WITHIN_MS : Date.parse(startedAt) + ms;
  const [first, ...rest] = ids;
  const parts = rest.length === 0 ? undefined : rest;
  const ask =
    count !== undefined
      ? cannotTell(
          'it was a batch without --journal: its requests are not on record. See its results, or triage its list',
        )
      : mayRun(entry, call)
        ? cannotTell(`it is running now, as process ${entry.pid}`)
        : askAbout(operations.get(command) ?? anyChange, first, parts);
  const sentUntil = Math.max(last, end);
  return { id, operation: command, ids, sentAt: last, sentUntil, status, entry, ask };
}

/** True if a change without an end may still be in progress: its process is alive on this machine. */
function mayRun({ exitCode, pid, host }: HistoryEntry, { runtime }: Call): boolean {
  if (exitCode !== undefined || pid === undefined) return false;
  return host === whoAndWhere(runtime.env['SUDO_USER']).host && isRunning(pid);
}

/** Returns the read that shows the outcome; or why there is none, and where a person can check. */
function askAbout(
  operation: Operation,
  id: string | undefined,
  parts: readonly string[] | undefined,
): Ask | Settlement {
  const { settle: own, inspect = 'Check in the service’s own console.' } = operation;
  if (own === undefined) return cannotTell(`no read shows it. ${inspect}`);
  if (id === undefined) return cannotTell('the journal does not say which it is');
  return { operation, id, parts };
}

/** The progress is shown only for more reads than this. */
const FEW = 10;

/** Settles all questions, in order. Throws failures that every read would meet: a signal, a rejected token. */
async function settleQuestions(
  questions: readonly Question[],
  judging: Judging,
): Promise<Settled[]> {
  const asks = asksOf(questions);
  if (asks.length > FEW) judging.call.runtime.note(`reading ${asks.length} ${nounOf(asks)}s`);
  const settled: Settled[] = [];
  const { limiter, call } = judging;
  const { signal } = call.runtime;
  await eachLimited([...questions.entries()], { limiter, signal }, async ([i, question]) => {
    settled[i] = await settleQuestion(question, judging);
  });
  signal.throwIfAborted();
  return settled;
}

const asksOf = (questions: readonly Question[]): readonly Ask[] =>
  questions.map(({ ask }) => ask).filter((ask): ask is Ask => !('verdict' in ask));

/** Returns the word for what is read: `post`, or `record` for several kinds. */
function nounOf(asks: readonly Ask[]): string {
  const [noun = 'record', ...others] = new Set(
    asks.map(({ operation }) => {
      const { read } = operation.settle!;
      return fieldsOf(read).find(({ name }) => name === read.places.path[0])?.idKind;
    }),
  );
  return others.length === 0 ? noun : 'record';
}

async function settleQuestion(question: Question, judging: Judging): Promise<Settled> {
  const { ask } = question;
  if ('verdict' in ask) return { question, settlement: ask };
  try {
    const reading = await readAbout(ask, judging.client);
    const settlement = judgeReading(question, ask, reading);
    const { verdict } = settlement;
    const other =
      verdict === 'done' || verdict === 'failed' ? otherChange(question, judging) : undefined;
    if (other === undefined) return { question, settlement };
    const why = `another change of this ${nounOf([ask])} was sent at ${other.startedAt} (${other.id})`;
    return { question, settlement: cannotTell(why) };
  } catch (error) {
    const failure = asFailure(error);
    const { kind } = failure;
    if (kind === 'internal' || kind === 'unauthorized') throw error;
    if (kind === 'not_found')
      return {
        question,
        settlement: cannotTell(
          `the service has no such ${nounOf([ask])}: it may have been deleted`,
        ),
      };
    const settlement = cannotTell(`it could not be read: ${failure.facts.what}`);
    return { question, settlement, unread: failure };
  }
}

/** A response, with the times of its request and its arrival by this machine's clock. */
interface Reading {
  readonly result: Result;
  readonly sentAt: number;
  readonly receivedAt: number;
}

/** Reads the subject of a change. */
async function readAbout({ operation, id }: Ask, client: Client): Promise<Reading> {
  const { runtime } = client;
  const { read } = operation.settle!;
  const sentAt = runtime.now();
  const result = await callOperation(client, read, { [read.places.path[0]!]: id });
  return { result, sentAt, receivedAt: runtime.now() };
}

/** A `Date` header counts whole seconds. */
const DATE_STEP_MS = 1000;
/** A response with this status or above came most likely from a gateway: the service may still have the request. */
const GATEWAY_STATUS = 502;

/** Judges the result of a read. A cached response could show the post before the change. */
export function judgeReading(
  { sentAt: at, sentUntil, status = 0 }: Pick<Question, 'sentAt' | 'sentUntil' | 'status'>,
  { operation, parts }: Pick<Ask, 'operation' | 'parts'>,
  { result: { data, serverTime, ageMs }, sentAt, receivedAt }: Reading,
): Settlement {
  if (ageMs !== undefined)
    return cannotTell(`the response came from a cache and is ${formatDuration(ageMs)} old`);
  if (serverTime === undefined) return cannotTell('the response has no date to compare with');
  if (serverTime + DATE_STEP_MS <= at) {
    const date = new Date(serverTime).toISOString();
    return cannotTell(
      `the response is dated ${date}, before the change: it came from a cache, or a clock is wrong`,
    );
  }
  // A cached response looks like one of a service with a slow clock, so both are considered.
  const latest = Math.max(0, serverTime + DATE_STEP_MS - sentAt);
  try {
    return operation.settle!.judge(data, {
      parts,
      sent: { earliest: at + serverTime - receivedAt, latest: at + latest },
      ageMs: Math.min(sentAt, serverTime) - sentUntil,
      isFromGateway: status >= GATEWAY_STATUS,
    });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return cannotTell(error.facts.what);
  }
}

/** Another change within this time, before or after, may explain the present state. */
const NEAR_MS = 15 * 60_000;

/** Finds another change of the same resource from this machine, at about that time, that may have been applied. */
function otherChange(
  { ids: [id = ''], operation, sentAt, entry, journal }: Question,
  { call, history }: Judging,
): HistoryEntry | undefined {
  return history.find(
    (other) =>
      other.id !== entry?.id &&
      !(journal !== undefined && other.journal === journal) &&
      other.origin === originIn(call.settings) &&
      !['refused', 'unsent'].includes(other.outcome) &&
      other.verdict !== 'not done' &&
      (other.command === operation || other.command.startsWith('api ')) &&
      other.ids.some((otherId) => otherId.split('/').includes(id)) &&
      Math.abs(Date.parse(other.sentAt ?? other.startedAt) - sentAt) <= NEAR_MS,
  );
}

/** Settles the unknown requests of a journal, and writes the verdicts into it, under its lock. */
async function settleJournal(
  path: string,
  entries: readonly HistoryEntry[],
  judging: Judging,
  isGiven: boolean,
): Promise<readonly Settled[]> {
  const { call, operations } = judging;
  let isOpened = false;
  try {
    return await withUnknownRequests(path, call.runtime, async ({ heading, requests, journal }) => {
      isOpened = true;
      checkOrigin(heading.origin, call);
      const operation = operations.get(heading.operation) ?? anyChange;
      const questions = requests.map((request): Question => {
        const { id, at, until = at + KILLED_WITHIN_MS, status } = request;
        // The last run that had started by then sent the request.
        const entry = entries.findLast(({ startedAt }) => Date.parse(startedAt) <= request.at);
        return {
          id: (isGiven ? id : entry?.id) ?? '-',
          operation: heading.operation,
          ids: id === undefined ? [] : [id],
          sentAt: at,
          sentUntil: until,
          status,
          entry,
          journal: resolve(path),
          ask: askAbout(operation, id, request.targets),
        };
      });
      const settled = await settleQuestions(questions, judging);
      for (const [i, { settlement }] of settled.entries())
        writeVerdict(journal, requests[i]!, settlement);
      return settled;
    });
  } catch (error) {
    const failure = asFailure(error);
    if (isGiven || isOpened || !['usage', 'local_io'].includes(failure.kind)) throw error;
    // A running batch holds the journal, or it was deleted.
    const ask = cannotTell(`its journal cannot be read: ${failure.facts.what}`);
    return entries.map((entry) => ({
      question: { ...questionOf(entry, judging), ask },
      settlement: ask,
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

/** The exit codes of a change that was certainly not applied, and of one that was applied and failed. */
const [NOT_SENT, FAILED] = [9, 10];

/** Writes the outcome of a request: for all of it, and for each part whose state is known now. */
function writeVerdict(
  journal: Journal,
  { key, targets: requested }: UnknownRequest,
  { verdict, isMoving, parts }: Settlement,
): void {
  if (verdict === 'cannot tell') return;
  if (verdict === 'not done') return journal.end(key, requested, 'unsent', NOT_SENT);
  const end = (targets: Targets, outcome: SettledPart['outcome']) =>
    journal.end(key, targets, outcome, outcome === 'failed' ? FAILED : 0);
  const whole = isMoving === true ? 'accepted' : 'done';
  if (requested === undefined || parts === undefined)
    end(requested, verdict === 'failed' ? 'failed' : whole);
  for (const { id, outcome } of parts ?? []) end([id], outcome);
}

function writeHistory({ journals }: Chosen, settled: readonly Settled[], call: Call): void {
  const { runtime } = call;
  if (isHistoryOff(runtime)) return;
  const settledAt = new Date(runtime.now()).toISOString();
  const singles = settled.flatMap(({ question, settlement, unread }) => {
    const { entry, journal } = question;
    if (entry === undefined || journal !== undefined || unread !== undefined) return [];
    const { verdict, why, isMoving } = settlement;
    return [{ id: entry.id, settledAt, verdict, why, isMoving }];
  });
  const batches = [...journals.values()].flat().flatMap((entry) => {
    const verdict = verdictOnBatch(entry, settled);
    return verdict === undefined ? [] : [{ ...verdict, settledAt }];
  });
  const lines = [...singles, ...batches].map((line) => `${JSON.stringify(line)}\n`).join('');
  if (lines !== '') appendLines(historyPath(runtime), lines);
}

/** Returns the verdict on a batch; `undefined` while some of its records could not be read. */
function verdictOnBatch(
  { id }: HistoryEntry,
  settled: readonly Settled[],
): Omit<EntrySettlement, 'settledAt'> | undefined {
  const answers = settled.filter(({ question }) => question.entry?.id === id);
  if (
    answers.some(({ unread, question }) => unread !== undefined || question.journal === undefined)
  )
    return undefined;
  if (answers.length === 0)
    return { id, verdict: 'settled', why: 'no record of it is unknown any more' };
  const counts = countsOf(answers);
  const kinds = verdicts.filter((verdict) => counts[verdict] > 0);
  const mixed = counts['cannot tell'] > 0 ? 'cannot tell' : 'settled';
  const verdict = kinds.length === 1 ? kinds[0]! : mixed;
  return { id, verdict, why: inWords(counts), verdicts: counts };
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
  const items = settled.map(({ question: { id, operation, ids, sentAt }, settlement }) => ({
    id,
    operation,
    verdict: settlement.verdict,
    why: whyOf(settlement),
    ids,
    sentAt: new Date(sentAt).toISOString(),
  }));
  const counts = countsOf(settled);
  if (items.length > 0 || form === 'json') await printRows(call, columns, items, { items, counts });
  if (items.length > 0) runtime.note(inWords(counts));
  else if (isComplete) runtime.note('Nothing to settle');
  for (const line of nextLines(settled, call)) runtime.note(line);
}

const whyOf = ({ why, againMs }: Settlement): string =>
  againMs === undefined ? why : `${why}; ask again in ${formatDuration(againMs)}`;

/** Returns the next commands for changes that were not applied, or failed: the recorded line again. */
function nextLines(settled: readonly Settled[], call: Call): readonly string[] {
  const open = settled.filter(({ settlement: { verdict } }) =>
    ['not done', 'failed'].includes(verdict),
  );
  const batches = open.filter(({ question }) => question.journal !== undefined);
  const single = open.find(({ question }) => question.journal === undefined);
  const lines = new Set(batches.map(({ question }) => question.entry?.line));
  if (single !== undefined) lines.add(lineAfter(single));
  const whole = [...lines].filter((line) => line !== undefined && !line.includes('…'));
  return [
    ...(batches.length === 0
      ? []
      : ['a batch sends what was not done or failed when it is run again']),
    ...whole.map((line) => `try: ${suggestCommand(line!, call)}`),
  ];
}

/** Returns the recorded line; after a failure one for the failed parts only, because the rest may have succeeded. */
function lineAfter({ question, settlement: { verdict } }: Settled): string | undefined {
  const { ask, entry } = question;
  const again = 'verdict' in ask || verdict !== 'failed' ? undefined : ask.operation.settle?.again;
  return again?.replace(/\{\w+\}/, () => shellQuote(question.ids[0] ?? '')) ?? entry?.line;
}

/** Formats `2 more at https://api.example.com: social -C prod history settle`. */
function elsewhereLines(entries: readonly HistoryEntry[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { origin, context } of entries) {
    const how = context === null ? '' : `: social -C ${shellQuote(context)} history settle`;
    const place = `${origin}${how}`;
    counts.set(place, (counts.get(place) ?? 0) + 1);
  }
  return [...counts].map(([place, count]) => `${count} more at ${place}`);
}

/** Throws if something could not be read, because its outcome is still unknown. */
function checkRead(settled: readonly Settled[], argv: readonly string[]): void {
  const unread = settled.filter((answer) => answer.unread !== undefined);
  if (unread.length === 0) return;
  const asks = asksOf(settled.map(({ question }) => question));
  throw new Failure('batch_failed', {
    what: `${unread.length} of ${asks.length} ${nounOf(asks)}s could not be read`,
    next: commandLine(argv),
    hint: 'run it again: what is settled is not read a second time',
    sent: true,
    retryable: true,
  });
}
