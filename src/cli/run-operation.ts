// One command of an operation, from what was typed to what is shown:
// prepare → consent → open → call → wait → show. Each step is a module of its own; many calls are `batch`.

import { isChange, type Input } from '../api/operations/define-operation.ts';
import type { Runtime } from '../base/runtime.ts';
import { createCallContext } from '../client/call-operation.ts';
import { openService, originOf, locationOf } from '../client/open-service.ts';
import { isHistoryOff } from '../config/flags.ts';
import { withSettings } from '../config/settings.ts';
import { secretValuesIn, storeGeneratedSecret } from '../input/secret-input.ts';
import { CHANGE_DONE, withFilter } from '../output/jq-filter.ts';
import { showResult } from '../output/write-result.ts';
import { confirmChange } from '../prompts/confirm.ts';
import { callAndWait } from '../wait/call-and-wait.ts';
import type { WaitOptions } from '../wait/options.ts';
import { dryRunRequest, writeRequests } from '../client/dry-run.ts';
import { prepareCall, type PreparedCall } from './prepare-call.ts';
import type { Invocation } from '../input/types.ts';
import type { CallContext, CallOutcome } from '../client/call-context.ts';
import { recordDuring } from '../history/record-during.ts';

// Whether the ids of a call are kept for completion: at a terminal, where somebody may press TAB, unless nothing of what
// is done is to be remembered. Loads what keeps them only then.

/** Keeps the ids of a call whose result was shown. */
export async function rememberShownIds(
  { service, runtime }: CallContext,
  path: string,
  input: Readonly<Record<string, unknown>>,
  data: unknown,
): Promise<void> {
  if (!runtime.stdout.isTTY || isHistoryOff(runtime)) return;
  const { rememberIds } = await import('../history/seen-ids.ts');
  await rememberIds({ origin: originOf(service), path, input, data }, runtime);
}

/** Runs an operation's command. Throws the `Failure` it ends with. */
export async function runOperation(invocation: Invocation, given: Runtime): Promise<void> {
  const prepared = await prepareCall(invocation, given);
  const { settings, filter } = prepared;
  const runtime = withSettings(given, settings);
  const isDone = isChange(invocation.operation) && !settings.dryRun;
  const done = isDone ? [CHANGE_DONE] : [];
  await withFilter({ filter, done }, runtime, (shown) => carryOut(invocation, prepared, shown));
}

async function carryOut(
  invocation: Invocation,
  prepared: PreparedCall,
  runtime: Runtime,
): Promise<void> {
  const { operation, fields, hooks, spelling } = invocation;
  const { inputs, settings, flags, waiting } = prepared;
  const tell = () => prepared.notes.forEach(runtime.note);
  if (prepared.batch !== undefined) {
    tell();
    const { runBatch } = await import('../batch/run-batch.ts');
    return runBatch(invocation, { ...prepared, batch: prepared.batch }, runtime);
  }
  if (settings.dryRun) {
    tell();
    if (hooks.looks?.(flags) !== true)
      return writeRequests(inputs.map(dryRunRequest(invocation, settings)), settings, runtime);
    const { dryRunAfterRead } = await import('../client/dry-run.ts');
    return dryRunAfterRead(invocation, prepared, runtime, async (look, callContext) => {
      const request = await look(inputs[0]!, callContext);
      if (request !== undefined) await writeRequests([request], settings, runtime);
    });
  }
  const place = locationOf(settings);
  const ids = inputs.map(idOf);
  const intent = {
    operation,
    words: spelling.words.join(' '),
    ids,
    count: ids.length,
    flags,
    argv: invocation.argv,
  };
  // What is refused here is said with the line as it was typed.
  runtime.secrets.add(inputs.flatMap((input) => secretValuesIn(fields, input)));
  await confirmChange(intent, settings, runtime);
  const service = await openService(place, settings, runtime);
  tell();
  const callContext = await createCallContext(invocation, prepared, service, runtime);
  try {
    await storeGeneratedSecret(fields, flags, inputs[0]!);
    const watched = isChange(operation)
      ? (await import('../history/change-observer.ts')).observeChange(invocation, {
          settings,
          service,
          runtime,
        })
      : undefined;
    await recordDuring(watched?.record, () =>
      once({ ...callContext, change: watched?.watch }, waiting, inputs[0]!),
    );
  } finally {
    await service.close();
  }
}

/** Calls with one input, shows the result, and then ends as the result says. */
async function once(
  callContext: CallContext,
  waiting: WaitOptions | undefined,
  input: Input,
): Promise<void> {
  const { operation, hooks, flags } = callContext;
  let ended: CallOutcome | undefined = await callAndWait(callContext, waiting, input);
  while (ended !== undefined) {
    await showResult(callContext, ended.data, ended.serverTime);
    await rememberShownIds(callContext, operation.path, input, ended.data);
    if (ended.failure !== undefined) throw ended.failure;
    hooks.judge?.(ended.data, flags);
    ended = await hooks.after?.(ended, input, callContext);
  }
}

/** The id that an input is about: its first field. */
const idOf = (input: Input): string => String(Object.values(input)[0]);
