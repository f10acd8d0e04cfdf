// From a result to its view: a header, and rows of plain values under named columns, as the schema declares their
// fields. It does not depend on widths, colours or streams.

import type { Operation } from '../api/operations/define-operation.ts';
import { resultFieldAt } from '../api/operations/fields.ts';
import type { FieldMeta } from '../api/schema/rules.ts';
import { isObject } from '../base/json.ts';
import { excerpt, sanitizeLine } from '../base/sanitize.ts';

/**
 * Lists the dotted paths of a value without a schema, including those within lists: `status`, `targets`, `targets.id`.
 */
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
  /** The dotted path in a row. */
  readonly path: string;
  /** The heading of the column in a table. */
  readonly label: string;
  readonly tones?: FieldMeta['tones'] | undefined;
  readonly look?: FieldMeta['look'] | undefined;
}

export interface TableView {
  /** The fields that all rows share; empty if the rows are the whole result. */
  readonly header: readonly (readonly [column: Column, value: unknown])[];
  readonly columns: readonly Column[];
  /** One value per column; missing values are `undefined`. */
  readonly rows: readonly (readonly unknown[])[];
  /** True if there can be several rows. A single row is shown as a list of fields. */
  readonly list: boolean;
  /** The word for a row of a list: `target`. */
  readonly item?: string | undefined;
}

/** The part of an operation that determines the layout of its result; without `result` its fields have no labels. */
export type Shown = Pick<Operation, 'header' | 'rows' | 'columns'> &
  Partial<Pick<Operation, 'result'>>;

/**
 * Prepares the layout of an operation's results, or of the named fields only. Returns the function that lays out one
 * result.
 */
export function layoutOf(
  layout: Shown,
  fields: readonly string[] = [],
): (data: unknown) => TableView {
  return fields.length > 0 ? layoutOfFields(layout, fields) : layoutOfResult(layout);
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

/** Makes one row for each item of the list if one of its fields is requested; fields of the whole repeat on each. */
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

/** Reduces a result to some of its dotted paths; a path through a list applies to each item. */
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

/** Makes the function that reads the value at a dotted path, without inherited properties. */
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

/** Reads the value at a dotted path, without inherited properties. */
export const valueAt = (data: unknown, path: string): unknown => reader(path)(data);

/** Returns `shared account` for the path `sharedAccounts`. */
const itemName = (rows: string | undefined): string | undefined =>
  rows && spaced(rows.split('.').at(-1)!.replace(/s$/, ''));

const spaced = (name: string): string => name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();

const LONGEST_LABEL = 80;

/**
 * Names a column by the label of its field, else by the last word of its path, preceded by the word before it if that
 * is too vague.
 */
export function columnOf(path: string, { label, tones, look }: FieldMeta = {}): Column {
  return { path, label: label ?? labelFor(path), tones, look };
}

function labelFor(path: string): string {
  const words = path.split('.');
  const last = words.at(-1)!;
  if (last === 'displayName' && words.length > 1) return words.at(-2)!;
  const short = ['id', 'text', 'url'].includes(last) && words.length > 1;
  const label = spaced(short ? `${words.at(-2)!} ${last}` : last);
  // The keys of a response without a schema are text from outside, like its values.
  return sanitizeLine(excerpt(label.replace(/ at$/, ''), LONGEST_LABEL));
}
