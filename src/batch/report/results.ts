// The results of a batch on stdout as they arrive, and its failures on stderr. How both are shown is decided once, before
// the first record: `resultTexts` and `failureLines` make the functions that then format each record.

import { idOf, isChange } from '../../api/operations/define-operation.ts';
import type { Failure } from '../../base/errors.ts';
import { withCauses } from '../../client/remedies.ts';
import type { CallOutcome, ResultGatherer } from '../../client/session.ts';
import type { OutputForm } from '../../config/flags.ts';
import { cellContextFor, formOf, resultLayout, toTsv } from '../../output/write-result.ts';
import type { BatchRecord } from '../read/validate-records.ts';
import type { ResultRun } from '../session.ts';
import { eachFailure, onceEach } from './failure-lines.ts';
import { joinedWrites } from './joined-writes.ts';
import { jsonLines } from './record-json.ts';
import { type RecordText, recordLines, touchedParts } from './record-line.ts';

export interface BatchResults {
  /** Adds a result, a failure, or both if the wait for a result failed. */
  add(record: BatchRecord, ended: Partial<CallOutcome>): void;
  /** Resolves when all that was added is written. */
  shown(): Promise<void>;
  /** Writes all pending output. Rejects with `Failure('local_io')` if that fails. */
  end(): Promise<void>;
}

interface ResultOptions {
  /** Called before the summary is shown, because no progress may be drawn between its lines. */
  stopProgress(): void;
  /** Called once when stdout accepts nothing more: its reader has closed it, or a write failed. */
  onBroken(why: Failure): void;
}

/**
 * The way in which the records are shown. `gathered`: in one result at the end. `board`: only as counts on the board.
 * `lines`: those of a list, a line each. `tables`: those of typed IDs, a whole table each.
 */
type Display = 'gathered' | 'board' | 'lines' | 'tables' | Exclude<OutputForm, 'table'>;

/** Opens the output of a batch: each result as it arrives, or their summary. */
export async function batchResults(
  run: ResultRun,
  { stopProgress, onBroken }: ResultOptions,
): Promise<BatchResults> {
  const { hooks, call, source, runtime } = run;
  const gatherer = hooks.gather?.({ ...run, service: run.serviceOfRecords }, call);
  const display = displayOf(run, gatherer);
  const failureText = failureLines(run, display);
  const noteFailure = (record: BatchRecord, ended: Partial<CallOutcome>) => {
    const text = ended.failure === undefined ? '' : failureText(record, ended);
    if (text !== '') void runtime.stderr.write(text);
  };
  if (gatherer !== undefined) return gatheredResults(gatherer, noteFailure, stopProgress);
  const resultText = await resultTexts(run, display);
  const out = joinedWrites(runtime.stdout, onBroken);
  let isFirst = true;
  const show = (record: BatchRecord, ended: Partial<CallOutcome>, result: string) => {
    if (result !== '') {
      // Whole tables have an empty line between them.
      out.push(display === 'tables' && !isFirst ? `\n${result}` : result);
      isFirst = false;
    }
    noteFailure(record, ended);
  };
  const ordered = source === 'typed' ? inOrderOfLines(show) : undefined;
  return {
    add(record, ended) {
      const result = resultText(record, ended);
      if (ordered === undefined) show(record, ended, result);
      else ordered.add(record, ended, result);
    },
    shown: out.written,
    async end() {
      ordered?.end();
      await out.end();
    },
  };
}

/** Passes the results on as they arrive, and has them shown at the end. */
function gatheredResults(
  gatherer: ResultGatherer,
  noteFailure: (record: BatchRecord, ended: Partial<CallOutcome>) => void,
  stopProgress: () => void,
): BatchResults {
  return {
    add(record, ended) {
      if (ended.failure === undefined) gatherer.add(ended.data);
      else noteFailure(record, ended);
    },
    shown: async () => undefined,
    async end() {
      stopProgress();
      await gatherer.end();
    },
  };
}

/** Shows typed records in their order: one that ended before an earlier one is held back. */
function inOrderOfLines<Shown extends readonly [BatchRecord, ...unknown[]]>(
  show: (...shown: Shown) => void,
) {
  const ahead = new Map<number, Shown>();
  let next = 1;
  return {
    add(...shown: Shown) {
      ahead.set(shown[0].line, shown);
      for (let ready = ahead.get(next); ready !== undefined; ready = ahead.get(next)) {
        ahead.delete(next++);
        show(...ready);
      }
    },
    /** Shows the rest, behind a position without a result, such as that of an unstarted record. */
    end() {
      for (const [, shown] of [...ahead].toSorted(([a], [b]) => a - b)) show(...shown);
    },
  };
}

function displayOf(run: ResultRun, gatherer: ResultGatherer | undefined): Display {
  const { call, source, operation, settings, runtime, isDrawn } = run;
  if (gatherer !== undefined) return 'gathered';
  const form = formOf(settings, runtime.stdout);
  if (form !== 'table') return form;
  if (source === 'typed') return 'tables';
  // A list that is changed or waited for is shown by its board, unless a form was asked for; a read is a result.
  const isAsked = settings.output !== undefined || call.paths.length > 0;
  const isRead = !isChange(operation) && call.waiting === undefined;
  return isDrawn !== true || isAsked || isRead ? 'lines' : 'board';
}

/** Makes the function that formats a failure for stderr. */
function failureLines(run: ResultRun, display: Display): RecordText {
  const { stdout, stderr } = run.runtime;
  // At a terminal with a board the counts are in sight, and thousands of lines would push them away.
  const isByBoard = display === 'board' || display === 'gathered' || !stdout.isTTY;
  if (run.isDrawn === true && isByBoard) return onceEach(run);
  const isInResult = display === 'lines' && stderr.isTTY && stdout.isTTY;
  return isInResult || display === 'json' || display === 'ndjson' ? () => '' : eachFailure(run);
}

/** Makes the function that formats a result for stdout. */
async function resultTexts(run: ResultRun, display: Display): Promise<RecordText> {
  const { call, operation, settings, runtime, causeRules } = run;
  const { paths } = call;
  if (display === 'board') return () => '';
  if (display === 'json' || display === 'ndjson') return jsonLines(run, call);
  if (display === 'lines') return recordLines(run);
  const layOut = resultLayout(operation, paths);
  // With --fields a row has only these, otherwise it starts with the ID.
  const idOfRow = ({ input }: BatchRecord) =>
    paths.length === 0 ? runtime.secrets.mask(idOf(input)) : undefined;
  // These imports are dynamic because most pipes and programs need neither.
  if (display === 'tables') {
    const { tableText } = await import('../../output/table.ts');
    const cells = cellContextFor(settings, runtime);
    return ofData((_, { data }) =>
      tableText(
        layOut(paths.length === 0 ? withCauses(data, causeRules) : data),
        runtime.stdout.columns ?? 80,
        cells,
      ),
    );
  }
  const rowsOf = (record: BatchRecord, ended: Partial<CallOutcome>) =>
    layOut(touchedParts(ended, operation, record.input));
  if (display === 'tsv')
    return ofData((record, ended) => toTsv(rowsOf(record, ended), idOfRow(record)));
  const { toCsv } = await import('../../output/csv.ts');
  let hasHeading = true;
  return ofData((record, ended) => {
    const [name = ''] = Object.keys(record.input);
    const id = idOfRow(record);
    const text = toCsv(rowsOf(record, ended), {
      record: id === undefined ? undefined : [name, id],
      hasHeading,
    });
    hasHeading = false;
    return text;
  });
}

const ofData =
  (text: RecordText): RecordText =>
  (record, ended) =>
    ended.data === undefined ? '' : text(record, ended);
