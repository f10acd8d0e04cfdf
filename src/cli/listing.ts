// Rows of a local command in the form that was asked for, the same look as an operation's.

import { usageFailure } from '../errors.ts';
import { toJsonText, toNdjson, toTable, toTsv } from '../output/format.ts';
import { pathsIn } from '../output/paths.ts';
import { sanitizeLine } from '../output/sanitize.ts';
import { pick, toView } from '../output/view.ts';
import { fieldFaults } from './field-faults.ts';
import type { LeafCall } from './leaf.ts';
import { masked } from './redacted.ts';
import { readingFor } from './show.ts';

/**
 * Writes rows: a table, TSV, one JSON document, or a JSON line each. One row that is the whole document is shown as
 * its fields. What is hidden is masked: a row may hold words of the service. Throws `usage` for `--fields` that are
 * not there.
 */
export async function printRows(
  call: LeafCall,
  columns: readonly string[],
  given: readonly object[],
  whole: unknown = given,
): Promise<void> {
  const { form, world, settings, mask } = call;
  const rows = given.map((row) => masked(row, mask) as object);
  const same = new Map<unknown, unknown>([
    [given, rows],
    [given[0], rows[0]],
  ]);
  const document = same.has(whole) ? same.get(whole) : masked(whole, mask);
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
