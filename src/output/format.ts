// Formats a view in one of the output forms. Returns whole lines; writes nothing.

import { toJson } from '../base/json.ts';
import { type CellContext, rawCell } from './cell.ts';
import type { TableView } from './columns.ts';

/** Below this many columns, tables become blocks of `key: value`. */
export const MIN_TABLE_WIDTH = 60;

/**
 * Formats a view for a terminal `width` columns wide. The layout code is loaded here, because most output is for
 * programs.
 */
export async function toTable(
  view: TableView,
  width: number,
  reading: CellContext,
): Promise<string> {
  const { tableText } = await import('./table-view.ts');
  return tableText(view, width, reading);
}

/**
 * Formats a view for a pipe: one line per row, no heading, nothing cut, times as received. A result that is not a list
 * is one row. Rows of several lists start with `of`, the ID of their list.
 */
export function toTsv({ header, rows, list }: TableView, of?: string): string {
  const common = list ? (of === undefined ? [] : [of]) : header.map(([, value]) => value);
  return rows.map((row) => `${[...common, ...row].map(rawCell).join('\t')}\n`).join('');
}

/** Formats the data as one JSON document. */
export function toJsonText(data: unknown, indent: boolean): string {
  return `${toJson(data ?? null, indent ? 2 : 0)}\n`;
}

/** Formats one JSON value per line: the items of a list, else the whole result. */
export function toNdjson(items: readonly unknown[]): string {
  return items.map((item) => `${toJson(item)}\n`).join('');
}
