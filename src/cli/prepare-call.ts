// From a parsed command line to a call that is ready to make, or to everything that is wrong with it at once.
// On a terminal, what is missing is asked for.
import type { Operation } from '../api/operations/define-operation.ts';
import { pathsOf, resolvePath } from '../api/operations/fields.ts';
import { type Fault, usageFailure } from '../base/errors.ts';
import type { Runtime } from '../base/runtime.ts';
import { withSuggestions } from '../base/suggestions.ts';
import { type BatchSettings, parseBatchSettings } from '../batch/options.ts';
import { readConfig } from '../config/file.ts';
import { resolveSettings, withSettings } from '../config/settings.ts';
import { collectInputs } from '../input/collect-input.ts';
import { prepareFilter } from '../output/jq-filter.ts';
import { fieldFaults } from '../output/write-result.ts';
import { announceAccessible } from '../prompts/policy.ts';
import { type WaitOptions, parseWaitOptions } from '../wait/options.ts';
import type { Invocation, PreparedInput } from '../input/types.ts';

/** What a call is made of once everything that was typed has been found good. */
export interface PreparedCall extends PreparedInput {
  /** How to make many calls; absent for a single one. */
  readonly batch: BatchSettings | undefined;
  /** How to wait; absent when nobody wants to. */
  readonly waiting: WaitOptions | undefined;
}

/** Judges an invocation. Throws one `usage` failure with all its faults. */
export async function prepareCall(invocation: Invocation, given: Runtime): Promise<PreparedCall> {
  const { operation, spelling, typed, faults } = invocation;
  const command = ['social', ...spelling.words].join(' ');
  const resolved = resolveSettings(typed.flags, given.env, readConfig(given));
  const { settings, unknownContext } = resolved;
  const runtime = withSettings(given, settings);
  if (invocation.announced !== true) await announceAccessible(settings, runtime);
  const paths = await fieldPaths(operation, settings.fields);
  const waiting = parseWaitOptions(operation, typed.flags);
  const many = parseBatchSettings(typed.flags);
  const files = many.asked
    ? (await import('../batch/file-faults.ts')).fileFaults(many.batch, typed.flags, runtime)
    : [];
  const jq = await prepareFilter(settings, runtime);
  const before = [
    ...faults,
    ...resolved.faults,
    ...(unknownContext === undefined ? [] : [unknownContext]),
    ...paths.faults,
    ...waiting.faults,
    ...many.faults,
    ...files,
    ...jq.faults,
  ];
  const { hooks } = invocation;
  const gathered = await collectInputs(invocation, {
    settings,
    runtime,
    mayAsk: before.length === 0,
    records: many.batch.from !== undefined,
  });
  const batch = many.asked || gathered.inputs.length > 1 ? many.batch : undefined;
  const alone =
    batch !== undefined && typed.flags['interactive'] === true
      ? [{ field: '--interactive', problem: 'takes one id and no batch' }]
      : [];
  const own = gathered.inputs.flatMap((input) => hooks.faults?.(input, gathered.flags) ?? []);
  const all = [...before, ...gathered.faults, ...own.slice(0, 1), ...alone];
  if (all.length > 0) throw usageFailure(await withSuggestions(all), `${command} --help`);
  return {
    inputs: gathered.inputs,
    shared: gathered.shared,
    batch,
    command,
    paths: paths.found,
    settings,
    flags: gathered.flags,
    notes: gathered.notes,
    waiting: waiting.waiting,
    filter: jq.filter,
  };
}

/** The full paths that `--fields` names, with a fault for each that the result does not have. */
async function fieldPaths(
  operation: Operation,
  typed: readonly string[],
): Promise<{ found: readonly string[]; faults: readonly Fault[] }> {
  const resolved = typed.map((path) => [path, resolvePath(operation, path)] as const);
  const unknown = resolved.flatMap(([name, path]) => (path === undefined ? [name] : []));
  const found = resolved.flatMap(([, path]) => path ?? []);
  return { found, faults: await fieldFaults(unknown, () => pathsOf(operation)) };
}
