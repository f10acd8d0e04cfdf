// The dry run of a batch: the request of each record as it would leave, in the order of the records.

import { Failure, isSignal } from '../base/errors.ts';
import type { HttpRequest } from '../base/http.ts';
import { type Looked, looksFirst, rehearsal, withLooks, writeRequests } from '../client/dry-run.ts';
import { asFailure } from '../output/error-report.ts';
import type { Item } from './read/validate-records.ts';
import { paceOf, turnsFor } from './run/rate-limit.ts';
import type { Task } from './types.ts';
import type { Calling } from '../client/call-context.ts';

/** Prints what would be sent. Throws where a post that has to be read for it cannot be read. */
export async function rehearseBatch(task: Task): Promise<void> {
  const { invocation, prepared, records, world } = task;
  if (looksFirst(invocation, prepared))
    return withLooks(invocation, prepared, world, (look, calling) =>
      lookAtAll(task, look, calling),
    );
  const request = rehearsal(invocation, prepared.settings);
  for await (const group of records.items(undefined)) {
    world.signal.throwIfAborted();
    await writeRequests(
      group.map(({ input }) => request(input)),
      prepared.settings,
      world,
    );
  }
}

async function lookAtAll(task: Task, look: Looked, calling: Calling): Promise<void> {
  const { batch, records, prepared, world, note } = task;
  const { settings } = prepared;
  const { pace, patience } = paceOf(batch, settings, world, world.signal);
  const paced = {
    ...calling,
    patience: (_: unknown, retries: number) => turnsFor(pace, patience, retries),
  };
  let failed = 0;
  const one = async ({ input, line }: Item): Promise<HttpRequest | undefined> => {
    try {
      return await look(input, paced);
    } catch (error) {
      const failure = asFailure(error);
      // What ends one of these ends all others too.
      if (isSignal(failure.kind) || ['unauthorized', 'internal'].includes(failure.kind))
        throw error;
      failed++;
      note(`record ${line}: ${failure.facts.what}`);
      return undefined;
    }
  };
  for await (const group of records.items(undefined)) {
    for (let at = 0; at < group.length; at += batch.concurrency) {
      const requests = await Promise.all(group.slice(at, at + batch.concurrency).map(one));
      await writeRequests(
        requests.filter((each) => each !== undefined),
        settings,
        world,
      );
    }
  }
  if (failed > 0)
    throw new Failure('batch_failed', {
      what: `${failed} of ${records.count} posts could not be read`,
      sent: true,
      retryable: false,
    });
}
