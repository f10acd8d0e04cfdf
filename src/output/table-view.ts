// Turns a result into its view: a header, and rows of plain values under named columns, as the schema declares their
// fields. A view does not depend on widths, colours or streams.

import type { Operation } from '../api/operations/define-operation.ts';
import { resultFieldAt } from '../api/operations/fields.ts';
import type { FieldMeta } from '../api/schema/rules.ts';
import { isObject } from '../base/json.ts';
import { excerpt, sanitizeLine } from '../base/sanitize.ts';

export interface Column {
  /** The dotted path in a row. */
  readonly path: string;
  /** The dotted path in the result: `targets.id`. */
  readonly name: string;
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
  readonly isList: boolean;
  /** The word for a row of a list: `target`. */
  readonly item: string;
}

/** The part of an operation that determines the layout; without `result`, columns are labelled by their paths. */
type Layout = Pick<Operation, 'header' | 'rows' | 'columns'> & {
  readonly result?: Operation['result'] | undefined;
};

/**
 * Prepares the layout of an operation's results, or of the requested fields only: if one of them is in the list, each
 * item is a row, and fields outside the list repeat on each row. Returns the function that lays out one result.
 */
export function layoutOf(
  { header, rows, columns, result }: Layout,
  fields: readonly string[] = [],
): (data: unknown) => TableView {
  const isSelection = fields.length > 0;
  const columnAt = (path: string, fullPath = path) =>
    columnOf(path, result && resultFieldAt(result, fullPath), fullPath);
  const heads = isSelection ? [] : header.map((path) => columnAt(path));
  const cells = (isSelection ? fields : columns).map((path) => {
    // A column is a path in a row, a requested field a path in the result.
    const fullPath = !isSelection && rows !== undefined ? `${rows}.${path}` : path;
    const inRow = rows !== undefined && fullPath.startsWith(`${rows}.`);
    const column = columnAt(path, fullPath);
    return { column, inRow, path: inRow ? fullPath.slice(rows.length + 1) : path };
  });
  const isList = rows !== undefined && (!isSelection || cells.some(({ inRow }) => inRow));
  return (data) => {
    const items = isList ? valueAt(data, rows) : [data];
    const rowOf = (item: unknown) =>
      cells.map(({ inRow, path }) => valueAt(inRow ? item : data, path));
    return {
      header: heads.map((column) => [column, shownOf(column, valueAt(data, column.path))]),
      columns: cells.map(({ column }) => column),
      rows: Array.isArray(items) ? items.map(rowOf) : [],
      isList,
      item: itemName(rows ?? ''),
    };
  };
}

/** `look: 'notReady'` shows only the capabilities that are not ready. */
const shownOf = ({ look }: Column, value: unknown): unknown =>
  look === 'notReady' && Array.isArray(value)
    ? value.filter((item) => valueAt(item, 'status') !== 'ready')
    : value;

/** Returns `shared account` for the path `sharedAccounts`. */
const itemName = (rows: string): string => spaced(rows.split('.').at(-1)!.replace(/s$/, ''));

const spaced = (name: string): string => name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();

const LONGEST_LABEL = 80;

export function columnOf(
  path: string,
  { label, tones, look }: FieldMeta = {},
  name = path,
): Column {
  return { path, name, label: label ?? labelFor(path), tones, look };
}

/** Labels a column by the last word of its path, after the word before it if that is vague: `post id`, `created`. */
function labelFor(path: string): string {
  const words = path.split('.');
  const last = words.at(-1)!;
  if (last === 'displayName' && words.length > 1) return words.at(-2)!;
  const isVague = ['id', 'text', 'url'].includes(last) && words.length > 1;
  const label = spaced(isVague ? `${words.at(-2)!} ${last}` : last);
  // The keys of a response without a schema are text from outside, like its values.
  return sanitizeLine(excerpt(label.replace(/ at$/, ''), LONGEST_LABEL));
}

/** Reads the value at a dotted path, without inherited properties. */
export function valueAt(data: unknown, path: string): unknown {
  let value = data;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  return value;
}

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
