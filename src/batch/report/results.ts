// The results of a batch on stdout as they arrive, in whole lines, and the failures of the table and TSV forms on
// stderr. Joins results that arrive together into one write.

import stringWidth from 'fast-string-width';
import {
  idOf,
  type Input,
  isChange,
  type Operation,
} from '../../api/operations/define-operation.ts';
import type { Tone } from '../../api/schema/rules.ts';
import { asFailure, Failure, isSignal } from '../../base/errors.ts';
import { toJson } from '../../base/json.ts';
import type { OutputStream } from '../../base/runtime.ts';
import { excerpt, sanitizeLine, stripControls } from '../../base/sanitize.ts';
import type { Session, CallOutcome, ResultGatherer } from '../../client/session.ts';
import {
  readFailure,
  readTargets,
  targetsTone,
  targetErrorLines,
  type TargetError,
  targetErrorsIn,
  withCauses,
} from '../../client/remedies.ts';
import type { CauseRule } from '../../client/taught-causes.ts';
import type { OperationCall } from '../../input/collect-input.ts';
import { cellFor, type CellContext } from '../../output/cell.ts';
import { isJsonForm } from '../../config/flags.ts';
import { colorsFor } from '../../output/color.ts';
import { pick, type TableView, valueAt } from '../../output/table-view.ts';
import { briefFailure, errorObject } from '../../output/error-report.ts';
import { maskSecretFields } from '../../output/redact.ts';
import { GLUE, wrapText } from '../../output/wrap.ts';
import { cellContextFor, formOf, resultLayout, toTsv } from '../../output/write-result.ts';
import type { BatchSession } from '../session.ts';
import { failureTexts } from './summary.ts';
import {
  type BatchRecord,
  labelOf,
  namedTargets,
  type RecordSource,
} from '../read/validate-records.ts';

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

/** Each result of a list is one line, that of a typed ID a whole table. */
type ResultRun = Omit<Session, 'service'> &
  RecordSource &
  Pick<BatchSession, 'call' | 'serviceOfRecords' | 'board'>;

const CLOSED = 'closed_pipe';
/** The maximum number of distinct errors that are shown while a batch runs. */
const MAX_DISTINCT = 20;
/** The maximum number of platform errors in the line of a post. */
const MAX_TARGET_ERRORS = 5;
const MAX_ERROR_LENGTH = 300;

type Shown = readonly [stdout: string, stderr: string];
type Renderer = (record: BatchRecord, ended: Partial<CallOutcome>) => Shown;

/** Opens the output of a batch: each result as it arrives, or their summary. */
export async function batchResults(
  run: ResultRun,
  { stopProgress, onBroken }: ResultOptions,
): Promise<BatchResults> {
  const { hooks, call, source, runtime, settings } = run;
  const gatherer = hooks.gather?.({ ...run, service: run.serviceOfRecords }, call);
  if (gatherer !== undefined) return gatheredResults(run, gatherer, stopProgress);
  const { stdout, stderr } = runtime;
  const out = stdoutWriter(stdout, onBroken);
  const render = await renderer(run);
  /** Typed records that ended before an earlier one, by position. */
  const ahead = new Map<number, Shown>();
  let next = 1;
  // Whole tables have an empty line between them.
  const isSpaced = source === 'typed' && formOf(settings, stdout) === 'table';
  let gap = '';

  const write = ([result, line]: Shown) => {
    if (result !== '') {
      out.push(gap + result);
      if (isSpaced) gap = '\n';
    }
    if (line !== '') void stderr.write(line);
  };
  return {
    add(record, ended) {
      const rendered = render(record, ended);
      if (source === 'list') return write(rendered);
      ahead.set(record.line, rendered);
      for (let ready = ahead.get(next); ready !== undefined; ready = ahead.get(next)) {
        ahead.delete(next++);
        write(ready);
      }
    },
    shown: out.written,
    async end() {
      // A position without a result, such as an unstarted record, has held back those after it.
      for (const [, shown] of [...ahead].toSorted(([a], [b]) => a - b)) write(shown);
      await out.end();
    },
  };
}

/** Passes the results on as they arrive, and has them shown at the end; failures are lines on stderr. */
function gatheredResults(
  run: ResultRun,
  gatherer: ResultGatherer,
  stopProgress: () => void,
): BatchResults {
  const { runtime } = run;
  const errors = distinctErrors(run);
  return {
    add(record, ended) {
      const { data, failure } = ended;
      if (failure === undefined) return gatherer.add(data);
      if (run.board !== undefined) return void runtime.stderr.write(errors(record, ended));
      const label = labelOf(record, run, runtime.secrets.mask);
      runtime.note(`error: ${label}: ${sanitizeLine(briefFailure(failure).facts.what)}`);
    },
    shown: async () => undefined,
    async end() {
      stopProgress();
      await gatherer.end();
    },
  };
}

/** Makes the function that formats a record for stdout and stderr, in the requested form. */
async function renderer(run: ResultRun): Promise<Renderer> {
  const { call, source, operation, settings, runtime, causeRules, board } = run;
  const { stdout, stderr, secrets } = runtime;
  const { paths } = call;
  const form = formOf(settings, stdout);
  const isLine = form === 'table' && source === 'list';
  const errors = distinctErrors(run);
  // A list that is changed or waited for is shown by its board, unless a form was asked for; a read is a result.
  const isOnBoard =
    settings.output === undefined &&
    paths.length === 0 &&
    (isChange(operation) || call.waiting !== undefined);
  if (board !== undefined && isLine && isOnBoard)
    return (record, ended) => ['', errors(record, ended)];
  if (isJsonForm(form)) {
    const render = jsonRenderer(run, call);
    if (board === undefined || stdout.isTTY) return render;
    return (record, ended) => [render(record, ended)[0], errors(record, ended)];
  }
  const layOut = resultLayout(operation, paths);
  const cells = cellContextFor(settings, runtime);
  // This import is dynamic because pipes and programs do not need it.
  const table = form === 'table' && !isLine ? await import('../../output/table.ts') : undefined;
  const csv = form === 'csv' ? await import('../../output/csv.ts') : undefined;
  let hasHeading = true;
  const format = (record: BatchRecord, ended: Partial<CallOutcome>): string => {
    const { data } = ended;
    const id = secrets.mask(idOf(record.input));
    const width = stdout.columns ?? 80;
    // With --fields a row has only these, otherwise it starts with the ID.
    const ofRecord = paths.length === 0 ? id : undefined;
    if (csv !== undefined) {
      const [name = ''] = Object.keys(record.input);
      const text = csv.toCsv(layOut(touched(ended, operation, record.input)), {
        record: ofRecord === undefined ? undefined : [name, ofRecord],
        hasHeading,
      });
      hasHeading = false;
      return text;
    }
    if (form !== 'table') return toTsv(layOut(touched(ended, operation, record.input)), ofRecord);
    if (table !== undefined) {
      const view = layOut(paths.length === 0 ? withCauses(data, causeRules) : data);
      return table.tableText(view, width, cells);
    }
    const view = layOut(touched(ended, operation, record.input));
    const shown = { id: sanitizeLine(id), view, status: toneOf(ended, operation) };
    const line = recordLine(shown, width, cells);
    const below = errorsOfTargets(ended, run);
    return below === '' ? line : hanging(`${line.trimEnd()}  ${below}`, width);
  };
  /** Formats a failure without data as the line of its record. */
  const failedLine = (record: BatchRecord, failure: Failure): string => {
    const status = toneOf({ failure }, operation);
    const id = sanitizeLine(secrets.mask(idOf(record.input)));
    const start = settings.accessible
      ? `${id} ${words[status]}: `
      : `${signOf(status, cells.colors)} ${id}  `;
    const where = `(${run.unit} ${record.line})`;
    return hanging(`${start}${briefly(failure)} ${where}`, stdout.columns ?? 80);
  };
  return (record, ended) => {
    const { data, failure } = ended;
    const result = data === undefined ? '' : format(record, ended);
    // The line on stdout shows the failure already, with a cross.
    if (failure === undefined || (isLine && data !== undefined && stderr.isTTY))
      return [result, ''];
    if (isLine && stderr.isTTY && stdout.isTTY) return [failedLine(record, failure), ''];
    if (board !== undefined && !stdout.isTTY) return [result, errors(record, ended)];
    // An interrupted record has not failed.
    const prefix = isSignal(failure.kind) ? '' : 'error: ';
    const label = labelOf(record, run, secrets.mask);
    const line = `${prefix}${label}: ${briefly(failure)}`;
    return [result, `${stderr.isTTY ? wrapText(line, stderr.columns) : line}\n`];
  };
}

/** Formats a failure in one line, with the ID by which the service knows its request. */
function briefly(failure: Failure): string {
  const { what, requestId } = briefFailure(failure).facts;
  return sanitizeLine(what + (requestId === undefined ? '' : ` (request id: ${requestId})`));
}

function jsonRenderer(
  { operation, causeRules }: Pick<Session, 'operation' | 'causeRules'>,
  { fields, paths }: OperationCall,
): Renderer {
  const all = paths.length === 0;
  const hasSecrets = fields.some(({ secret }) => secret);
  const isRead = !isChange(operation);
  return ({ line, input: rawInput }, { data, json, failure, bad, isSkipped = false }) => {
    const input = toJson(hasSecrets ? maskSecretFields(fields, rawInput) : rawInput);
    // The response to a change that succeeded may show targets that had failed before.
    const shownData = isRead || failure !== undefined ? data : undefined;
    const cause = causeMembers(failure, targetErrorsIn(shownData, bad), causeRules);
    const start = `{"line":${line},"input":${input},"ok":${failure === undefined},"exitCode":${failure?.exitCode ?? 0}${cause}`;
    const dataText = () =>
      all && json !== undefined ? json : toJson(all ? data : pick(data, paths));
    const result = data === undefined ? '' : `,"data":${dataText()}`;
    const skipped = isSkipped ? ',"skipped":true' : '';
    if (failure === undefined) return [`${start}${skipped}${result}}\n`, ''];
    const { error } = errorObject(failure) as { error: object };
    return [`${start}${result},"error":${toJson(error)}}\n`, ''];
  };
}

/** Formats `,"cause":"…","readFrom":"…"` for a failure, or for a post with failed targets; else an empty text. */
function causeMembers(
  failure: Failure | undefined,
  targetErrors: readonly TargetError[],
  rules: readonly CauseRule[],
): string {
  // A pending result has no cause yet, whether its time ran out or a signal ended its wait.
  if (failure?.kind === 'still_pending' || failure?.facts.waitStopped === true) return '';
  if (failure === undefined && targetErrors.length === 0) return '';
  const { cause, readFrom } =
    failure === undefined
      ? readTargets(targetErrors, rules)
      : readFailure(failure, targetErrors, rules);
  return `,"cause":"${cause}"${readFrom === undefined ? '' : `,"readFrom":${toJson(readFrom)}`}`;
}

/**
 * Makes the function that formats the errors of a record that no record before it had: `✗ temporary: X answered 429
 * (line 3: PostSpringLaunch)`. The summary has the number of each.
 */
function distinctErrors(run: ResultRun) {
  const { runtime, causeRules, settings } = run;
  const { stderr, secrets } = runtime;
  const shown = new Set<string>();
  return (record: BatchRecord, { data, bad, failure }: Partial<CallOutcome>): string => {
    if (failure === undefined || isSignal(failure.kind)) return '';
    const { cause, texts } = failureTexts(record.input, { data, bad, failure }, causeRules);
    const sign = signOf(toneOf({ failure }, run.operation), colorsFor(stderr, settings, runtime));
    return texts
      .filter((text) => shown.size < MAX_DISTINCT && !shown.has(`${cause} ${text}`))
      .map((text) => {
        shown.add(`${cause} ${text}`);
        const label = labelOf(record, run, secrets.mask);
        const more = shown.size === MAX_DISTINCT ? '; other errors are in the summary' : '';
        const line = `${cause}: ${excerpt(secrets.mask(text), MAX_ERROR_LENGTH)} (${label})${more}`;
        return `${sign} ${wrapText(sanitizeLine(line), (stderr.columns ?? 80) - 3).replaceAll('\n', '\n  ')}\n`;
      })
      .join('');
  };
}

/** Returns the tone of a line. The status of a read is that of the post, not of the request. */
function toneOf(
  { data, failure, isSkipped }: Partial<CallOutcome>,
  operation: Operation,
): RecordTone {
  if (failure?.kind === 'outcome_unknown') return 'unknown';
  if (failure?.kind === 'still_pending') return 'moving';
  if (failure !== undefined) return 'bad';
  if (isSkipped === true) return 'still';
  return isChange(operation) ? 'good' : targetsTone(data);
}

/** Keeps only the targets that a record was about, or names: others of the post may have failed before. */
function touched(
  { data, about }: Partial<CallOutcome>,
  operation: Operation,
  input: Input,
): unknown {
  const { rows = '' } = operation;
  const named = about ?? namedTargets(input, operation);
  const parts = valueAt(data, rows);
  if (named === undefined || !Array.isArray(parts)) return data;
  return {
    ...(data as object),
    [rows]: parts.filter((part) => named.includes(String(valueAt(part, 'id')))),
  };
}

/** The maximum number of fields on a line: of a result, and of each row of a list. */
const MAX_CELLS = 4;
const CELLS_OF_A_ROW = 2;

/** The tone of a line; `unknown` has the colour of what is in progress, and a sign and a word of its own. */
type RecordTone = Tone | 'unknown';

const signOf = (tone: RecordTone, colors: CellContext['colors']): string =>
  tone === 'unknown' ? colors.moving('?') : colors[tone](colors.signs[tone]);

/** The words for the signs in accessible mode. */
const words: Readonly<Record<RecordTone, string>> = {
  unknown: 'unknown',
  good: 'done',
  bad: 'failed',
  moving: 'in progress',
  still: 'unchanged',
};

/**
 * Formats `✗ PostSpringLaunch linkedin ✓ published, mastodon ✗ failed`, with as many fields as fit into `width`; in
 * accessible mode `PostSpringLaunch failed: linkedin published, mastodon failed`.
 */
export function recordLine(
  {
    id,
    view,
    status,
  }: { readonly id: string; readonly view: TableView; readonly status: RecordTone },
  width: number,
  cellContext: CellContext,
): string {
  const { colors, accessible: isSpoken = false } = cellContext;
  const cells = (row: readonly unknown[], most: number) =>
    row
      .slice(0, most)
      .map((value, i) => cellFor(view.columns[i]!, value, cellContext).replaceAll(GLUE, ' '))
      .filter((text) => text !== id);
  const parts = view.isList
    ? view.rows.map((row) => cells(row, CELLS_OF_A_ROW).join(' '))
    : cells(view.rows[0] ?? [], MAX_CELLS);
  const firstGap = isSpoken ? ': ' : '  ';
  const otherGap = isSpoken || view.isList ? ', ' : '  ';
  let line = isSpoken ? `${id} ${words[status]}` : `${signOf(status, colors)} ${id}`;
  for (const [i, part] of parts.entries()) {
    const longer = line + (i === 0 ? firstGap : otherGap) + part;
    // The line is cut between fields, because a field cut in the middle misleads.
    if (stringWidth(longer) > width - 1) return stripControls(`${line} …\n`);
    line = longer;
  }
  return stripControls(`${line}\n`);
}

/** Wraps the line of a record; its further lines are indented. */
const hanging = (line: string, width: number): string =>
  `${wrapText(line, width - 4).replaceAll('\n', '\n    ')}\n`;

/** Formats the errors of the targets: `linkedin: The session has expired (reconnect); … 2 more`. */
function errorsOfTargets(
  { data, failure, bad }: Partial<CallOutcome>,
  { operation, causeRules }: Pick<Session, 'operation' | 'causeRules'>,
): string {
  // The response to a change that succeeded may show targets that had failed before.
  if (isChange(operation) && failure === undefined) return '';
  const errors = targetErrorLines(data, bad, causeRules);
  const shown = errors
    .slice(0, MAX_TARGET_ERRORS)
    .map((error) => sanitizeLine(excerpt(error, MAX_ERROR_LENGTH)));
  const more = errors.length - MAX_TARGET_ERRORS;
  return [...shown, ...(more > 0 ? [`… ${more} more`] : [])].join('; ');
}

/** Makes the writer to stdout, which joins all text that is added during a write into the next one. */
function stdoutWriter(stdout: OutputStream, onBroken: (why: Failure) => void) {
  let pending = '';
  let writing: Promise<void> | undefined;
  let broken: Failure | undefined;

  const breakOff = (why: Failure) => {
    broken = why;
    pending = '';
    onBroken(why);
  };
  const drain = async () => {
    await new Promise(setImmediate);
    for (let text = pending; text !== ''; text = pending) {
      pending = '';
      try {
        await stdout.write(text);
        if (stdout.gone === true) breakOff(readerGone());
      } catch (error) {
        breakOff(asFailure(error));
      }
    }
    writing = undefined;
  };
  return {
    push(text: string): void {
      if (broken !== undefined) return;
      pending += text;
      writing ??= drain();
    },
    written: async (): Promise<void> => writing,
    async end(): Promise<void> {
      await writing;
      // A reader that closes the pipe has seen enough.
      if (broken !== undefined && broken.facts.code !== CLOSED) throw broken;
    },
  };
}

const readerGone = () =>
  new Failure('local_io', {
    what: 'stopped: the output pipe was closed',
    code: CLOSED,
    retryable: false,
  });
