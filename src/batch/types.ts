// What the parts of a batch share: types alone.

import type { Runtime } from '../base/runtime.ts';
import type { Replacement } from '../fs/atomic-write.ts';
import type { Journal } from './journal/journal.ts';
import type { BatchSettings } from './options.ts';
import type { ValidRecords } from './read/validate-records.ts';
import type { Invocation, PreparedInput } from '../input/types.ts';
import type { WaitOptions } from '../wait/options.ts';
import type { CallContext } from '../client/call-context.ts';

/** What was typed for a batch, once all of it has been found good. */
export interface PreparedBatch extends PreparedInput {
  readonly batch: BatchSettings;
  /** How each record is waited for; absent when nobody wants to. */
  readonly waiting: WaitOptions | undefined;
}

export interface BatchTask {
  readonly invocation: Invocation;
  readonly prepared: PreparedBatch;
  readonly batch: BatchSettings;
  readonly records: ValidRecords;
  readonly runtime: Runtime;
}

export interface BatchRun extends BatchTask {
  readonly callContext: CallContext;
  readonly journal?: Journal;
  readonly path?: string;
  /** Takes the records that failed. */
  readonly failures: Replacement | undefined;
}
