// Rows of a local command in the form that was asked for, the same look as an operation's.

import { usageFailure } from '../errors.ts';
import { toJsonText, toNdjson, toTable, toTsv } from '../output/format.ts';
import { pathsIn } from '../output/paths.ts';
import { sanitizeLine } from '../output/sanitize.ts';
import { pick, toView } from '../output/view.ts';
import { fieldFaults } from './field-faults.ts';
import type { LeafCall } from './leaf.ts';
import { readingFor } from './show.ts';

/**
 * Writes rows: a table, TSV, one JSON document, or a JSON line each. One row that is the whole document is shown as
 * its fields. Throws `usage` for `--fields` that are not there.
 */
export async function printRows(
  call: LeafCall,
  columns: readonly string[],
  rows: readonly object[],
  document: unknown = rows,
): Promise<void> {
  const { form, world, settings } = call;
  const { fields } = settings;
  if (fields.length > 0) await checkFields(fields, columns, form === 'json' ? document : rows);
  const picked = (data: unknown) => (fields.length === 0 ? data : pick(data, fields));
  const text = async () => {
    if (form === 'json') return toJsonText(picked(document), world.stdout.isTTY);
    if (form === 'ndjson') return toNdjson(rows.map(picked));
    const list = document !== rows[0];
    const view = toView(
      {
        header: [],
        rows: list ? 'rows' : undefined,
        columns: fields.length === 0 ? columns : fields,
      },
      list ? { rows } : rows[0],
    );
    return form === 'tsv'
      ? toTsv(view)
      : toTable(view, world.stdout.columns ?? 80, await readingFor(settings, world));
  };
  await world.stdout.write(await text());
}

/** A list may be empty: then its columns are all that is known of it. */
async function checkFields(
  fields: readonly string[],
  columns: readonly string[],
  data: unknown,
): Promise<void> {
  const empty = Array.isArray(data) && data.length === 0;
  const known = new Set([...pathsIn(data), ...(empty ? columns : [])]);
  const faults = await fieldFaults(
    fields.filter((field) => !known.has(field)),
    () => known,
  );
  if (faults.length > 0) throw usageFailure(faults);
}

/** Writes one text as a line; as a JSON string where JSON was asked for. */
export async function printLine({ form, world }: LeafCall, text: string): Promise<void> {
  const asJson = form === 'json' || form === 'ndjson';
  await world.stdout.write(asJson ? toJsonText(text, false) : `${sanitizeLine(text)}\n`);
}
