// The types that the parts of a batch share.

import type { Runtime } from '../base/runtime.ts';
import type { Replacement } from '../fs/atomic-write.ts';
import type { Journal } from './journal/journal.ts';
import type { BatchSettings } from './options.ts';
import type { ValidRecords } from './read/validate-records.ts';
import type { Invocation, PreparedInput } from '../input/types.ts';
import type { WaitOptions } from '../wait/options.ts';
import type { CallContext } from '../client/call-context.ts';

/** The validated input of a batch. */
export interface PreparedBatch extends PreparedInput {
  readonly batch: BatchSettings;
  /** How to wait for each record; `undefined` without `--wait`. */
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
