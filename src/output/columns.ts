// From a result to what is shown of it: a header, and rows of plain values under named columns, as the schema declares
// their fields. Knows nothing of widths, colours or streams.

import type { Operation } from '../api/operations/define-operation.ts';
import { resultFieldAt } from '../api/operations/fields.ts';
import type { FieldMeta } from '../api/schema/rules.ts';
import { isObject } from '../base/json.ts';
import { excerpt, sanitizeLine } from '../base/sanitize.ts';

/** The dotted paths of a value that has no schema, lists looked through: `status`, `targets`, `targets.id`. */
export function pathsIn(value: unknown): ReadonlySet<string> {
  const paths = new Set<string>();
  const collect = (inner: unknown, prefix: string): void => {
    if (Array.isArray(inner)) for (const item of inner) collect(item, prefix);
    else if (isObject(inner))
      for (const [key, child] of Object.entries(inner)) {
        paths.add(prefix + key);
        collect(child, `${prefix}${key}.`);
      }
  };
  collect(value, '');
  return paths;
}

export interface Column {
  /** Dotted path in a row. */
  readonly path: string;
  /** What the column is called in a table. */
  readonly label: string;
  readonly tones?: FieldMeta['tones'] | undefined;
  readonly look?: FieldMeta['look'] | undefined;
}

export interface TableView {
  /** The fields that all rows have in common; empty where a row is all there is. */
  readonly header: readonly (readonly [column: Column, value: unknown])[];
  readonly columns: readonly Column[];
  /** One value a column; what is absent is `undefined`. */
  readonly rows: readonly (readonly unknown[])[];
  /** Whether there can be several rows; else the one row reads better as a list of fields. */
  readonly list: boolean;
  /** What one row of a list is called: `target`. */
  readonly item?: string | undefined;
}

/** The part of an operation that decides how its result is laid out; without `result` its fields have no labels. */
export type Shown = Pick<Operation, 'header' | 'rows' | 'columns'> &
  Partial<Pick<Operation, 'result'>>;

/**
 * Works out once how the results of an operation are laid out, or only the named fields of them; gives the function
 * that lays out one result.
 */
export function layoutOf(
  shown: Shown,
  fields: readonly string[] = [],
): (data: unknown) => TableView {
  return fields.length > 0 ? layoutOfFields(shown, fields) : layoutOfResult(shown);
}

function layoutOfResult({ header, rows, columns: paths, result }: Shown) {
  const columns = paths.map((path) => columnIn(result, path, rows));
  const readRow = columns.map(({ path }) => reader(path));
  const heads = header.map((path) => ({ column: columnIn(result, path), read: reader(path) }));
  const readItems = itemsReader(rows);
  const item = itemName(rows);
  return (data: unknown): TableView => ({
    header: heads.map(({ column, read }) => [column, shownOf(column, read(data))]),
    columns,
    rows: readItems(data).map((row) => readRow.map((read) => read(row))),
    list: rows !== undefined,
    item,
  });
}

/** One row for each item of the list where a field of it is asked for; fields of the whole repeat on each. */
function layoutOfFields({ rows, result }: Shown, fields: readonly string[]) {
  const columns = fields.map((path) => columnIn(result, path));
  const readCell = fields.map((path) => {
    const isInRow = rows !== undefined && path.startsWith(`${rows}.`);
    return { isInRow, read: reader(isInRow ? path.slice(rows.length + 1) : path) };
  });
  const list = readCell.some(({ isInRow }) => isInRow);
  const readItems = itemsReader(list ? rows : undefined);
  const item = itemName(rows);
  return (data: unknown): TableView => ({
    header: [],
    columns,
    rows: readItems(data).map((row) =>
      readCell.map(({ isInRow, read }) => read(isInRow ? row : data)),
    ),
    list,
    item,
  });
}

const columnIn = (result: Shown['result'], path: string, rows?: string): Column =>
  columnOf(path, result && resultFieldAt(result, rows === undefined ? path : `${rows}.${path}`));

function itemsReader(rows: string | undefined): (data: unknown) => readonly unknown[] {
  if (rows === undefined) return (data) => [data];
  const read = reader(rows);
  return (data) => {
    const items = read(data);
    return Array.isArray(items) ? (items as readonly unknown[]) : [];
  };
}

/** `look: 'lacking'` shows only the capabilities that are not ready. */
const shownOf = ({ look }: Column, value: unknown): unknown =>
  look === 'lacking' && Array.isArray(value)
    ? value.filter((item) => valueAt(item, 'status') !== 'ready')
    : value;

/** Cuts a result down to some of its dotted paths; a path through a list applies to each item. */
export function pick(data: unknown, paths: readonly string[]): unknown {
  if (Array.isArray(data)) return data.map((item) => pick(item, paths));
  if (!isObject(data)) return data;
  const keys = new Set(paths.map((path) => path.split('.')[0]!));
  const kept = [...keys].filter((key) => Object.hasOwn(data, key));
  return Object.fromEntries(
    kept.map((key) => {
      const below = paths.filter((path) => path.startsWith(`${key}.`));
      const rest = below.map((path) => path.slice(key.length + 1));
      return [key, paths.includes(key) ? data[key] : pick(data[key], rest)];
    }),
  );
}

/** Makes the function that reads the value at a dotted path, own properties only. */
function reader(path: string): (data: unknown) => unknown {
  const keys = path.split('.');
  return (data) => {
    let value = data;
    for (const key of keys) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key))
        return undefined;
      value = (value as Readonly<Record<string, unknown>>)[key];
    }
    return value;
  };
}

/** The value at a dotted path, own properties only. */
export const valueAt = (data: unknown, path: string): unknown => reader(path)(data);

/** `shared account` for the path `sharedAccounts`. */
const itemName = (rows: string | undefined): string | undefined =>
  rows && spaced(rows.split('.').at(-1)!.replace(/s$/, ''));

const spaced = (name: string): string => name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();

const LONGEST_LABEL = 80;

/**
 * Names a column: as its field declares, else by the last word of its path, with the one before it where that says too
 * little.
 */
export function columnOf(path: string, { label, tones, look }: FieldMeta = {}): Column {
  return { path, label: label ?? labelFor(path), tones, look };
}

function labelFor(path: string): string {
  const words = path.split('.');
  const last = words.at(-1)!;
  if (last === 'displayName' && words.length > 1) return words.at(-2)!;
  const short = ['id', 'text', 'url'].includes(last) && words.length > 1;
  const spoken = short ? `${words.at(-2)!} ${last}` : last;
  const label = spaced(spoken);
  // The keys of an answer without a schema are text from outside, like its values.
  return sanitizeLine(excerpt(label.replace(/ at$/, ''), LONGEST_LABEL));
}
