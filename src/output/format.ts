// From a view to text in one of the four forms. Returns whole lines; writes nothing.

import { toJson } from '../json.ts';
import { cellFor, rawCell, type Reading } from './cell.ts';
import type { View } from './view.ts';

/** What `-o` takes. */
export const outputForms = ['table', 'json', 'ndjson', 'tsv'] as const;
export type OutputForm = (typeof outputForms)[number];

/** Below this many columns, tables become blocks of `key: value`. */
const TABLE_FROM = 60;
const MOST_ROWS = 1000;

/** For a person at a terminal `width` columns wide. */
export async function toTable(view: View, width: number, reading: Reading): Promise<string> {
  const layout = await import('./table.ts');
  const header = view.header.filter(([, value]) => value !== undefined);
  const rows = view.rows
    .slice(0, MOST_ROWS)
    .map((row) => row.map((value, i) => cellFor(view.columns[i]!, value, reading)));
  const more = view.rows.length - rows.length;
  const labels = view.columns.map(({ label }) => label);
  const asBlocks = width < TABLE_FROM || !view.list;
  const body =
    rows.length === 0
      ? [reading.tone.faint('(none)')]
      : asBlocks
        ? rows.map((row) =>
            fields(
              row.map((value, i) => [labels[i]!, value]),
              view.list,
            ),
          )
        : [
            layout.table(
              labels.map((label) => reading.tone.faint(label.toUpperCase())),
              rows,
              width,
            ),
          ];

  function fields(pairs: readonly (readonly [string, string])[], sparse: boolean): string {
    const shown = sparse ? pairs.filter(([, value]) => value !== reading.tone.faint('-')) : pairs;
    const named = shown.map(([label, value]) => [`${label}:`, value] as const);
    return layout.fieldList(named, width);
  }

  const head =
    header.length === 0
      ? []
      : [
          fields(
            header.map(([column, value]) => [column.label, cellFor(column, value, reading)]),
            true,
          ),
        ];
  const tail = more > 0 ? [`… ${more} more, use --json`] : [];
  return `${[...head, ...body, ...tail].join('\n\n')}\n`;
}

/** For a pipe: a line a row, no heading, nothing cut, times as they were sent. */
export function toTsv(view: View): string {
  return view.rows.map((row) => `${row.map(rawCell).join('\t')}\n`).join('');
}

/** The data itself, one document. */
export function toJsonText(data: unknown, indent: boolean): string {
  return `${toJson(data ?? null, indent ? 2 : 0)}\n`;
}

/** One JSON value a line: the items where the result is a list, else the whole. */
export function toNdjson(items: readonly unknown[]): string {
  return items.map((item) => `${toJson(item)}\n`).join('');
}
