// From a view to text in one of the forms of output. Returns whole lines; writes nothing.

import { toJson } from '../base/json.ts';
import { type CellContext, rawCell } from './cell.ts';
import type { TableView } from './columns.ts';

/** Below this many columns, tables become blocks of `key: value`. */
export const MIN_TABLE_WIDTH = 60;

/** For a person at a terminal `width` columns wide. What lays it out is loaded here: most output is for programs. */
export async function toTable(
  view: TableView,
  width: number,
  reading: CellContext,
): Promise<string> {
  const { tableText } = await import('./table-view.ts');
  return tableText(view, width, reading);
}

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
