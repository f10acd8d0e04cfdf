// A result on stdout in the form that was asked for. The only writer of results.

import { Failure } from '../errors.ts';
import { isObject } from '../json.ts';
import { fieldsOf } from '../operations/field.ts';
import { isChange, type Operation } from '../operations/operation.ts';
import { toJsonText, toNdjson, toTable, toTsv, type OutputForm } from '../output/format.ts';
import type { Reading } from '../output/cell.ts';
import { pick, toView, valueAt } from '../output/view.ts';
import type { Sink, World } from '../world.ts';
import { maskSecrets } from './mask-secrets.ts';
import type { Settings } from './settings.ts';
import { toneOf } from './tone-of.ts';

const USUAL_WIDTH = 80;

/** The form of this call's output: chosen, else a table for a terminal and TSV for a pipe. */
export function formOf(settings: Settings, stdout: Sink): OutputForm {
  return settings.output ?? (stdout.isTTY ? 'table' : 'tsv');
}

/** What a result is shown by. */
export interface Showing {
  readonly operation: Operation;
  /** Full paths of `--fields`; everything without. */
  readonly paths: readonly string[];
  readonly settings: Settings;
  readonly world: World;
}

/** Writes the data of one call; `serverTime` is the service's clock when it answered. */
export async function show(showing: Showing, data: unknown, serverTime?: number): Promise<void> {
  const { operation, world } = showing;
  await writeResult(await render(showing, data, serverTime), operation, data, world);
}

/** Writes what a call gave, as text. A change that was done and cannot be shown is said to be done. */
export async function writeResult(
  text: string,
  operation: Operation,
  data: unknown,
  { stdout }: Pick<World, 'stdout'>,
): Promise<void> {
  try {
    await stdout.write(text);
  } catch (error) {
    throw error instanceof Failure && isChange(operation) ? unshown(error, data) : error;
  }
}

/** A result that cannot be written is no reason to do the thing again. */
function unshown({ kind, facts }: Failure, data: unknown): Failure {
  const [, id] =
    Object.entries(data ?? {}).find(([key, value]) => /^id$|Id$/.test(key) && value != null) ?? [];
  const which = id === undefined ? '' : ` (id ${String(id)})`;
  return new Failure(kind, {
    ...facts,
    hint: `the operation itself succeeded${which}; do not run it again`,
    sent: true,
    retryable: false,
  });
}

async function render(
  { operation, paths, settings, world }: Showing,
  data: unknown,
  serverTime: number | undefined,
): Promise<string> {
  const { stdout } = world;
  const form = formOf(settings, stdout);
  const picked = paths.length === 0 ? data : pick(data, paths);
  if (form === 'json') return toJsonText(picked, stdout.isTTY);
  if (form === 'ndjson') return toNdjson(itemsOf(operation, picked));
  if (data === undefined) return '';
  const view = toView(operation, maskedIn(operation, data), paths);
  return form === 'tsv'
    ? toTsv(view)
    : toTable(view, stdout.columns ?? USUAL_WIDTH, await readingFor(settings, world, serverTime));
}

/** What was given as a secret is not shown to people when it comes back. */
export function maskedIn(operation: Operation, data: unknown): unknown {
  return isObject(data) ? maskSecrets(fieldsOf(operation), data) : data;
}

/** How cells are to read on this terminal. */
export async function readingFor(
  settings: Settings,
  world: World,
  serverTime?: number,
  sink = world.stdout,
): Promise<Reading> {
  const { utc, accessible: lines } = settings;
  const now = clockOf(world, serverTime);
  return { tone: await toneOf(sink, settings, world), now, utc, lines };
}

const OFF_MS = 5000;

/** The time by which times are told: this machine's, or the service's where this machine's is wrong. */
export function clockOf({ now }: World, serverTime: number | undefined): number {
  const own = now();
  return serverTime === undefined || Math.abs(serverTime - own) < OFF_MS ? own : serverTime;
}

/** The items of a result that is a list; else the result alone. */
function itemsOf(operation: Operation, data: unknown): readonly unknown[] {
  const items = operation.rows === undefined ? undefined : valueAt(data, operation.rows);
  return Array.isArray(items) ? items : [data ?? null];
}
