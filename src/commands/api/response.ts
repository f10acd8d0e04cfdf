// The answer to any request, of which no schema is known: as JSON, or laid out as far as its form allows.

import { isObject } from '../../base/json.ts';
import type { Runtime } from '../../base/runtime.ts';
import type { Settings } from '../../config/settings.ts';
import { pathsIn, pick, toTableView, type TableView } from '../../output/columns.ts';
import type { Operation } from '../../api/operations/define-operation.ts';
import { type IsSecret, maskNamed } from '../../output/credentials.ts';
import { toJsonText, toNdjson } from '../../output/format.ts';
import { fieldFaults, viewText } from '../../output/write-result.ts';
import type { OutputForm } from '../../config/choices.ts';

interface ResponseContext {
  readonly settings: Settings;
  readonly runtime: Runtime;
  readonly isSecret: IsSecret;
  /** What is declared of the answer, where an operation has this path. */
  readonly result: Operation['result'] | undefined;
}

/** The text of an answer, whole lines. Names of `--fields` that it does not have are noted. */
export async function renderResponse(
  data: unknown,
  form: OutputForm,
  { settings, runtime, isSecret, result }: ResponseContext,
): Promise<string> {
  const { fields } = settings;
  if (fields.length > 0) await noteUnknown(data, fields, runtime);
  const picked = fields.length === 0 ? data : pick(data, fields);
  const items: readonly unknown[] = Array.isArray(picked) ? picked : [picked ?? null];
  if (form === 'json') return toJsonText(picked, runtime.stdout.isTTY);
  if (form === 'ndjson') return toNdjson(items);
  if (data === undefined) return '';
  const view = viewOf(maskNamed(data, isSecret), fields, result);
  return viewText(view, form, { settings, runtime });
}

/** A list as its items; of an object that holds one list, that list below what is beside it; else one row. */
function viewOf(
  data: unknown,
  fields: readonly string[],
  result: Operation['result'] | undefined,
): TableView {
  const known = result === undefined ? {} : { result };
  const picks = fields.length > 0;
  if (Array.isArray(data)) {
    const rows = data.map(asRow);
    const columns = picks ? fields : columnsOf(rows);
    return toTableView({ header: [], rows: 'rows', columns }, { rows });
  }
  const whole = asRow(data);
  const lists = Object.keys(whole).filter((name) => isList(whole[name]) && !name.includes('.'));
  const list = lists.length === 1 ? lists[0]! : undefined;
  if (picks) return toTableView({ ...known, header: [], rows: list, columns: [] }, whole, fields);
  if (list === undefined)
    return toTableView(
      { ...known, header: [], rows: undefined, columns: columnsOf([whole]) },
      whole,
    );
  const header = Object.keys(whole).filter((name) => isPlain(whole[name]));
  return toTableView(
    { ...known, header, rows: list, columns: columnsOf(whole[list] as Row[]) },
    whole,
  );
}

const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null;

const isList = (value: unknown): value is readonly Row[] =>
  Array.isArray(value) && value.length > 0 && !value.some(isPlain);

type Row = Readonly<Record<string, unknown>>;

/** What is no object has one column. */
const asRow = (value: unknown): Row => (isObject(value) ? value : { value });

const LOOKED_AT = 100;

/** The fields of the rows in the order of their coming; those that are plain values before those that are not. */
function columnsOf(rows: readonly Row[]): readonly string[] {
  const seen = rows.slice(0, LOOKED_AT).flatMap((row) => Object.entries(row));
  const hasParts = new Set(seen.flatMap(([name, value]) => (isPlain(value) ? [] : [name])));
  // A dot would lead into an object that is not there.
  const names = [...new Set(seen.map(([name]) => name))].filter((name) => !name.includes('.'));
  return [
    ...names.filter((name) => !hasParts.has(name)),
    ...names.filter((name) => hasParts.has(name)),
  ];
}

async function noteUnknown(
  data: unknown,
  fields: readonly string[],
  { note }: Runtime,
): Promise<void> {
  const known = pathsIn(data);
  const faults = await fieldFaults(
    fields.filter((field) => !known.has(field)),
    () => known,
  );
  for (const { field, problem, fix } of faults)
    note(`warning: ${field} ${problem}${fix === undefined ? '' : `; ${fix}`}`);
}
