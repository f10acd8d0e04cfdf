// The dry run of a batch: prints the request of each record, in order, and sends no change.

import { idOf } from '../api/operations/define-operation.ts';
import { Failure } from '../base/errors.ts';
import type { HttpRequest } from '../base/http.ts';
import { sanitizeLine } from '../base/sanitize.ts';
import {
  checkServiceNamed,
  dryRunRequest,
  readsFirst,
  requestAfterRead,
  writeRequests,
} from '../client/dry-run.ts';
import type { CallContext } from '../client/call-context.ts';
import { type Client, withClient } from '../client/open-client.ts';
import { oncePerLine } from '../output/notes.ts';
import { limiterFor, readEach } from './limiter.ts';
import type { BatchTask } from './types.ts';

const WRITTEN_AT_ONCE = 1000;

/** Prints the requests. Throws if a post that a request depends on cannot be read. */
export async function dryRunBatch(task: BatchTask): Promise<void> {
  const { prepared, records, runtime } = task;
  if (readsFirst(prepared.hooks, prepared.flags)) return printAfterReads(task);
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
  const { signal, note, secrets } = runtime;
  const { limiter, retryPolicy } = limiterFor(batch, settings, runtime, { signal });
  const callContext: CallContext = { ...client, operation, hooks, retryPolicy, isBatch: true };
  const items = records.items(undefined);
  const found = await readEach(items, { limiter, signal }, ({ input }) =>
    requestAfterRead(callContext, input),
  );
  const requests: HttpRequest[] = [];
  let failed = 0;
  for (const [i, { input, line }] of items.entries()) {
    const request = found[i];
    if (request instanceof Failure) {
      failed++;
      const id = sanitizeLine(secrets.mask(idOf(input)));
      const where = records.unit === undefined ? id : `${records.unit} ${line}: ${id}`;
      note(`error: ${where}: ${sanitizeLine(request.facts.what)}`);
    } else if (request !== undefined) requests.push(request);
  }
  await writeRequests(requests, settings, runtime);
  const skipped = items.length - requests.length - failed;
  if (skipped > 0) note(`${skipped} of ${records.count} skipped: nothing to retry`);
  if (failed > 0)
    throw new Failure('batch_failed', {
      what: `${failed} of ${records.count} posts could not be read`,
      sent: true,
      retryable: false,
    });
}
