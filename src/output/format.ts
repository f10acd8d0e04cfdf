// From a view to text in one of the forms of output. Returns whole lines; writes nothing.

import { toJson } from '../base/json.ts';
import { cellFor, isTime, rawCell, type CellContext } from './cell.ts';
import { GLUE } from './color.ts';
import { excerpt, stripControls } from '../base/sanitize.ts';
import type { Column, TableView } from './columns.ts';
import type { NamedField } from './table.ts';

/** Below this many columns, tables become blocks of `key: value`. */
export const MIN_TABLE_WIDTH = 60;
const MOST_ROWS = 1000;
/**
 * To measure and to wrap a text costs more than its length: longer ones are cut, and of many long ones some are shown.
 */
const LONGEST_CELL = 2000;
const LONGEST_FIELD = 12_000;
/** Of a text that is cut to a line, what is read aloud. */
const LONGEST_SPOKEN = 200;
const MOST_CHARACTERS = 300_000;

/** For a person at a terminal `width` columns wide; blocks where that is little. A wide table asks for no width. */
export async function toTable(
  view: TableView,
  width: number,
  reading: CellContext,
): Promise<string> {
  const layout = await import('./table.ts');
  const isWide = reading.wide === true;
  const room = isWide ? Infinity : width;
  const kept = isWide ? [...view.columns.keys()] : telling(view);
  const columns = kept.map((i) => view.columns[i]!);
  const asBlocks = reading.lines === true || room < MIN_TABLE_WIDTH || !view.list;
  const rows = affordable(view.rows.map((row) => kept.map((i) => row[i])));
  const more = view.rows.length - rows.length;
  const cells = (row: readonly unknown[]) =>
    row.map((value, i) => cellFor(columns[i]!, value, { ...reading, longest: LONGEST_CELL }));
  const fields = async (pairs: readonly Pair[]) => {
    const named = pairs.map(([column, value]): NamedField => [
      `${column.label}:`,
      cellFor(column, value, { ...reading, longest: LONGEST_FIELD }),
      column.look === 'line' && view.list,
    ]);
    return reading.lines === true ? lines(named) : layout.fieldList(named, room);
  };
  const block = async (row: readonly unknown[], i: number) => {
    const pairs = row.map((value, at): Pair => [columns[at]!, value]);
    const text = await fields(view.list ? pairs.filter(([, value]) => !isAbsent(value)) : pairs);
    const isNumbered = reading.lines === true && view.item !== undefined;
    return isNumbered ? `${capital(view.item)} ${i + 1} of ${view.rows.length}\n${text}` : text;
  };
  const { faint } = reading.tone;
  const heading = () => columns.map(({ label }) => faint(label.toUpperCase()));
  const fitted = async () => {
    const { text, hidden } = await layout.fitTable(heading(), rows.map(cells), room, {
      time: columns.findIndex(({ path }) => isTime(path)),
      below: columns.map(({ look, label }) => (look === 'below' ? `${label}:` : undefined)),
    });
    return [text, ...(hidden > 0 ? [faint(hiddenLine(hidden))] : [])];
  };
  const filled = () => (asBlocks ? Promise.all(rows.map(block)) : fitted());
  const body = rows.length === 0 ? [faint('(none)')] : await filled();
  const header = view.header.filter(([, value]) => !isAbsent(value));
  const head = header.length === 0 ? [] : [await fields(header)];
  const tail = more > 0 ? [`… ${more} more, use --json`] : [];
  return reading.tone.plain(stripControls(`${[...head, ...body, ...tail].join('\n\n')}\n`));
}

const hiddenLine = (columns: number) =>
  `${columns} ${columns === 1 ? 'column' : 'columns'} hidden; -o wide, or a wider terminal`;

/** As many rows as can be laid out in a moment; the first one always. */
function affordable<T extends readonly unknown[]>(rows: readonly T[]): readonly T[] {
  let characters = 0;
  const end = rows.findIndex((row) => {
    const before = characters;
    for (const value of row)
      characters += typeof value === 'string' ? Math.min(value.length, LONGEST_FIELD) : 0;
    return before > 0 && characters > MOST_CHARACTERS;
  });
  return rows.slice(0, Math.min(end < 0 ? rows.length : end, MOST_ROWS));
}

type Pair = readonly [column: Column, value: unknown];

const isAbsent = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0);

/**
 * The columns that tell anything, by their numbers. In a list those without a value in any row are left out;
 * in a single row the fields of an object that is not there.
 */
function telling({ columns, rows, list }: TableView): readonly number[] {
  const isFilled = (i: number) => rows.some((row) => !isAbsent(row[i]));
  const filled = new Set(columns.flatMap((column, i) => (isFilled(i) ? [group(column)] : [])));
  const numbers = columns.map((_column, i) => i);
  if (rows.length === 0) return numbers;
  return numbers.filter((i) => {
    const within = group(columns[i]!);
    return list ? isFilled(i) : within === '' || filled.has(within);
  });
}

/** The object that a column's field is in, within the row; empty for the row itself. */
const group = ({ path }: Column): string => path.slice(0, path.lastIndexOf('.') + 1);

/** `Header: value`, a line each, nothing aligned: for reading aloud. */
function lines(fields: readonly NamedField[]): string {
  return fields
    .map(([name, value, oneLine]) => {
      const said = oneLine === true ? excerpt(value, LONGEST_SPOKEN) : value;
      return `${capital(name.replace(/\b(?:id|url)\b/g, (word) => word.toUpperCase()))} ${said}`;
    })
    .join('\n')
    .replaceAll(GLUE, ' ');
}

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/**
 * For a pipe: a line a row, no heading, nothing cut, times as they were sent. What is no list is one row, whole. Rows
 * of several lists start with what each list is `of`.
 */
export function toTsv({ header, rows, list }: TableView, of?: string): string {
  const common = list ? (of === undefined ? [] : [of]) : header.map(([, value]) => value);
  return rows.map((row) => `${[...common, ...row].map(rawCell).join('\t')}\n`).join('');
}

/** The data itself, one document. */
export function toJsonText(data: unknown, indent: boolean): string {
  return `${toJson(data ?? null, indent ? 2 : 0)}\n`;
}

/** One JSON value a line: the items where the result is a list, else the whole. */
export function toNdjson(items: readonly unknown[]): string {
  return items.map((item) => `${toJson(item)}\n`).join('');
}
