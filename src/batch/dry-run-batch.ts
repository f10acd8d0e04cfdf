// The dry run of a batch: prints the request of each record, in order, and sends no change.

import { Failure } from '../base/errors.ts';
import type { HttpRequest } from '../base/http.ts';
import { sanitizeLine } from '../base/sanitize.ts';
import { dryRunRequest, readsFirst, requestAfterRead, writeRequests } from '../client/dry-run.ts';
import type { CallContext } from '../client/call-context.ts';
import { withClient } from '../client/open-client.ts';
import { oncePerLine } from '../output/wrap.ts';
import { createLimiter, readEach } from './limiter.ts';
import { labelOf } from './read/validate-records.ts';
import type { BatchTask } from './types.ts';

/** Prints the requests. Throws if a post that a request depends on cannot be read. */
export async function dryRunBatch(task: BatchTask): Promise<void> {
  const { prepared, records, runtime } = task;
  if (readsFirst(prepared)) return printAfterReads(task);
  const request = dryRunRequest(prepared);
  const requests = records.map(({ input }) => request(input));
  await writeRequests(requests, prepared.settings, runtime);
}

/** Reads the posts first, `--concurrency` at a time, because the requests depend on them. */
async function printAfterReads({
  batch,
  records,
  unit,
  prepared,
  runtime,
}: BatchTask): Promise<void> {
  const { settings, operation, hooks } = prepared;
  const { signal, note, secrets } = runtime;
  const limiter = createLimiter(batch, settings, runtime, { signal });
  const retryPolicy = limiter.retryPolicyOf('call');
  const options = { ...prepared, connections: batch.concurrency };
  // Each warning is shown once, because every read would repeat it.
  const readRuntime = { ...runtime, note: oncePerLine(note) };
  const requestOrFailures = await withClient(options, readRuntime, (client) => {
    const callContext: CallContext = { ...client, operation, hooks, retryPolicy, isBatch: true };
    return readEach(records, { limiter, signal }, ({ input }) =>
      requestAfterRead(callContext, input),
    );
  });
  const requests: HttpRequest[] = [];
  let failed = 0;
  for (const [i, record] of records.entries()) {
    const request = requestOrFailures[i];
    if (request instanceof Failure) {
      failed++;
      const label = labelOf(record, unit, secrets.mask);
      note(`error: ${label}: ${sanitizeLine(request.facts.what)}`);
    } else if (request !== undefined) requests.push(request);
  }
  await writeRequests(requests, settings, runtime);
  // Without a request the read found nothing to send.
  const skipped = records.length - requests.length - failed;
  if (skipped > 0) note(`${skipped} of ${records.length} skipped: nothing to retry`);
  if (failed > 0)
    throw new Failure('batch_failed', {
      what: `${failed} of ${records.length} posts could not be read`,
      sent: true,
      retryable: false,
    });
}
