// The types that the parts of a batch share.

import type { Runtime } from '../base/runtime.ts';
import type { CallContext } from '../client/call-context.ts';
import type { PreparedCall } from '../input/collect-input.ts';
import type { Journal } from './journal/journal.ts';
import type { FailuresWriter } from './files.ts';
import type { BatchSettings } from './options.ts';
import type { BatchRecord } from './read/validate-records.ts';

/** A batch whose records are valid. */
export interface BatchTask {
  readonly prepared: PreparedCall;
  readonly batch: BatchSettings;
  readonly records: readonly BatchRecord[];
  /** The unit of positions in messages; `undefined` for typed IDs. */
  readonly unit: string | undefined;
  readonly runtime: Runtime;
}

/** A batch whose service and files are open. */
export interface BatchRun extends BatchTask {
  readonly callContext: CallContext;
  readonly journal: Journal | undefined;
  readonly failuresFile: FailuresWriter;
}
