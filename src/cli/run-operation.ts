// Runs one command of an operation: prepare → confirm → client → call → wait → show. On a terminal, missing values are
// asked for; `batch/` makes many calls.

import {
  effectOf,
  idOf,
  type Input,
  isChange,
  type Operation,
} from '../api/operations/define-operation.ts';
import {
  type CommandNames,
  fieldsOf,
  isCredential,
  pathOfLabel,
  pathsOf,
  pathsToList,
  resolvePath,
} from '../api/operations/fields.ts';
import type { Fault } from '../base/fault.ts';
import type { Runtime } from '../base/runtime.ts';
import { type BatchOptions, batchOptionsOf } from '../batch/options.ts';
import type { CallOutcome, Command, Session } from '../client/session.ts';
import { dryRunRequest, readsFirst, requestAfterRead, writeRequests } from '../client/dry-run.ts';
import { baseUrlOf, type Client, originOf, withClient } from '../client/open-client.ts';
import { isHistoryOff, isJsonForm } from '../config/flags.ts';
import { acceptedLately } from '../history/accepted-lately.ts';
import { changeTarget, historyWriterFor, runRecorded } from '../history/recorder.ts';
import { causesFlag, readCauseRules } from '../client/taught-causes.ts';
import { collectInputs, type OperationCall, recordedLine } from '../input/collect-input.ts';
import { excerpt } from '../base/sanitize.ts';
import { valueAt } from '../output/table-view.ts';
import { oncePerLine } from '../output/wrap.ts';
import { secretValuesIn, showsTypedCredential } from '../output/redact.ts';
import { fieldFaults, formOf, noteDone, showResult, writeResult } from '../output/write-result.ts';
import { confirmChange } from '../prompts/confirm.ts';
import { callAndWait } from '../wait/call-and-wait.ts';
import { waitOptionsOf } from '../wait/options.ts';
import { watchWait } from '../wait/wait.ts';
import type { Invocation } from './command-spec.ts';
import { refuseFaults } from './run-command.ts';

/** Runs the command of an operation. Throws the `Failure` it ends with. */
export async function runOperation(
  command: Command,
  spelling: CommandNames,
  typed: Invocation,
): Promise<void> {
  const { call, batchOptions } = await prepare(command, spelling, typed);
  const { hooks, notes, settings } = call;
  const { runtime, filter } = typed;
  // In a batch the filter gets the data of each result, as in a single call. Requests of a dry run, and the summary of
  // all records, are filtered whole.
  if (filter !== undefined)
    filter.takesResults =
      batchOptions !== undefined && !settings.dryRun && hooks.gather === undefined;
  if (batchOptions === undefined && !settings.dryRun) return callOnce(call, runtime);
  notes.forEach(runtime.note);
  if (batchOptions === undefined) return dryRun(call, runtime);
  const { runBatch } = await import('../batch/run-batch.ts');
  await runBatch(call, batchOptions, runtime);
}

/** Validates a command line; `batchOptions` are absent for a single call. Throws one `usage` failure with all its faults. */
async function prepare(
  { operation, flags: flagSpecs = [], waits, hooks: load }: Command,
  spelling: CommandNames,
  typed: Invocation,
): Promise<{ readonly call: OperationCall; readonly batchOptions: BatchOptions | undefined }> {
  const { settings, runtime, flags, typedFlags, operands, argv } = typed;
  const fields = fieldsOf(operation);
  const hooks = (await load?.()) ?? {};
  const paths = settings.fields.map((path) => ({ path, full: resolvePath(operation, path) }));
  const unknown = paths.filter(({ full }) => full === undefined).map(({ path }) => path);
  const batchFlags = batchOptionsOf(flags);
  const faults: Fault[] = [
    ...fieldFaults(unknown, pathsOf(operation), pathsToList(operation), (path) =>
      pathOfLabel(operation, path),
    ),
    ...(batchFlags.isTyped
      ? (await import('../batch/failures-file.ts')).fileFaults(batchFlags.batchOptions)
      : []),
  ];
  const causeRules = flagSpecs.includes(causesFlag) ? readCauseRules(flags, runtime, faults) : [];
  const { inputs, shared, notes, ...collected } = await collectInputs(
    { operation, fields, spelling },
    {
      operands,
      typedFlags,
      settings,
      runtime,
      isSound: typed.faults.length + faults.length === 0,
      hasRecords: batchFlags.batchOptions.from !== undefined,
    },
  );
  const isBatch = batchFlags.isTyped || inputs.length > 1 || hooks.gather !== undefined;
  faults.push(...collected.faults);
  if (isBatch && flags['interactive'] === true)
    faults.push({
      field: '--interactive',
      problem: 'cannot be used in a batch: it accepts one ID',
    });
  refuseFaults(typed, faults);
  const call: OperationCall = {
    operation,
    fields,
    flagSpecs,
    hooks,
    spelling,
    argv,
    operands,
    typedFlags,
    flags,
    settings,
    inputs,
    shared,
    notes,
    paths: paths.flatMap(({ full }) => full ?? []),
    waiting:
      waits === true || flags['wait'] === true ? waitOptionsOf(flags, operation.wait) : undefined,
    causeRules,
  };
  return { call, batchOptions: isBatch ? batchFlags.batchOptions : undefined };
}

/** Shows the request of a single call, which has one input. Sends only a read that the request depends on. */
async function dryRun(call: OperationCall, runtime: Runtime): Promise<void> {
  const { inputs, settings } = call;
  if (!readsFirst(call)) return writeRequests(inputs.map(dryRunRequest(call)), settings, runtime);
  await withClient(call, runtime, async (client) => {
    const request = await requestAfterRead(sessionOf(call, client), inputs[0]!);
    if (request !== undefined) await writeRequests([request], settings, runtime);
  });
}

/** Makes one call: confirms it, opens the client, and records a change in the history while it is made. */
async function callOnce(call: OperationCall, runtime: Runtime): Promise<void> {
  const { operation, fields, spelling, inputs, settings, notes, waiting } = call;
  // Without a service there is nothing to confirm.
  baseUrlOf(settings);
  // A single call has one input.
  const input = inputs[0]!;
  const words = spelling.words.join(' ');
  // The confirmation may quote the typed line, so its secrets are masked from here on.
  runtime.secrets.add(
    secretValuesIn(
      fields.filter((field) => !isCredential(field)),
      input,
    ),
  );
  const unmask = runtime.secrets.add(secretValuesIn(fields.filter(isCredential), input));
  await confirmChange({ operation, words, ids: [idOf(input)] }, settings, runtime);
  const change = {
    command: words,
    // The hooks may have changed the input.
    targetOf: (sent: Input) => ({ ...changeTarget(fields, sent), line: recordedLine(call) }),
    operation,
    confirmsRepeats: effectOf(operation) === 'once',
    isWaitedFor: waiting !== undefined,
  };
  // Each note is shown once, because every poll would repeat it.
  const noting = { ...runtime, note: oncePerLine(runtime.note) };
  await withClient(call, noting, async (client) => {
    notes.forEach(noting.note);
    const history = isChange(operation) ? historyWriterFor(change, client) : undefined;
    const session = { ...sessionOf(call, client), observer: history };
    await runRecorded(history, () => callAndShow(call, session));
  }).catch((error: unknown) => {
    // Everything else is written by now: only the report of this error may show what the person has typed.
    if (showsTypedCredential(settings, runtime)) unmask();
    throw error;
  });
}

const sessionOf = ({ operation, hooks, typedFlags }: OperationCall, client: Client): Session => ({
  ...client,
  operation,
  hooks,
  typedFlags,
  acceptedLately: acceptedLately(client),
});

/** Calls, waits if that is requested, and shows the result. Throws the failure of the wait. */
async function callAndShow(call: OperationCall, session: Session): Promise<void> {
  const { hooks, inputs, waiting } = call;
  const input = inputs[0]!;
  let outcome = await callAndWait(session, waiting, input);
  await show(outcome, call, session);
  if ((await hooks.offerWait?.(outcome, session)) === true) {
    const patience = waitOptionsOf({}, session.operation.wait);
    outcome = await watchWait(session, { input, waiting: patience });
    await show(outcome, call, session);
  }
  sayDone(outcome, input, waiting !== undefined, session);
  await hooks.after?.(outcome, input, session);
}

const LONGEST_SAID = 100;

/** Says to a person at a terminal what is so after a change. */
function sayDone(
  { data, isSkipped }: CallOutcome,
  input: Input,
  isWaitedFor: boolean,
  { operation, settings, runtime }: Session,
): void {
  const { stdout, stderr } = runtime;
  if (isSkipped === true || !stderr.isTTY || isJsonForm(formOf(settings, stdout))) return;
  const said = (path: string): string | undefined => {
    const value = valueAt({ input }, path) ?? valueAt(data, path) ?? valueAt(input, path);
    const isText = ['string', 'number', 'boolean'].includes(typeof value);
    return isText ? excerpt(String(value), LONGEST_SAID) : undefined;
  };
  const sentence = operation.done?.(said, isWaitedFor);
  if (sentence !== undefined) noteDone(sentence, settings, runtime);
}

/** Shows a result, and remembers its IDs. Then throws its failure, if it has one. */
async function show(outcome: CallOutcome, call: OperationCall, session: Session): Promise<void> {
  const { paths, inputs } = call;
  const { operation, settings, runtime, causeRules } = session;
  // If there was nothing to do, no change was made, whatever the operation is.
  const isChanged = isChange(operation) && outcome.isSkipped !== true;
  await writeResult(outcome.data, isChanged, async () => {
    let { data } = outcome;
    if (paths.length === 0 && formOf(settings, runtime.stdout) === 'table') {
      // The import is dynamic because scripts read no table.
      const { withCauses } = await import('../client/remedies.ts');
      data = withCauses(data, causeRules);
    }
    await showResult({ operation, paths, settings, runtime }, { ...outcome, data });
  });
  await rememberShownIds(session, operation, inputs[0]!, outcome.data);
  if (outcome.failure !== undefined) throw outcome.failure;
}

/**
 * Remembers the IDs of a call whose result was shown, for completion: only at a terminal, where TAB is pressed, and
 * unless the history is off.
 */
export async function rememberShownIds(
  { service, runtime }: Client,
  { path, platform }: Pick<Operation, 'path' | 'platform'>,
  input: Input,
  data: unknown,
): Promise<void> {
  if (!runtime.stdout.isTTY || isHistoryOff(runtime)) return;
  const { rememberIds } = await import('../history/seen-ids.ts');
  const shown = { origin: originOf(service), path, input, data, platform };
  await rememberIds(shown, runtime);
}
