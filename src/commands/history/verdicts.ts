// The reads of `history settle`, the verdicts that they give, and where these are written: the history, the journals, and
// stdout.

import { get } from '../../api/operations/posts.ts';
import { commandNamesOf } from '../../api/operations/command-names.ts';
import type { Input } from '../../api/operations/define-operation.ts';
import { fieldsOf } from '../../api/operations/fields.ts';
import { type Settlement, type Verdict, verdicts } from '../../api/operations/settle.ts';
import { formatRoughDuration } from '../../base/durations.ts';
import { Failure } from '../../base/errors.ts';
import type { CallContext } from '../../client/call-context.ts';
import { callOperation } from '../../client/call-operation.ts';
import { isHistoryOff, suggestCommand } from '../../config/flags.ts';
import { appendLines } from '../../fs/append-log.ts';
import { type EntrySettlement, type HistoryEntry, historyPath } from '../../history/entries.ts';
import { clockOffset, type DatedAnswer, narrowed } from '../../history/service-clock.ts';
import { printRows } from '../../output/write-result.ts';
import { cannotTell, type Question } from './questions.ts';
import type { Settling } from './settle.ts';

interface Reading {
  /** The post; `gone` where the service has none. */
  readonly data: unknown;
  readonly sentAt: number;
  readonly receivedAt: number;
  readonly serverTime: number | undefined;
}

type Readings = Map<string, Reading>;

interface Settled {
  readonly question: Question;
  readonly settlement: Settlement;
  /** Whether the service was asked in vain. */
  readonly isUnread: boolean;
}

const GONE = Symbol('gone');

const keyOf = ({ asks }: Question): string => JSON.stringify(asks?.input);

/** Reads what has to be read as a batch, and writes and shows the verdicts. Throws the `Failure` of the batch. */
export async function settleQuestions(settling: Settling): Promise<void> {
  const { call, argv, batch, questions } = settling;
  const { settings, flags, runtime } = call;
  const inputs = new Map(
    questions.flatMap((question) =>
      question.asks === undefined ? [] : [[keyOf(question), question.asks.input] as const],
    ),
  );
  const readings: Readings = new Map();
  if (inputs.size === 0) return conclude(settling, judgeAll(settling, readings));
  const { runBatch } = await import('../../batch/run-batch.ts');
  const prepared = {
    operation: get,
    fields: fieldsOf(get),
    hooks: {
      before: async (input: Input, callContext: CallContext) => ({
        input,
        instead: { ...(await look(input, callContext, readings)), warnings: [] },
      }),
      gather: (callContext: CallContext) => ({
        add: () => undefined,
        end: async () =>
          settings.dryRun
            ? undefined
            : conclude(settling, await judgeClosely(settling, readings, callContext)),
      }),
    },
    spelling: commandNamesOf(get)[0]!,
    typed: { operands: [], flags },
    command: 'social history settle',
    inputs: [...inputs.values()],
    shared: {},
    notes: [],
    paths: [],
    waiting: undefined,
    filter: undefined,
    batch,
    settings,
    flags,
    argv,
  };
  try {
    await runBatch(prepared, batch, runtime);
  } catch (error) {
    throw error instanceof Failure && error.kind === 'batch_failed'
      ? unread(error, inputs.size)
      : error;
  }
}

/** The failure of the reads as what it means here. */
function unread({ facts }: Failure, count: number): Failure {
  const { failed } = facts.details as { readonly failed: number };
  return new Failure('batch_failed', {
    ...facts,
    what: `${failed} of ${count} posts could not be read`,
    next: 'social history settle',
    hint: 'run it again: what is settled is not read a second time',
  });
}

/** Reads a post and keeps when; that there is none is an answer too. */
async function look(input: Input, callContext: CallContext, readings: Readings): Promise<Reading> {
  const { now } = callContext.runtime;
  const sentAt = now();
  const answer = await callOperation(callContext, get, input).catch((error: unknown) => {
    if (error instanceof Failure && error.kind === 'not_found')
      return { data: GONE, serverTime: undefined };
    throw error;
  });
  const { data, serverTime } = answer;
  const reading = { data, sentAt, receivedAt: now(), serverTime };
  readings.set(JSON.stringify(input), reading);
  return reading;
}

/** Judges; where clocks are too coarse for a verdict, reads on until they are not. */
async function judgeClosely(
  settling: Settling,
  readings: Readings,
  callContext: CallContext,
): Promise<readonly Settled[]> {
  const isExact = callContext.service.source === 'sandbox';
  const first = judgeAll(settling, readings, isExact);
  const close = first.find(({ settlement }) => settlement.isClose === true);
  if (close?.question.asks === undefined || isExact) return first;
  const { input } = close.question.asks;
  const read = async () => dated(await look(input, callContext, new Map()));
  const answers = await narrowed(datedIn(readings), read, callContext.runtime).catch(
    () => undefined,
  );
  return answers === undefined ? first : judgeAll(settling, readings, isExact, answers);
}

function dated({ sentAt, receivedAt, serverTime }: Reading): DatedAnswer | undefined {
  return serverTime === undefined ? undefined : { sentAt, receivedAt, serverTime };
}

const datedIn = (readings: Readings): readonly DatedAnswer[] =>
  [...readings.values()].flatMap((reading) => dated(reading) ?? []);

/** The verdict on each question. The embedded service has the clock of this machine. */
function judgeAll(
  settling: Settling,
  readings: Readings,
  isExact = false,
  answers = datedIn(readings),
): readonly Settled[] {
  const offset = isExact ? { earliest: 0, latest: 0 } : clockOffset(answers);
  return settling.questions.map((question) => {
    const reading = readings.get(keyOf(question));
    const { told, asks } = question;
    if (told !== undefined || asks === undefined)
      return { question, settlement: told ?? cannotTell('no read shows it'), isUnread: false };
    if (reading === undefined)
      return { question, settlement: cannotTell('it could not be read'), isUnread: true };
    return { question, settlement: judged(question, reading, offset, settling), isUnread: false };
  });
}

function judged(
  question: Question,
  { data, sentAt }: Reading,
  offset: ReturnType<typeof clockOffset>,
  settling: Settling,
): Settlement {
  const { asks, sentAt: at, sentUntil } = question;
  if (data === GONE) return cannotTell('the service has no such post: it may have been deleted');
  if (offset === undefined) return cannotTell('the service’s answer has no date to compare with');
  try {
    const parts = asks!.parts(data);
    if (parts === 'gone') return cannotTell('a target that was named is gone');
    const settlement = asks!.operation.settle!.judge(data, {
      parts,
      sent: { earliest: at + offset.earliest, latest: at + offset.latest },
      ageMs: sentAt - sentUntil,
    });
    const other = settlement.verdict === 'done' ? otherRetry(question, settling) : undefined;
    if (other === undefined) return settlement;
    return cannotTell(`another change of this post was sent at ${other.startedAt} (${other.id})`);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return cannotTell(error.facts.what);
  }
}

/** How long before or after it another change may explain what is seen. */
const NEAR_MS = 15 * 60_000;

/** Another change of the same post from this machine, at about that time, that may have been done. */
function otherRetry(
  { ids, sentAt, entry, request }: Question,
  { history, journals }: Settling,
): HistoryEntry | undefined {
  const own = new Set(
    journals.flatMap(({ path, entries }) => [path, ...entries.map(({ id }) => id)]),
  );
  return history.find(
    (each) =>
      each.id !== entry?.id &&
      !(request !== undefined && own.has(each.id)) &&
      !['refused', 'unsent'].includes(each.outcome) &&
      each.verdict !== 'not done' &&
      each.command.endsWith('retry') &&
      each.ids.includes(ids[0] ?? '') &&
      Math.abs(Date.parse(each.startedAt) - sentAt) <= NEAR_MS,
  );
}

/** Writes the verdicts down, and shows them. */
async function conclude(settling: Settling, settled: readonly Settled[]): Promise<void> {
  writeJournals(settling, settled);
  writeHistory(settling, settled);
  await show(settling, settled);
}

function writeJournals({ journals }: Settling, settled: readonly Settled[]): void {
  for (const { question, settlement } of settled) {
    const { request } = question;
    const open = journals.find(
      ({ requests }) => request !== undefined && requests.includes(request),
    );
    if (open === undefined || request === undefined) continue;
    const { verdict, isMoving } = settlement;
    if (verdict === 'done')
      open.journal.end(request.keys, request.id, isMoving ? 'accepted' : 'done', 0);
    if (verdict === 'not done') open.journal.end(request.keys, request.id, 'unsent', NOT_SENT);
  }
}

/** The exit code of what cannot have changed anything. */
const NOT_SENT = 9;

function writeHistory({ call, journals }: Settling, settled: readonly Settled[]): void {
  const { runtime } = call;
  if (isHistoryOff(runtime)) return;
  const settledAt = new Date(runtime.now()).toISOString();
  const read = settled.filter(({ isUnread }) => !isUnread);
  const single = read.flatMap(({ question, settlement }) => {
    const { entry, request } = question;
    if (entry === undefined || request !== undefined) return [];
    const { verdict, why } = settlement;
    return [{ id: entry.id, settledAt, verdict, why }];
  });
  const batches = journals.flatMap((open) =>
    open.entries
      .flatMap((entry) => batchSettlement(entry, settled))
      .map((each) => ({ ...each, settledAt })),
  );
  const lines = [...single, ...batches].map((line) => `${JSON.stringify(line)}\n`).join('');
  if (lines !== '') appendLines(historyPath(runtime), lines);
}

/** What became of a batch; nothing where some of its records could not be read. */
function batchSettlement(
  entry: HistoryEntry,
  settled: readonly Settled[],
): readonly Omit<EntrySettlement, 'settledAt'>[] {
  const { id } = entry;
  const own = settled.filter(
    ({ question }) => question.entry === undefined || question.entry.id === id,
  );
  if (own.length === 0)
    return [{ id, verdict: 'settled', why: 'no record of it is unknown any more' }];
  if (own.some(({ isUnread }) => isUnread)) return [];
  const counts = countsOf(own);
  const kinds = verdicts.filter((verdict) => counts[verdict] > 0);
  const [only = 'settled'] =
    kinds.length === 1 ? kinds : counts['cannot tell'] > 0 ? (['cannot tell'] as const) : [];
  return [{ id, verdict: only, why: inWords(counts), verdicts: counts }];
}

const countsOf = (settled: readonly Settled[]): Readonly<Record<Verdict, number>> => {
  const count = (verdict: Verdict) =>
    settled.filter(({ settlement }) => settlement.verdict === verdict).length;
  return {
    done: count('done'),
    'not done': count('not done'),
    'cannot tell': count('cannot tell'),
  };
};

/** `2 done, 1 not done` */
const inWords = (counts: Readonly<Record<Verdict, number>>): string =>
  verdicts
    .filter((verdict) => counts[verdict] > 0)
    .map((verdict) => `${counts[verdict]} ${verdict}`)
    .join(', ');

const columns = ['verdict', 'operation', 'ids', 'sentAt', 'why', 'id'] as const;

async function show({ call, journals }: Settling, settled: readonly Settled[]): Promise<void> {
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
  if (items.length === 0 && form !== 'json') return runtime.note('no outcome is unknown');
  await printRows(call, columns, items, { items, counts });
  if (items.length === 0) return;
  runtime.note(inWords(counts));
  for (const line of nextLines(settled, journals, call)) runtime.note(line);
}

const whyOf = ({ why, againMs }: Settlement): string =>
  againMs === undefined
    ? why
    : `${why}; ask again in ${formatRoughDuration(Math.max(againMs, 1000))}`;

/** What to do about what was not done: the same command again, where it is on record as it was typed. */
function nextLines(
  settled: readonly Settled[],
  journals: Settling['journals'],
  call: Settling['call'],
): readonly string[] {
  const undone = settled
    .filter(({ settlement }) => settlement.verdict === 'not done')
    .map(({ question }) => question);
  const resumed = journals.filter(({ requests }) =>
    undone.some(({ request }) => request !== undefined && requests.includes(request)),
  );
  const single = undone.filter(({ request }) => request === undefined).slice(0, 1);
  const lines = [
    ...resumed.map(({ entries }) => entries.at(-1)?.line),
    ...single.map(({ entry }) => entry?.line),
  ];
  const whole = lines.flatMap((line) => (line === undefined || line.includes('…') ? [] : [line]));
  return [
    ...(resumed.length === 0 ? [] : ['a batch sends what was not done when it is run again']),
    ...whole.map((line) => `try: ${suggestCommand(line, call)}`),
  ];
}
