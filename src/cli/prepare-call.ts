// From a parsed command line to a call that is ready to make, or to everything that is wrong with it at once.
// On a terminal, what is missing is asked for.

import { pathsOf, resolvePath } from '../api/operations/fields.ts';
import { type Fault, usageFailure } from '../base/errors.ts';
import type { Runtime } from '../base/runtime.ts';
import { withSuggestions } from '../base/suggestions.ts';
import { parseBatchSettings } from '../batch/options.ts';
import type { PreparedCall } from '../batch/types.ts';
import type { Resolved } from '../config/settings.ts';
import { collectInputs } from '../input/collect-input.ts';
import type { Invocation } from '../input/types.ts';
import { prepareFilter } from '../output/jq-filter.ts';
import { fieldFaults } from '../output/write-result.ts';
import { announceAccessible } from '../prompts/policy.ts';
import { parseWaitOptions } from '../wait/options.ts';

/** Judges an invocation by its settings. Throws one `usage` failure with all its faults. */
export async function prepareCall(
  invocation: Invocation,
  { settings, faults, unknownContext }: Resolved,
  runtime: Runtime,
): Promise<PreparedCall> {
  const { operation, hooks, spelling, typed } = invocation;
  const command = ['social', ...spelling.words].join(' ');
  await announceAccessible(settings, runtime);
  const found = settings.fields.map((path) => ({ path, full: resolvePath(operation, path) }));
  const unknown = found.filter(({ full }) => full === undefined).map(({ path }) => path);
  const waiting = parseWaitOptions(operation, typed.flags);
  const many = parseBatchSettings(typed.flags);
  const jq = await prepareFilter(settings, runtime);
  const before: readonly Fault[] = [
    ...invocation.faults,
    ...faults,
    ...(unknownContext === undefined ? [] : [unknownContext]),
    ...fieldFaults(unknown, () => pathsOf(operation)),
    ...waiting.faults,
    ...many.faults,
    ...(hooks.flagFaults?.(typed.flags) ?? []),
    ...(many.asked ? (await import('../batch/files.ts')).fileFaults(many.batch, typed.flags) : []),
    ...jq.faults,
  ];
  const { inputs, shared, notes, ...collected } = await collectInputs(invocation, {
    settings,
    runtime,
    mayAsk: before.length === 0,
    records: many.batch.from !== undefined,
  });
  const isBatch = many.asked || inputs.length > 1 || hooks.gather !== undefined;
  const batch = isBatch ? many.batch : undefined;
  const misused =
    batch !== undefined && typed.flags['interactive'] === true
      ? [{ field: '--interactive', problem: 'cannot be used in a batch: it accepts one ID' }]
      : [];
  const all = [...before, ...collected.faults, ...misused];
  if (all.length > 0) throw usageFailure(await withSuggestions(all), `${command} --help`);
  return {
    ...invocation,
    command,
    settings,
    paths: found.flatMap(({ full }) => full ?? []),
    inputs,
    shared,
    flags: typed.flags,
    notes,
    batch,
    waiting: waiting.waiting,
    canaryWaiting: waiting.canaryWaiting,
    filter: jq.filter,
  };
}
