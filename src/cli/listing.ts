// Rows of a local command in the form that was asked for, the same look as an operation's.

import { toJsonText, toNdjson, toTable, toTsv } from '../output/format.ts';
import { toView } from '../output/view.ts';
import type { LeafCall } from './leaf.ts';
import { readingFor } from './show.ts';

/** Writes rows: a table, TSV, one JSON document, or a JSON line each. One row that is the whole document is shown as its fields. */
export async function printRows(
  { form, world, settings }: LeafCall,
  columns: readonly string[],
  rows: readonly object[],
  document: unknown = rows,
): Promise<void> {
  const text = async () => {
    if (form === 'json') return toJsonText(document, world.stdout.isTTY);
    if (form === 'ndjson') return toNdjson(rows);
    const list = document !== rows[0];
    const view = toView(
      { header: [], rows: list ? 'rows' : undefined, columns },
      list ? { rows } : rows[0],
    );
    return form === 'tsv'
      ? toTsv(view)
      : toTable(view, world.stdout.columns ?? 80, await readingFor(settings, world));
  };
  await world.stdout.write(await text());
}
