// One command of an operation, from what was typed to what is shown:
// prepare → consent → open → call → wait → show. On a terminal, what is missing is asked for; many calls are `batch/`.

import { idOf, type Input, isChange, type Operation } from '../api/operations/define-operation.ts';
import { pathsOf, pathsToList, resolvePath } from '../api/operations/fields.ts';
import { type Fault, usageFailure } from '../base/errors.ts';
import type { Runtime } from '../base/runtime.ts';
import { parseBatchSettings } from '../batch/options.ts';
import type { PreparedCall, ResultGatherer } from '../batch/types.ts';
import type { CallContext, CallOutcome, CommandHooks } from '../client/call-context.ts';
import { createCallContext } from '../client/call-operation.ts';
import { dryRunAfterRead, dryRunRequest, writeRequests } from '../client/dry-run.ts';
import { baseUrlOf, openService, originOf } from '../client/open-service.ts';
import { readConfig } from '../config/file.ts';
import { isHistoryOff } from '../config/flags.ts';
import { type Resolved, resolveSettings, withSettings } from '../config/settings.ts';
import { recordDuring } from '../history/record-during.ts';
import { collectInputs } from '../input/collect-input.ts';
import { secretValuesIn } from '../input/secret-input.ts';
import type { Invocation } from '../input/types.ts';
import { prepareFilter, withFilter, type WorkDone } from '../output/jq-filter.ts';
import { fieldFaults, showResult } from '../output/write-result.ts';
import { confirmChange } from '../prompts/confirm.ts';
import { announceAccessible } from '../prompts/policy.ts';
import { callAndWait } from '../wait/call-and-wait.ts';
import { parseWaitOptions } from '../wait/options.ts';

/** A command of its own over the reader of lists: typed and listed like an operation, which reads each record. */
export interface ListCommand {
  /** What is typed, and how the result is laid out. */
  readonly operation: Operation;
  readonly hooks: CommandHooks;
  /** Whether it waits without `--wait`. */
  readonly waits?: true;
  /** Makes one result of all records; then a single ID is a batch too. */
  readonly gather?: (callContext: CallContext, argv: readonly string[]) => ResultGatherer;
}

/** Runs the command of an operation or of a list. Throws the `Failure` it ends with. */
export async function runOperation(
  invocation: Invocation,
  given: Runtime,
  gather?: ListCommand['gather'],
): Promise<void> {
  const resolved = resolveSettings(invocation.typed.flags, given.env, readConfig(given));
  const { settings } = resolved;
  const runtime = withSettings(given, settings);
  const prepared = await prepareCall(invocation, resolved, runtime, gather);
  const { operation, batch, filter, notes } = prepared;
  const isSent = !settings.dryRun;
  const done: WorkDone = { isSent, isChange: isSent && isChange(operation) };
  const showsResults = batch !== undefined && isSent && gather === undefined;
  const run = async (shown: Runtime) => {
    if (batch === undefined && !settings.dryRun) return callOnce(prepared, done, shown);
    notes.forEach(shown.note);
    if (batch === undefined) return dryRun(prepared, shown);
    const { runBatch } = await import('../batch/run-batch.ts');
    await runBatch(prepared, batch, shown);
  };
  await withFilter(filter, done, runtime, run, showsResults);
}

/** Judges an invocation by its settings. Throws one `usage` failure with all its faults. */
async function prepareCall(
  invocation: Invocation,
  { settings, faults, unknownContext }: Resolved,
  runtime: Runtime,
  gather: ListCommand['gather'],
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
    ...fieldFaults(
      unknown,
      () => pathsOf(operation),
      () => pathsToList(operation),
    ),
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
  const isBatch = many.asked || inputs.length > 1 || gather !== undefined;
  const batch = isBatch ? many.batch : undefined;
  const misused =
    batch !== undefined && typed.flags['interactive'] === true
      ? [{ field: '--interactive', problem: 'cannot be used in a batch: it accepts one ID' }]
      : [];
  const all = [...before, ...collected.faults, ...misused];
  if (all.length > 0) throw usageFailure(all, `${command} --help`);
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
    gather: gather && ((callContext) => gather(callContext, invocation.argv)),
    waiting: waiting.waiting,
    canaryWaiting: waiting.canaryWaiting,
    filter: jq.filter,
  };
}

async function dryRun(prepared: PreparedCall, runtime: Runtime): Promise<void> {
  const { hooks, inputs, settings, flags } = prepared;
  if (hooks.readsFirst?.(flags) !== true)
    return writeRequests(inputs.map(dryRunRequest(prepared)), settings, runtime);
  await dryRunAfterRead(prepared, runtime, async (readThenRequest, callContext) => {
    const request = await readThenRequest(inputs[0]!, callContext);
    if (request !== undefined) await writeRequests([request], settings, runtime);
  });
}

/** Calls with one input, shows the result, and then ends as the result says. */
async function callOnce(prepared: PreparedCall, done: WorkDone, runtime: Runtime): Promise<void> {
  const { operation, fields, hooks, spelling, inputs, settings, flags, argv } = prepared;
  // Without a service there is nothing to confirm.
  baseUrlOf(settings);
  const input = inputs[0]!;
  const ids = [idOf(input)];
  const words = spelling.words.join(' ');
  // What is refused here is said with the line as it was typed.
  runtime.secrets.add(secretValuesIn(fields, input));
  await confirmChange({ operation, words, ids, count: 1, flags, argv }, settings, runtime);
  const service = await openService(settings, runtime);
  prepared.notes.forEach(runtime.note);
  const opened = await createCallContext(prepared, service, runtime);
  // The cause of each target's error is shown. Loaded late: only a table tells it.
  const explained =
    operation.rows === 'targets'
      ? async (data: unknown) => (await import('../client/causes.ts')).withCauses(data)
      : undefined;
  try {
    const watched = isChange(operation) ? await watchChange(prepared, opened) : undefined;
    const callContext = { ...opened, change: watched?.watch };
    await recordDuring(watched, async () => {
      let ended: CallOutcome | undefined = await callAndWait(callContext, prepared.waiting, input);
      while (ended !== undefined) {
        done.isChange &&= ended.isSkipped !== true;
        await showResult({ ...opened, explained }, ended);
        await rememberShownIds(callContext, operation.path, input, ended.data);
        if (ended.failure !== undefined) throw ended.failure;
        hooks.judge?.(ended.data, flags);
        ended = await hooks.after?.(ended, input, callContext);
      }
    });
  } finally {
    await service.close();
  }
}

/** Loaded late: most calls are reads. */
async function watchChange(prepared: PreparedCall, callContext: CallContext) {
  const [{ changeTarget, observeChange }, { recordedLine }] = await Promise.all([
    import('../history/recorder.ts'),
    import('../input/recorded-line.ts'),
  ]);
  const more = { line: recordedLine(prepared) };
  const command = prepared.spelling.words.join(' ');
  const targetOf = (input: Input) => ({ ...changeTarget(prepared.fields, input), more });
  const { operation, waiting } = prepared;
  const change = { command, targetOf, operation, asks: true, isWaitedFor: waiting !== undefined };
  return observeChange(change, callContext);
}

/**
 * Keeps the ids of a call whose result was shown, for completion: only at a terminal, where TAB is pressed, and unless
 * nothing is to be remembered.
 */
export async function rememberShownIds(
  { service, runtime, operation }: CallContext,
  path: string,
  input: Input,
  data: unknown,
): Promise<void> {
  if (!runtime.stdout.isTTY || isHistoryOff(runtime)) return;
  const { rememberIds } = await import('../history/seen-ids.ts');
  const shown = { origin: originOf(service), path, input, data, platform: operation.platform };
  await rememberIds(shown, runtime);
}
