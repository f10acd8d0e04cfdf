// A result on stdout in the form that was asked for. The only writer of results.

import type { Operation } from '../operations/operation.ts';
import { toJsonText, toNdjson, toTable, toTsv, type OutputForm } from '../output/format.ts';
import { isUnicode, tone, wantsColor, type Tone } from '../output/tone.ts';
import { pick, toView, valueAt } from '../output/view.ts';
import type { Sink, World } from '../world.ts';
import type { Settings } from './settings.ts';

const USUAL_WIDTH = 80;

/** The form of this call's output: chosen, else a table for a terminal and TSV for a pipe. */
export function formOf(settings: Settings, stdout: Sink): OutputForm {
  return settings.output ?? (stdout.isTTY ? 'table' : 'tsv');
}

/** Writes the data of one call. `fields` are full paths. */
export async function show(
  operation: Operation,
  data: unknown,
  fields: readonly string[],
  settings: Settings,
  world: World,
): Promise<void> {
  await world.stdout.write(await render(operation, data, fields, settings, world));
}

async function render(
  operation: Operation,
  data: unknown,
  fields: readonly string[],
  settings: Settings,
  world: World,
): Promise<string> {
  const form = formOf(settings, world.stdout);
  const picked = fields.length === 0 ? data : pick(data, fields);
  if (form === 'json') return toJsonText(picked, world.stdout.isTTY);
  if (form === 'ndjson') return toNdjson(itemsOf(operation, picked));
  if (data === undefined) return '';
  const view = toView(operation, data, fields);
  if (form === 'tsv') return toTsv(view);
  const reading = {
    tone: toneOf(world.stdout, settings, world),
    now: world.now(),
    utc: settings.utc,
  };
  return toTable(view, world.stdout.columns ?? USUAL_WIDTH, reading);
}

/** The items of a result that is a list; else the result alone. */
function itemsOf(operation: Operation, data: unknown): readonly unknown[] {
  const items = operation.rows === undefined ? undefined : valueAt(data, operation.rows);
  return Array.isArray(items) ? items : [data ?? null];
}

/** The colours and signs of a stream. */
export function toneOf(sink: Sink, settings: Pick<Settings, 'color'>, world: World): Tone {
  return tone(wantsColor(settings.color, sink.isTTY, world.env), isUnicode(world.env));
}
