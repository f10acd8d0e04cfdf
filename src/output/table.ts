// A view for a person: its header, then a table; blocks of fields for one object, a narrow terminal or --accessible.
// cli-table3 lays tables out.

import { stripVTControlCharacters } from 'node:util';
import Table from 'cli-table3';
import measure from 'fast-string-width';
import { wrapAnsi } from 'fast-wrap-ansi';
import { stripControls } from '../base/sanitize.ts';
import { type CellContext, cellFor, isTime } from './cell.ts';
import type { Column, TableView } from './table-view.ts';
import { GLUE } from './wrap.ts';

/** Below this many columns, a list becomes blocks of `key: value`, unless its table fits whole. */
const MIN_TABLE_WIDTH = 60;
const MOST_ROWS = 1000;
/** Longer texts are cut, because measuring and wrapping takes more than linear time. */
const LONGEST_CELL = 2000;
const LONGEST_FIELD = 12_000;

/** Formats a view in at most `width` columns. A wide table ignores the width. */
export function tableText(view: TableView, width: number, context: CellContext): string {
  const { colors, wide = false, accessible = false } = context;
  const room = wide || accessible ? Infinity : width;
  const indexes = wide ? [...view.columns.keys()] : informative(view);
  const columns = indexes.map((i) => view.columns[i]!);
  const rows = view.rows.slice(0, MOST_ROWS).map((row) => indexes.map((i) => row[i]));
  const parts: string[] = [];
  const header = view.header.filter(([, value]) => !isAbsent(value));
  if (header.length > 0) parts.push(fieldsText(header, view.isList, room, context));
  if (rows.length === 0) parts.push(colors.faint('(none)'));
  else if (accessible || !view.isList || !hasTable(columns, rows, room, context))
    for (const [i, row] of rows.entries()) {
      const pairs = row.map((value, at): Pair => [columns[at]!, value]);
      const shown = view.isList ? pairs.filter(([, value]) => !isAbsent(value)) : pairs;
      const block = fieldsText(shown, view.isList, room, context);
      const title =
        accessible && view.isList ? `${view.item} ${i + 1} of ${view.rows.length}\n` : '';
      parts.push(title + block);
    }
  else parts.push(...gridTexts(columns, rows, room, context));
  const more = view.rows.length - rows.length;
  if (more > 0) parts.push(`… ${more} more, use --json`);
  return stripControls(`${parts.join('\n\n')}\n`);
}

/** True if a list has room for a table: on a narrow terminal only one column, or what fits without wrapping. */
function hasTable(
  columns: readonly Column[],
  rows: readonly (readonly unknown[])[],
  room: number,
  context: CellContext,
): boolean {
  if (room >= MIN_TABLE_WIDTH || columns.length === 1) return true;
  const [whole = ''] = gridTexts(columns, rows, Infinity, context);
  return widest(whole.split('\n')) <= room;
}

const isAbsent = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0);

/**
 * Returns the indexes of columns with information. A list omits columns without any value; a single row omits only the
 * fields of a missing object, so that its direct fields always show.
 */
function informative({ columns, rows, isList }: TableView): readonly number[] {
  const indexes = [...columns.keys()];
  if (rows.length === 0) return indexes;
  const filled = indexes.filter((i) => rows.some((row) => !isAbsent(row[i])));
  if (isList) return filled;
  const groups = new Set(['', ...filled.map((i) => groupOf(columns[i]!))]);
  return indexes.filter((i) => groups.has(groupOf(columns[i]!)));
}

/** Returns the path of the object that has a column's field; empty for the row itself. */
const groupOf = ({ path }: Column): string => path.slice(0, path.lastIndexOf('.') + 1);

type Pair = readonly [column: Column, value: unknown];

/** A field of a list of fields; `oneLine` cuts its value to one line. */
type NamedField = readonly [name: string, value: string, oneLine?: boolean];

/** Formats fields one below the other; above or within a list, those with `look: 'line'` are cut to one line. */
function fieldsText(
  pairs: readonly Pair[],
  inList: boolean,
  room: number,
  context: CellContext,
): string {
  const fields = pairs.map(([column, value]): NamedField => [
    `${column.label}:`,
    cellFor(column, value, context, LONGEST_FIELD),
    column.look === 'line' && inList,
  ]);
  return fieldList(fields, room);
}

const GAP = 2;
const BETWEEN = ' '.repeat(GAP);
/** The minimum width of a text column. */
const NARROWEST = 8;

/** Lists fields with their values, one below the other, the values aligned and wrapped. */
export function fieldList(fields: readonly NamedField[], width: number): string {
  const labelWidth = widest(fields.map(([name]) => name));
  const room = Math.max(NARROWEST, width - labelWidth - GAP);
  // A value that is one word (an ID, an address) stays whole, if necessary on a separate line, so that it can be
  // copied.
  const linesOf = ([name, whole, oneLine]: NamedField): readonly string[] => {
    const value = oneLine === true ? cutToLine(whole, room) : whole;
    if (!value.includes(' ') && measure(value) > room) return [name, `${BETWEEN}${value}`];
    const padding = (label: string) => ' '.repeat(labelWidth - measure(label)) + BETWEEN;
    const [first, ...more] = wrapped(value, room);
    return [name + padding(name) + first!, ...more.map((line) => padding('') + line)];
  };
  return finishLines(fields.flatMap(linesOf).join('\n'));
}

/** Cuts a text to one line: its first wrapped one, followed by an ellipsis. */
function cutToLine(text: string, limit: number): string {
  if (measure(text) <= limit) return text;
  const [first = ''] = wrapped(text, limit - 1);
  return `${first}…`;
}

/** Formats the table, and a line about columns that had no room. */
function gridTexts(
  columns: readonly Column[],
  rows: readonly (readonly unknown[])[],
  room: number,
  context: CellContext,
): readonly string[] {
  const { faint } = context.colors;
  const cells = rows.map((row) =>
    row.map((value, i) => cellFor(columns[i]!, value, context, LONGEST_CELL)),
  );
  const firstTime = columns.findIndex(({ path }) => isTime(path));
  const fitted = columns.map(({ label, look }, i) => ({
    heading: faint(label.toUpperCase()),
    isKept: i === firstTime,
    below: look === 'below' ? `${label}:` : undefined,
    isWhole: look === 'whole',
  }));
  const { text, hidden } = fitTable(fitted, cells, room);
  if (hidden === 0) return [text];
  const hint = `${hidden} ${hidden === 1 ? 'column' : 'columns'} hidden; -o wide, or a wider terminal`;
  return [text, faint(hint)];
}

/** A column is widened up to this limit to keep a long word whole. */
const LONGEST_WORD = 24;
/** A column that can go below its row stands beside the others only if it has this much room. */
const LEAST_BESIDE = 40;

interface FittedColumn {
  readonly heading: string;
  /** True for the column that is kept before the others, after the first. */
  readonly isKept?: boolean;
  /** The label of its values, if they may be printed below their row where there is no room. */
  readonly below?: string | undefined;
  /** True if its values are not wrapped. */
  readonly isWhole?: boolean;
}

/** Lays out columns and rows in at most `width` columns, without trailing spaces; `hidden` columns had no room. */
export function fitTable(
  columns: readonly FittedColumn[],
  rows: readonly (readonly string[])[],
  width: number,
): { readonly text: string; readonly hidden: number } {
  const sized = columns.map((column, index) => sizeOf(column, index, rows));
  const beside = columnsThatFit(sized, width);
  const moved = sized.filter((column) => !beside.includes(column) && column.below !== undefined);
  const wrappedCells = (cells: readonly string[]) =>
    beside.map((column) => wrapped(cells[column.index] ?? '', column.width).join('\n'));
  // Returns the lines below a row: its values in the columns that were moved there.
  const detailsOf = (row: readonly string[]): readonly string[] => {
    const filled = moved.filter(({ index }) => !isEmpty(row[index]));
    if (filled.length === 0) return [];
    const fields = filled.map(({ index, below }) => [below!, row[index]!] as const);
    return fieldList(fields, width - GAP)
      .replace(/^/gm, BETWEEN)
      .split('\n');
  };
  // The heading and all rows are drawn as one table, so that the columns align. The drawn lines are then divided among
  // them again, because the details of a row go below its lines.
  const table = new Table({ chars: borderless, style, truncate });
  table.push(wrappedCells(columns.map(({ heading }) => heading)), ...rows.map(wrappedCells));
  const drawn = finishLines(table.toString()).split('\n');
  // The heading has no details.
  const lines = [[], ...rows].flatMap((row, n) => [
    ...drawn.splice(0, table.options.rowHeights[n]!),
    ...detailsOf(row),
  ]);
  return { text: lines.join('\n'), hidden: columns.length - beside.length - moved.length };
}

/** True for the sign of a missing value, which may be coloured. */
const isEmpty = (cell = '-'): boolean => stripVTControlCharacters(cell) === '-';

type SizedColumn = ReturnType<typeof sizeOf>;

/** Measures a column: the width without wrapping, the minimum width, and the rank in which columns are kept. */
function sizeOf(
  { heading, isKept = false, below, isWhole = false }: FittedColumn,
  index: number,
  rows: readonly (readonly string[])[],
) {
  const texts = [heading, ...rows.map((row) => row[index] ?? '')];
  const width = widest(texts);
  const readable = isWhole ? width : narrowest(texts);
  const least = below === undefined ? readable : Math.max(readable, Math.min(width, LEAST_BESIDE));
  const rank = index === 0 ? 0 : isKept ? 1 : below === undefined ? 2 : 3;
  return { index, below, width, least, rank };
}

/**
 * Returns the columns that fit, with their final widths. The first one is always kept; then that with `isKept`, the others, and
 * last those that can go below their row are kept, each if its minimum width still fits. If the kept columns are too
 * wide, the one that exceeds its minimum most shrinks by one, again and again.
 */
function columnsThatFit(columns: readonly SizedColumn[], limit: number): readonly SizedColumn[] {
  const kept: SizedColumn[] = [];
  for (const column of columns.toSorted((a, b) => a.rank - b.rank)) {
    const room = limit - GAP - total(kept.map(({ least }) => least));
    if (kept.length === 0 || column.least <= room) kept.push(column);
    // It is rather wrapped than hidden.
    else if (column.rank === 1 && room >= NARROWEST) kept.push({ ...column, least: room });
  }
  const spare = ({ width, least }: SizedColumn) => width - least;
  while (total(kept.map(({ width }) => width)) > limit) {
    const roomiest = kept.reduce((most, column) => (spare(column) > spare(most) ? column : most));
    if (spare(roomiest) <= 0) break;
    roomiest.width--;
  }
  return kept.toSorted((a, b) => a.index - b.index);
}

const total = (widths: readonly number[]) =>
  widths.reduce((sum, columnWidth) => sum + columnWidth + GAP, -GAP);

/** Returns the minimum width of a column. Cells without a space are IDs or addresses: they stay whole, to be copied. */
function narrowest(texts: readonly string[]): number {
  const natural = widest(texts);
  const [, ...cells] = texts;
  if (!cells.some((text) => text.includes(' '))) return natural;
  const words = texts.flatMap((text) => text.split(' '));
  return Math.min(natural, Math.max(NARROWEST, Math.min(widest(words), LONGEST_WORD)));
}

const widest = (texts: readonly string[]): number =>
  texts.reduce((most, text) => Math.max(most, measure(text)), 1);

const wrapped = (text: string, limit: number): readonly string[] =>
  limit === Infinity ? [text] : wrapAnsi(text, limit, { hard: true, trim: true }).split('\n');

/** Removes the spaces at the ends of lines, and replaces no-break spaces, at which no line may be wrapped. */
const finishLines = (text: string): string => text.replace(/[ ]+$/gm, '').replaceAll(GLUE, ' ');

// cli-table3 draws borders by default. All are empty but the one between the cells of a row.
const sides = ['top', 'bottom', 'left', 'mid', 'right'];
const edges = sides.flatMap((side) => [side, `${side}-mid`, `${side}-left`, `${side}-right`]);
const borderless = { ...Object.fromEntries(edges.map((edge) => [edge, ''])), middle: BETWEEN };

// These options are needed because cli-table3 colours and pads by default, even into a pipe.
const style = { head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true };

// For its own log, cli-table3 shortens each cell to ten columns, one character at a time. A sign of ten columns leaves no
// room for the cell. Else nothing is cut, because columns are as wide as their cells.
const truncate = '…'.repeat(10);
