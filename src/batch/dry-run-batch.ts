// The dry run of a batch: prints the request of each record, in order, and sends no change.

import { idOf } from '../api/operations/define-operation.ts';
import { Failure } from '../base/errors.ts';
import { isSignal } from '../base/exit-codes.ts';
import type { HttpRequest } from '../base/http.ts';
import { sanitizeLine } from '../base/sanitize.ts';
import {
  checkServiceNamed,
  dryRunRequest,
  requestAfterRead,
  writeRequests,
} from '../client/dry-run.ts';
import { type Client, withClient } from '../client/open-client.ts';
import { asFailure } from '../output/error-report.ts';
import { oncePerLine } from '../output/notes.ts';
import type { BatchItem } from './read/records.ts';
import { eachLimited, limiterFor } from './limiter.ts';
import type { BatchTask } from './types.ts';

const WRITTEN_AT_ONCE = 1000;

/** Prints what would be sent. Throws where a post that the request depends on cannot be read. */
export async function dryRunBatch(task: BatchTask): Promise<void> {
  const { prepared, records, runtime } = task;
  if (prepared.hooks.readsFirst?.(prepared.flags) === true) return printAfterReads(task);
  const request = dryRunRequest(prepared);
  const items = records.items(undefined);
  for (let at = 0; at < items.length; at += WRITTEN_AT_ONCE) {
    runtime.signal.throwIfAborted();
    const requests = items.slice(at, at + WRITTEN_AT_ONCE).map(({ input }) => request(input));
    await writeRequests(requests, prepared.settings, runtime);
  }
}

/** Reads the posts first, `--concurrency` at a time, because the requests depend on them. */
async function printAfterReads(task: BatchTask): Promise<void> {
  const { prepared, batch } = task;
  checkServiceNamed(prepared.settings);
  const runtime = { ...task.runtime, note: oncePerLine(task.runtime.note) };
  const options = { ...prepared, connections: batch.concurrency };
  await withClient(options, runtime, (client) => readAndPrint(task, client));
}

async function readAndPrint(
  { batch, records, prepared, runtime }: BatchTask,
  client: Client,
): Promise<void> {
  const { settings, operation, hooks } = prepared;
  const { signal } = runtime;
  const { limiter, retryPolicy } = limiterFor(batch, settings, runtime, { signal });
  const callContext = { ...client, operation, hooks, retryPolicy };
  let failed = 0;
  const read = async ({ input, line }: BatchItem): Promise<HttpRequest | undefined> => {
    try {
      return await requestAfterRead(callContext, input);
    } catch (error) {
      const failure = asFailure(error);
      // The others would end in the same way.
      if (isSignal(failure.kind) || ['unauthorized', 'internal'].includes(failure.kind))
        throw error;
      failed++;
      const id = sanitizeLine(runtime.secrets.mask(idOf(input)));
      const where = batch.from === undefined ? id : `line ${line}: ${id}`;
      const { what, brief = what } = failure.facts;
      runtime.note(`error: ${where}: ${sanitizeLine(brief)}`);
      return undefined;
    }
  };
  const items = records.items(undefined);
  const requests = new Map<BatchItem, HttpRequest | undefined>();
  await eachLimited(items, { limiter, signal }, async (item) => {
    requests.set(item, await read(item));
  });
  signal.throwIfAborted();
  const found = items.map((item) => requests.get(item)).filter((each) => each !== undefined);
  await writeRequests(found, settings, runtime);
  const skipped = items.length - found.length - failed;
  if (skipped > 0) runtime.note(`${skipped} of ${records.count} skipped: nothing to retry`);
  if (failed > 0)
    throw new Failure('batch_failed', {
      what: `${failed} of ${records.count} posts could not be read`,
      sent: true,
      retryable: false,
    });
}
