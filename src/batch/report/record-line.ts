// A record of a batch as one line for a person: `✗ PostSpringLaunch  linkedin ✓ published, mastodon ✗ failed`.

import stringWidth from 'fast-string-width';
import {
  idOf,
  type Input,
  isChange,
  type Operation,
} from '../../api/operations/define-operation.ts';
import { statusTone, type Tone } from '../../api/schema/rules.ts';
import type { Failure } from '../../base/errors.ts';
import { excerpt, sanitizeLine, stripControls } from '../../base/sanitize.ts';
import { targetErrorLines, targetsTone } from '../../client/remedies.ts';
import type { CallOutcome, Session } from '../../client/session.ts';
import { cellFor, type CellContext } from '../../output/cell.ts';
import { briefFailure } from '../../output/error-report.ts';
import { type TableView, valueAt } from '../../output/table-view.ts';
import { GLUE, wrapText } from '../../output/wrap.ts';
import { cellContextFor, resultLayout } from '../../output/write-result.ts';
import { type BatchRecord, namedTargets } from '../read/validate-records.ts';
import type { ResultRun } from '../session.ts';

/** Formats a record for one of the streams; an empty text is not written. */
export type RecordText = (record: BatchRecord, ended: Partial<CallOutcome>) => string;

/** The maximum number of fields on a line: of a result, and of each row of a list. */
const MAX_CELLS = 4;
const CELLS_OF_A_ROW = 2;
/** The maximum number of platform errors in the line of a post. */
const MAX_TARGET_ERRORS = 5;
export const MAX_ERROR_LENGTH = 300;

/** The tone of a line; the others have the colour of what is in progress, and a word of their own. */
type RecordTone = Tone | 'unknown' | 'accepted';

export function signOf(tone: RecordTone, colors: CellContext['colors']): string {
  if (tone === 'unknown') return colors.moving('?');
  const look = tone === 'accepted' ? 'moving' : tone;
  return colors[look](colors.signs[look]);
}

/** The words for the signs in accessible mode. */
const words: Readonly<Record<RecordTone, string>> = {
  unknown: 'unknown',
  accepted: 'accepted',
  good: 'done',
  bad: 'failed',
  moving: 'in progress',
  still: 'unchanged',
};

/**
 * Makes the function that formats a record of a list: its result with the errors of its targets, or the failure of one
 * without a result, if that is not written to stderr.
 */
export function recordLines(run: ResultRun): RecordText {
  const { call, operation, settings, runtime } = run;
  const { stdout, stderr, secrets } = runtime;
  const layOut = resultLayout(operation, call.paths);
  const cells = cellContextFor(settings, runtime);
  const showsFailures = stderr.isTTY && stdout.isTTY;
  return (record, ended) => {
    const width = stdout.columns ?? 80;
    const id = sanitizeLine(secrets.mask(idOf(record.input)));
    const status = toneOf(ended, operation);
    if (ended.data === undefined) {
      const { failure } = ended;
      if (failure === undefined || !showsFailures) return '';
      const where = `(${run.unit} ${record.line})`;
      const start = settings.accessible ? ': ' : '  ';
      return hanging(`${leadOf(id, status, cells)}${start}${briefly(failure)} ${where}`, width);
    }
    const errors = errorsOfTargets(ended, run);
    const touched = touchedParts(ended, operation, record.input);
    // A part whose error follows is named there.
    const view = layOut(errors === '' ? touched : withoutFailed(touched, operation));
    const line = recordLine({ id, view, status }, width, cells);
    if (errors === '') return line;
    const start = line.trimEnd();
    const gap = settings.accessible && start === leadOf(id, status, cells) ? ': ' : '  ';
    return hanging(start + gap + errors, width);
  };
}

const leadOf = (id: string, status: RecordTone, { colors, accessible }: CellContext): string =>
  accessible === true ? `${id} ${words[status]}` : `${signOf(status, colors)} ${id}`;

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
  const { accessible: isSpoken = false } = cellContext;
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
  let line = leadOf(id, status, cellContext);
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

/** Returns the tone of a line. The status of a read is that of the post, not of the request. */
export function toneOf(
  { data, failure, isSkipped, isUnwaited }: Partial<CallOutcome>,
  operation: Operation,
): RecordTone {
  if (failure?.kind === 'outcome_unknown') return 'unknown';
  if (failure?.kind === 'still_pending') return isChange(operation) ? 'accepted' : 'moving';
  if (failure !== undefined) return 'bad';
  if (isSkipped === true) return 'still';
  if (isUnwaited === true) return 'accepted';
  return isChange(operation) ? 'good' : targetsTone(data);
}

/** Keeps only the targets that a record was about, or names: others of the post may have failed before. */
export function touchedParts(
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

/** Returns the data without the parts that have failed with an error. */
function withoutFailed(data: unknown, { rows = '' }: Operation): unknown {
  const parts = valueAt(data, rows);
  if (!Array.isArray(parts)) return data;
  const rest = parts.filter(
    (part) => statusTone(String(valueAt(part, 'status'))) !== 'bad' || !valueAt(part, 'error'),
  );
  return { ...(data as object), [rows]: rest };
}

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

/** Formats a failure in one line, with the ID by which the service knows its request. */
export function briefly(failure: Failure): string {
  const { what, requestId } = briefFailure(failure).facts;
  return sanitizeLine(what + (requestId === undefined ? '' : ` (request id: ${requestId})`));
}
