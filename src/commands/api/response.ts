// The answer of `social api`, which has no schema, as text: JSON, or a table as far as its shape allows.

import { isObject } from '../../base/json.ts';
import { sanitizeLine } from '../../base/sanitize.ts';
import { withSuggestions } from '../../base/suggestions.ts';
import type { CallContext } from '../../client/call-context.ts';
import { pathsIn, pick, toTableView, type TableView } from '../../output/columns.ts';
import type { Operation } from '../../api/operations/define-operation.ts';
import { type IsSecret, maskNamed } from '../../output/credentials.ts';
import { toJsonText, toNdjson } from '../../output/format.ts';
import { fieldFaults, viewText } from '../../output/write-result.ts';
import type { OutputForm } from '../../config/choices.ts';

interface ResponseContext extends Pick<CallContext, 'settings' | 'runtime'> {
  readonly isSecret: IsSecret;
  /** The declared result, where an operation has this path. */
  readonly result: Operation['result'] | undefined;
}

/** The text of an answer, whole lines. Unknown names of `--fields` are noted. */
export async function renderResponse(
  data: unknown,
  form: OutputForm,
  { settings, runtime, isSecret, result }: ResponseContext,
): Promise<string> {
  const { fields } = settings;
  const known = fields.length === 0 ? undefined : pathsIn(data);
  if (known !== undefined) {
    const unknown = fields.filter((field) => !known.has(field));
    const faults = fieldFaults(unknown, () => [...known]);
    for (const { field, problem, fix } of await withSuggestions(faults))
      runtime.note(`warning: ${field} ${problem}${fix === undefined ? '' : `; ${fix}`}`);
  }
  const picked = fields.length === 0 ? data : pick(data, fields);
  const items: readonly unknown[] = Array.isArray(picked) ? picked : [picked ?? null];
  if (form === 'json') return toJsonText(picked, runtime.stdout.isTTY);
  if (form === 'ndjson') return toNdjson(items);
  if (data === undefined) return '';
  const view = viewOf(maskNamed(data, isSecret), fields, result);
  return viewText(view, form, { settings, runtime });
}

/** The same with the status and the headers before it, a line each, as curl and gh print them. */
export async function renderWithHead(
  answer: unknown,
  form: OutputForm,
  context: ResponseContext,
): Promise<string> {
  const { status, headers, body } = answer as {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: unknown;
  };
  const lines = Object.entries(headers).map(([name, value]) => sanitizeLine(`${name}: ${value}`));
  const head = [`HTTP ${status}`, ...lines, '', ''].join('\n');
  return body === undefined ? head : head + (await renderResponse(body, form, context));
}

/** A list as its items; an object that holds one list as that list below its other fields; else one row. */
function viewOf(
  data: unknown,
  fields: readonly string[],
  result: Operation['result'] | undefined,
): TableView {
  if (Array.isArray(data)) {
    const rows = data.map(asRow);
    const columns = fields.length > 0 ? fields : columnsOf(rows);
    return toTableView({ header: [], rows: 'rows', columns }, { rows });
  }
  const whole = asRow(data);
  const lists = Object.keys(whole).filter((name) => isList(whole[name]) && !name.includes('.'));
  const list = lists.length === 1 ? lists[0]! : undefined;
  const header =
    list === undefined ? [] : Object.keys(whole).filter((name) => isPlain(whole[name]));
  const columns = columnsOf(list === undefined ? [whole] : (whole[list] as Row[]));
  const known = result === undefined ? {} : { result };
  return toTableView({ ...known, header, rows: list, columns }, whole, fields);
}

const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null;

const isList = (value: unknown): value is readonly Row[] =>
  Array.isArray(value) && value.length > 0 && !value.some(isPlain);

type Row = Readonly<Record<string, unknown>>;

const asRow = (value: unknown): Row => (isObject(value) ? value : { value });

const SAMPLED_ROWS = 100;

/** The fields of the first rows in order; plain values before objects and lists. */
function columnsOf(rows: readonly Row[]): readonly string[] {
  const seen = rows.slice(0, SAMPLED_ROWS).flatMap((row) => Object.entries(row));
  const hasParts = new Set(seen.flatMap(([name, value]) => (isPlain(value) ? [] : [name])));
  // A dot in a name would be read as a path.
  const names = [...new Set(seen.map(([name]) => name))].filter((name) => !name.includes('.'));
  return [
    ...names.filter((name) => !hasParts.has(name)),
    ...names.filter((name) => hasParts.has(name)),
  ];
}
