// Formats a view for a person: a header, then a table or blocks of fields. Decides what is shown; `table.ts` lays it
// out.

import { excerpt, stripControls } from '../base/sanitize.ts';
import { type CellContext, cellFor, isTime } from './cell.ts';
import { GLUE } from './color.ts';
import type { Column, TableView } from './columns.ts';
import { MIN_TABLE_WIDTH } from './format.ts';
import { fieldList, fitTable, type NamedField } from './table.ts';

const MOST_ROWS = 1000;
/** Longer cells are cut, because measuring and wrapping takes more than linear time. */
const LONGEST_CELL = 2000;
const LONGEST_FIELD = 12_000;
/** Rows are shown until they have this many characters together. */
const MOST_CHARACTERS = 300_000;

/** Shows blocks if `width` is small, or if there is one row. A wide table ignores the width. */
export function tableText(view: TableView, width: number, reading: CellContext): string {
  const { tone, wide = false, lines = false } = reading;
  const room = wide ? Infinity : width;
  const indexes = wide ? [...view.columns.keys()] : informative(view);
  const columns = indexes.map((i) => view.columns[i]!);
  const rows = affordable(view.rows.map((row) => indexes.map((i) => row[i])));
  const parts: string[] = [];
  const header = view.header.filter(([, value]) => !isAbsent(value));
  if (header.length > 0) parts.push(fieldsText(header, view, room, reading));
  if (rows.length === 0) parts.push(tone.faint('(none)'));
  else if (lines || room < MIN_TABLE_WIDTH || !view.list)
    for (const [i, row] of rows.entries()) {
      const title = `${capital(view.item ?? '')} ${i + 1} of ${view.rows.length}\n`;
      const block = blockText(columns, row, view, room, reading);
      parts.push(lines && view.item !== undefined ? title + block : block);
    }
  else parts.push(...gridTexts(columns, rows, room, reading));
  const more = view.rows.length - rows.length;
  if (more > 0) parts.push(`… ${more} more, use --json`);
  return tone.plain(stripControls(`${parts.join('\n\n')}\n`));
}

/** Formats the table, and a line about columns that had no room. */
function gridTexts(
  columns: readonly Column[],
  rows: readonly (readonly unknown[])[],
  room: number,
  reading: CellContext,
): readonly string[] {
  const { faint } = reading.tone;
  const cells = rows.map((row) =>
    row.map((value, i) => cellFor(columns[i]!, value, { ...reading, longest: LONGEST_CELL })),
  );
  const heading = columns.map(({ label }) => faint(label.toUpperCase()));
  const { text, hidden } = fitTable(heading, cells, room, {
    time: columns.findIndex(({ path }) => isTime(path)),
    below: columns.map(({ look, label }) => (look === 'below' ? `${label}:` : undefined)),
  });
  if (hidden === 0) return [text];
  const hint = `${hidden} ${hidden === 1 ? 'column' : 'columns'} hidden; -o wide, or a wider terminal`;
  return [text, faint(hint)];
}

/** Formats a row as fields; in a list, without missing ones. */
function blockText(
  columns: readonly Column[],
  row: readonly unknown[],
  view: TableView,
  room: number,
  reading: CellContext,
): string {
  const pairs = row.map((value, i): Pair => [columns[i]!, value]);
  const present = view.list ? pairs.filter(([, value]) => !isAbsent(value)) : pairs;
  return fieldsText(present, view, room, reading);
}

type Pair = readonly [column: Column, value: unknown];

function fieldsText(
  pairs: readonly Pair[],
  { list }: TableView,
  room: number,
  reading: CellContext,
): string {
  const fields = pairs.map(([column, value]): NamedField => [
    `${column.label}:`,
    cellFor(column, value, { ...reading, longest: LONGEST_FIELD }),
    column.look === 'line' && list,
  ]);
  return reading.lines === true ? spokenFields(fields) : fieldList(fields, room);
}

/** A text that a table cuts to a line is read aloud up to this length. */
const LONGEST_SPOKEN = 200;

/** Formats `Header: value`, one per line, unaligned: for screen readers. */
function spokenFields(fields: readonly NamedField[]): string {
  const lines = fields.map(([name, value, oneLine]) => {
    const label = capital(name.replace(/\b(?:id|url)\b/g, (word) => word.toUpperCase()));
    return `${label} ${oneLine === true ? excerpt(value, LONGEST_SPOKEN) : value}`;
  });
  return lines.join('\n').replaceAll(GLUE, ' ');
}

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** Returns as many rows as can be laid out quickly, at least one. */
function affordable<T extends readonly unknown[]>(rows: readonly T[]): readonly T[] {
  let characters = 0;
  let count = 0;
  for (const row of rows) {
    for (const value of row)
      if (typeof value === 'string') characters += Math.min(value.length, LONGEST_FIELD);
    if (count === MOST_ROWS || (count > 0 && characters > MOST_CHARACTERS)) break;
    count++;
  }
  return rows.slice(0, count);
}

const isAbsent = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0);

/**
 * Returns the indexes of columns with information. A list omits columns without any value; a single row omits fields of
 * a missing object.
 */
function informative({ columns, rows, list }: TableView): readonly number[] {
  const indexes = [...columns.keys()];
  if (rows.length === 0) return indexes;
  const filled = indexes.filter((i) => rows.some((row) => !isAbsent(row[i])));
  if (list) return filled;
  const groups = new Set(['', ...filled.map((i) => groupOf(columns[i]!))]);
  return indexes.filter((i) => groups.has(groupOf(columns[i]!)));
}

/** Returns the path of the object that has a column's field; empty for the row itself. */
const groupOf = ({ path }: Column): string => path.slice(0, path.lastIndexOf('.') + 1);
