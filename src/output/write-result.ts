// Writes a result on stdout in the requested form. All results go through this file.

import { isChange, type Operation } from '../api/operations/define-operation.ts';
import { fieldsOf } from '../api/operations/fields.ts';
import { SAME_CLOCK_MS } from '../base/durations.ts';
import { afterSending, Failure, type Fault, usageFailure } from '../base/errors.ts';
import { indentJson, isObject, mapTexts } from '../base/json.ts';
import type { OutputStream, Runtime } from '../base/runtime.ts';
import { quote, sanitizeLine } from '../base/sanitize.ts';
import type { Settings } from '../config/settings.ts';
import type { CellContext } from './cell.ts';
import { layoutOf, pathsIn, pick, type TableView, valueAt } from './columns.ts';
import { toJsonText, toNdjson, toTable, toTsv } from './format.ts';
import { maskSecretFields } from './redact.ts';
import { isJsonForm, type OutputForm } from '../config/flags.ts';
import { colorsFor } from './color.ts';

const MOST_FIELDS = 40;

/** Makes a fault for each unknown name in `--fields`; the last one lists the valid fields. */
export function fieldFaults(
  unknown: readonly string[],
  names: () => readonly string[],
  listed = names,
): readonly Fault[] {
  return unknown.map((typed, i) => ({
    field: '--fields',
    problem: `contains an unknown field: ${quote(typed)}`,
    fix: i === unknown.length - 1 ? fieldList(listed()) : undefined,
    among: { typed, choices: names() },
  }));
}

function fieldList(names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  const more = names.length > MOST_FIELDS ? `, … ${names.length - MOST_FIELDS} more` : '';
  return `fields: ${names.slice(0, MOST_FIELDS).join(', ')}${more}`;
}

const USUAL_WIDTH = 80;

/** Returns the output form of this call: the requested one, else a table for a terminal and TSV for a pipe. */
export function formOf(settings: Settings, stdout: OutputStream): OutputForm {
  return settings.output ?? (stdout.isTTY ? 'table' : 'tsv');
}

interface ShownResult {
  readonly data: unknown;
  /** The data as the service's original text, if it may be shown in one line. */
  readonly json?: string | undefined;
  /** The service's clock at its response. */
  readonly serverTime?: number | undefined;
  /** True if there was nothing to do: then no change was made, whatever the operation is. */
  readonly isSkipped?: boolean;
}

interface ShowContext {
  readonly operation: Operation;
  /** Full paths of `--fields`; empty for all fields. */
  readonly paths: readonly string[];
  readonly settings: Settings;
  readonly runtime: Runtime;
  /** Adds the cause of each failed target; for tables. */
  readonly explained?: ((data: unknown) => Promise<unknown>) | undefined;
}

/** Writes the data of one call. */
export async function showResult(
  showing: ShowContext,
  { data, json, serverTime, isSkipped = false }: ShownResult,
): Promise<void> {
  const { operation, runtime } = showing;
  const isDone = isChange(operation) && !isSkipped;
  await writeResult(await render(showing, { data, json, serverTime }), data, isDone, runtime);
}

/** Formats the result of a call as text. If that fails after a change, the failure says that the change was made. */
export async function writeResult(
  text: string,
  data: unknown,
  isDone: boolean,
  { stdout }: Pick<Runtime, 'stdout'>,
): Promise<void> {
  try {
    await stdout.write(text);
  } catch (error) {
    if (!(error instanceof Failure) || !isDone) throw afterSending(error);
    throw unshown(error, data);
  }
}

/** Marks a failure to write the result of a change, so that the change is not sent again. */
function unshown({ kind, facts }: Failure, data: unknown): Failure {
  const ids = Object.entries(data ?? {}).filter(([, value]) => typeof value === 'string');
  const [, id] =
    ids.find(([key]) => key === 'id') ??
    ids.find(([key]) => key.endsWith('Id') && !isOwner(key)) ??
    [];
  const which = id === undefined ? '' : ` (id ${String(id)})`;
  return new Failure(kind, {
    ...facts,
    hint: `the operation succeeded${which}; do not run it again`,
    sent: true,
    outcome: 'accepted',
    retryable: false,
  });
}

/** True if the key names an owner of the resource. */
const isOwner = (key: string): boolean => /^(?:organization|profile|account)Id$/.test(key);

async function render(
  { operation, paths, settings, runtime, explained }: ShowContext,
  { data, json, serverTime }: ShownResult,
): Promise<string> {
  const { stdout } = runtime;
  const form = formOf(settings, stdout);
  if (form === 'json' && json !== undefined && paths.length === 0)
    return `${stdout.isTTY ? indentJson(json) : json}\n`;
  const picked = paths.length === 0 ? data : pick(data, paths);
  if (form === 'json') return toJsonText(picked, stdout.isTTY);
  if (form === 'ndjson') return toNdjson(itemsOf(operation, picked));
  if (data === undefined) return '';
  const isExplained = form === 'table' && paths.length === 0 && explained !== undefined;
  const explainedData = isExplained ? await explained(data) : data;
  return viewText(
    resultLayout(operation, paths)(explainedData),
    form,
    { settings, runtime },
    serverTime,
  );
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
  const reading = await cellContextFor(settings, runtime, serverTime);
  return toTable(view, runtime.stdout.columns ?? USUAL_WIDTH, reading);
}

/** Returns how cells are formatted for this terminal. */
export async function cellContextFor(
  settings: Settings,
  runtime: Runtime,
  serverTime?: number,
  sink = runtime.stdout,
): Promise<CellContext> {
  const { utc, wide, accessible: lines } = settings;
  const now = clockOf(runtime, serverTime);
  return { tone: await colorsFor(sink, settings, runtime), now, utc, wide, lines };
}

/** Returns the clock for relative times: this machine's, or the service's if this machine's is wrong. */
export function clockOf({ now }: Runtime, serverTime: number | undefined): number {
  const here = now();
  return serverTime === undefined || Math.abs(serverTime - here) < SAME_CLOCK_MS
    ? here
    : serverTime;
}

/** Returns the items of a result that is a list; else the result alone. */
function itemsOf(operation: Operation, data: unknown): readonly unknown[] {
  const items = operation.rows === undefined ? undefined : valueAt(data, operation.rows);
  return Array.isArray(items) ? items : [data ?? null];
}

type RowsContext = Pick<ShowContext, 'settings' | 'runtime'> & { readonly form: OutputForm };

/**
 * Writes rows: a table, TSV, one JSON document, or JSON lines. `whole` is the document if the rows are only a part of
 * it. Secrets are masked, because a row may contain text of the service. Throws `usage` for unknown `--fields`.
 */
export async function printRows(
  call: RowsContext,
  columns: readonly string[],
  rows: readonly object[],
  whole?: object,
): Promise<void> {
  const { mask } = call.runtime.secrets;
  const maskedRows = rows.map((row) => mapTexts(row, mask));
  const document = whole === undefined ? maskedRows : mapTexts(whole, mask);
  await print(
    call,
    { columns, rows: 'rows' },
    { rows: maskedRows },
    { document, items: maskedRows },
  );
}

/** Writes one object: its fields one below the other, TSV, or JSON. Otherwise as `printRows`. */
export async function printObject(
  call: RowsContext,
  columns: readonly string[],
  object: object,
): Promise<void> {
  const masked = mapTexts(object, call.runtime.secrets.mask);
  await print(call, { columns, rows: undefined }, masked, { document: masked, items: [masked] });
}

async function print(
  { form, runtime, settings }: RowsContext,
  { columns, rows }: Pick<Operation, 'columns' | 'rows'>,
  data: unknown,
  { document, items }: { readonly document: unknown; readonly items: readonly unknown[] },
): Promise<void> {
  const { fields } = settings;
  if (fields.length > 0) checkFields(fields, columns, form === 'json' ? document : items);
  const picked = (value: unknown) => (fields.length === 0 ? value : pick(value, fields));
  const text = async () => {
    if (form === 'json') return toJsonText(picked(document), runtime.stdout.isTTY);
    if (form === 'ndjson') return toNdjson(items.map(picked));
    const layout = layoutOf({ header: [], rows, columns: fields.length === 0 ? columns : fields });
    return viewText(layout(data), form, { settings, runtime });
  };
  await runtime.stdout.write(await text());
}

/** An empty list has no fields of its own, so its columns are used. */
function checkFields(fields: readonly string[], columns: readonly string[], data: unknown): void {
  const empty = Array.isArray(data) && data.length === 0;
  const names = new Set([...pathsIn(data), ...(empty ? columns : [])]);
  const unknown = fields.filter((field) => !names.has(field));
  if (unknown.length > 0) throw usageFailure(fieldFaults(unknown, () => [...names]));
}

/** Writes one text as a line; as a JSON string with JSON output. */
export async function printLine(
  call: Pick<RowsContext, 'form' | 'runtime'>,
  text: string,
): Promise<void> {
  await printText(call, `${sanitizeLine(text)}\n`, text);
}

/** Writes a text unchanged; with JSON output a value instead, in one line. */
export async function printText(
  { form, runtime }: Pick<RowsContext, 'form' | 'runtime'>,
  text: string,
  value: unknown,
): Promise<void> {
  await runtime.stdout.write(isJsonForm(form) ? toJsonText(value, false) : text);
}

/** Writes plain words, one per line; or as JSON. */
export async function printWords(
  { form, runtime }: Pick<RowsContext, 'form' | 'runtime'>,
  words: readonly string[],
): Promise<void> {
  const { stdout } = runtime;
  if (form === 'json') await stdout.write(toJsonText(words, stdout.isTTY));
  else if (form === 'ndjson') await stdout.write(toNdjson(words));
  else await stdout.write(words.map((word) => `${word}\n`).join(''));
}
