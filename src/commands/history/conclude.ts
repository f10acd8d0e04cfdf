// The end of `history settle`: its verdicts in the history, in the journals, and on stdout.

import { type Settlement, type Verdict, verdicts } from '../../api/operations/settle.ts';
import { formatRoughDuration } from '../../base/durations.ts';
import { isHistoryOff, suggestCommand } from '../../config/flags.ts';
import { appendLines } from '../../fs/append-log.ts';
import { type EntrySettlement, type HistoryEntry, historyPath } from '../../history/entries.ts';
import { printRows } from '../../output/write-result.ts';
import type { Settled, Settling } from './questions.ts';

/** Writes the verdicts down, and shows them. */
export async function conclude(settling: Settling, settled: readonly Settled[]): Promise<void> {
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
    const { key, targets } = request;
    if (verdict === 'done') open.journal.end(key, targets, isMoving ? 'accepted' : 'done', 0);
    if (verdict === 'not done') open.journal.end(key, targets, 'unsent', NOT_SENT);
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

type Counts = Readonly<Record<Verdict, number>>;

function countsOf(settled: readonly Settled[]): Counts {
  const counts = { done: 0, 'not done': 0, 'cannot tell': 0 };
  for (const { settlement } of settled) counts[settlement.verdict]++;
  return counts;
}

/** `2 done, 1 not done` */
const inWords = (counts: Counts): string =>
  verdicts
    .filter((verdict) => counts[verdict] > 0)
    .map((verdict) => `${counts[verdict]} ${verdict}`)
    .join(', ');

const columns = ['verdict', 'operation', 'ids', 'sentAt', 'why', 'id'] as const;

async function show(
  { call, journals, where }: Settling,
  settled: readonly Settled[],
): Promise<void> {
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
  if (items.length === 0 && form !== 'json') {
    const at = where === undefined ? '' : ` at ${where}`;
    return runtime.note(`no outcome is unknown${at}`);
  }
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
