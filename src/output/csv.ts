// Results for a spreadsheet: CSV (RFC 4180) with a heading, and every column of the result.

import { stringify } from 'csv-stringify/sync';
import { isAbsent, plainText } from './cell.ts';
import type { TableView } from './table-view.ts';

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

interface CsvOptions {
  /** The ID of a record of a batch, in a first column with this name. */
  readonly record?: readonly [name: string, id: string] | undefined;
  /** False below the rows of another record. */
  readonly hasHeading?: boolean;
}

/**
 * Formats a view. The heading has the paths of `--fields`, and the fields that all rows share are on each of them. A
 * cell that a spreadsheet would run as a formula becomes text, by an apostrophe that `--from` takes off again.
 */
export function toCsv(
  { header, columns, rows }: TableView,
  { record, hasHeading = true }: CsvOptions = {},
): string {
  const [name, id] = record ?? [];
  // The ID of the record stands in its first column.
  const others = header.filter(([column]) => id === undefined || column.name !== 'id');
  const shared = others.map(([, value]) => value);
  const names = [...(name === undefined ? [] : [name]), ...others.map(([column]) => column.name)];
  const heading = [...names, ...columns.map((column) => column.name)];
  const lines = rows.map((row) =>
    [...(id === undefined ? [] : [id]), ...shared, ...row].map((value) =>
      isAbsent(value) || isEmptyList(value) ? '' : plainText(value),
    ),
  );
  return stringify(hasHeading ? [heading, ...lines] : lines, {
    record_delimiter: 'windows',
    escape_formulas: true,
  });
}
