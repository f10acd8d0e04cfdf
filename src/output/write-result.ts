// Writes a result on stdout in the requested form. All results go through this file.

import type { Operation } from '../api/operations/define-operation.ts';
import { fieldsOf } from '../api/operations/fields.ts';
import { SAME_CLOCK_MS } from '../base/durations.ts';
import { afterSending, asFailure, usageFailure } from '../base/errors.ts';
import type { Fault } from '../base/fault.ts';
import { indentJson, isObject, mapTexts, toJson } from '../base/json.ts';
import type { OutputStream, Runtime } from '../base/runtime.ts';
import { excerpt, quote, sanitizeLine } from '../base/sanitize.ts';
import { isJsonForm, type OutputForm } from '../config/flags.ts';
import type { Settings } from '../config/settings.ts';
import { type CellContext, rawCell } from './cell.ts';
import { colorsFor, hasUtf8 } from './color.ts';
import { layoutOf, pathsIn, pick, type TableView, valueAt } from './table-view.ts';
import { maskSecretFields } from './redact.ts';

/** Returns the output form of this call: the requested one, else a table for a terminal and TSV for a pipe. */
export function formOf(settings: Settings, stdout: OutputStream): OutputForm {
  return settings.output ?? (stdout.isTTY ? 'table' : 'tsv');
}

interface ShownResult {
  readonly data: unknown;
  /** The data as the service's original text on one line, in which numbers keep their digits, if that may be shown. */
  readonly json?: string | undefined;
  /** The service's clock at its response. */
  readonly serverTime?: number | undefined;
}

interface ShowContext {
  readonly operation: Operation;
  /** Full paths of `--fields`; empty for all fields. */
  readonly paths: readonly string[];
  readonly settings: Settings;
  readonly runtime: Runtime;
}

/** Formats and writes a result. Callers run it in `writeResult`, which explains a failure. */
export async function showResult(context: ShowContext, result: ShownResult): Promise<void> {
  const { operation, paths, settings, runtime } = context;
  const { data, serverTime } = result;
  const form = formOf(settings, runtime.stdout);
  let text = '';
  if (isJsonForm(form)) text = jsonOf(context, result, form);
  // A change may have an empty response.
  else if (data !== undefined) {
    const layout = resultLayout(
      form === 'table' ? current(operation, data, clockOf(runtime, serverTime)) : operation,
      paths,
    );
    text = await viewText(layout(data), form, context, serverTime);
  }
  await runtime.stdout.write(text);
}

/** Returns the operation without the columns that are outdated for this result. */
function current(operation: Operation, data: unknown, now: number): Operation {
  const outdated = operation.outdated?.(data, now) ?? [];
  return { ...operation, columns: operation.columns.filter((path) => !outdated.includes(path)) };
}

/** Formats a result, or its requested fields, as JSON; as lines, a list has one for each item. */
function jsonOf(
  { operation: { rows }, paths, runtime: { stdout } }: ShowContext,
  { data, json }: ShownResult,
  form: OutputForm,
): string {
  const picked = paths.length > 0 ? pick(data, paths) : data;
  if (form === 'json') return jsonText(form, picked, stdout, paths.length > 0 ? undefined : json);
  const items = rows === undefined ? undefined : valueAt(picked, rows);
  return jsonText(form, Array.isArray(items) ? items : picked, stdout);
}

/**
 * Runs `write`, which shows the result of a call. If it fails after a change (`isChanged`), the failure says that the
 * change was made, so that it is not sent again.
 */
export async function writeResult(
  data: unknown,
  isChanged: boolean,
  write: () => Promise<void>,
): Promise<void> {
  try {
    await write();
  } catch (error) {
    const failure = asFailure(error);
    if (!isChanged) throw afterSending(failure);
    // A created resource may be known by its ID alone.
    const id = valueAt(data, 'id');
    const which = typeof id === 'string' ? ` (id ${id})` : '';
    throw failure.with({
      hint: `the operation succeeded${which}; do not run it again`,
      sent: true,
      outcome: 'accepted',
      retryable: false,
    });
  }
}

/**
 * Formats a value as one JSON document, indented on a terminal, or as one line for each item of a list. A document is
 * the `original` text of the service, if there is one.
 */
export function jsonText(
  form: OutputForm,
  value: unknown,
  { isTTY }: OutputStream,
  original?: string,
): string {
  if (form === 'ndjson')
    return (Array.isArray(value) ? value : [value ?? null])
      .map((item) => `${toJson(item)}\n`)
      .join('');
  const indented = isTTY && original !== undefined ? indentJson(original) : original;
  return `${indented ?? toJson(value ?? null, isTTY ? 2 : 0)}\n`;
}

/**
 * Makes the layout of an operation's results. Secrets of the input are masked for people when the service echoes them.
 */
export function resultLayout(operation: Operation, paths: readonly string[]) {
  const secret = fieldsOf(operation).filter((field) => field.secret);
  const layout = layoutOf(operation, paths);
  return (data: unknown): TableView =>
    layout(secret.length > 0 && isObject(data) ? maskSecretFields(secret, data) : data);
}

/** Formats a view as TSV, or as a table as wide as the terminal. */
async function viewText(
  view: TableView,
  form: OutputForm,
  { settings, runtime }: Pick<ShowContext, 'settings' | 'runtime'>,
  serverTime?: number,
): Promise<string> {
  if (form === 'tsv') return toTsv(view);
  if (form === 'csv') return (await import('./csv.ts')).toCsv(view);
  // This import is dynamic because most output is for programs.
  const { tableText } = await import('./table.ts');
  const cells = cellContextFor(settings, runtime, serverTime);
  return tableText(view, runtime.stdout.columns ?? 80, cells);
}

/**
 * Formats a view for a pipe: one line per row, no heading, nothing cut, times as received. A result that is not a list
 * is one row. Rows of several lists start with `listId`, the ID of their list.
 */
export function toTsv({ header, rows, isList }: TableView, listId?: string): string {
  const common = isList ? (listId === undefined ? [] : [listId]) : header.map(([, value]) => value);
  return rows.map((row) => `${[...common, ...row].map(rawCell).join('\t')}\n`).join('');
}

export function cellContextFor(
  settings: Settings,
  runtime: Runtime,
  serverTime?: number,
): CellContext {
  const { utc, wide, accessible } = settings;
  const colors = colorsFor(runtime.stdout, settings, runtime);
  return { colors, now: clockOf(runtime, serverTime), utc, wide, accessible };
}

/** Returns the clock for relative times: this machine's, or the service's if this machine's is wrong. */
export function clockOf({ now }: Runtime, serverTime: number | undefined): number {
  const here = now();
  return serverTime === undefined || Math.abs(serverTime - here) < SAME_CLOCK_MS
    ? here
    : serverTime;
}

type PrintContext = Pick<ShowContext, 'settings' | 'runtime'> & { readonly form: OutputForm };

/**
 * Writes rows, or one object, whose fields then stand one below the other: as a table, TSV, one JSON document, or JSON
 * lines. `document` is the JSON document if the rows are only a part of it; `result` declares how columns look, those
 * of rows under the name `rows`. Secrets are masked, because a row may contain text of the service. Throws `usage` for unknown `--fields`.
 */
export async function printValue(
  { form, runtime, settings }: PrintContext,
  columns: readonly string[],
  value: object | readonly object[],
  document: object = value,
  result?: Operation['result'],
): Promise<void> {
  const { stdout, secrets } = runtime;
  const { fields } = settings;
  const masked = mapTexts(form === 'json' ? document : value, secrets.mask);
  if (fields.length > 0) checkFields(fields, columns, masked);
  if (isJsonForm(form)) {
    const picked = fields.length === 0 ? masked : pick(masked, fields);
    return stdout.write(jsonText(form, picked, stdout));
  }
  const shown = fields.length === 0 ? columns : fields;
  const rows = Array.isArray(value) ? 'rows' : undefined;
  const layout = layoutOf({ header: [], rows, columns: shown, result });
  const view = layout(rows ? { rows: masked } : masked);
  // The list has no name of its own in the document.
  const named = view.columns.map((column) => ({ ...column, name: column.path }));
  await stdout.write(await viewText({ ...view, columns: named }, form, { settings, runtime }));
}

/**
 * Throws `usage` for fields that the data does not have. An empty list has no fields by which to check them, so its
 * columns are used.
 */
function checkFields(fields: readonly string[], columns: readonly string[], data: unknown): void {
  const isEmpty = Array.isArray(data) && data.length === 0;
  const names = new Set([...pathsIn(data), ...(isEmpty ? columns : [])]);
  const unknown = fields.filter((field) => !names.has(field));
  if (unknown.length > 0) throw usageFailure(fieldFaults(unknown, [...names]));
}

const LONGEST_LIST = 1000;

/**
 * Makes a fault for each unknown name in `--fields`, with suggestions from `names`. The last one lists the valid fields:
 * `listed`, if `names` are too many for a person.
 */
export function fieldFaults(
  unknown: readonly string[],
  names: readonly string[],
  listed = names,
  meantBy: (typed: string) => string | undefined = () => undefined,
): readonly Fault[] {
  const isLast = (i: number) => i === unknown.length - 1 && listed.length > 0;
  return unknown.map((typed, i) => ({
    field: '--fields',
    problem: `contains an unknown field: ${quote(typed)}`,
    fix: isLast(i) ? excerpt(`fields: ${listed.join(', ')}`, LONGEST_LIST) : undefined,
    among: { typed, choices: names, meant: meantBy(typed) },
  }));
}

/** Writes one text as a line; as a JSON string with JSON output. */
export const printLine = (call: Pick<PrintContext, 'form' | 'runtime'>, text: string) =>
  printText(call, `${sanitizeLine(text)}\n`, text);

/** Writes a text unchanged; with JSON output a value instead. */
export async function printText(
  { form, runtime: { stdout } }: Pick<PrintContext, 'form' | 'runtime'>,
  text: string,
  value: unknown,
): Promise<void> {
  await stdout.write(isJsonForm(form) ? jsonText(form, value, stdout) : text);
}

/** Says what is so after a change: `✓ Replied on Mastodon`. */
export function noteDone(sentence: string, settings: Settings, runtime: Runtime): void {
  const sign = hasUtf8(runtime) ? '✓ ' : '';
  runtime.note(settings.accessible ? `${sentence}.` : `${sign}${sentence}`);
}
