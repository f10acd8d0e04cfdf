// What the parts of a batch share: types alone.

import type { World } from '../base/runtime.ts';
import type { Replacement } from '../fs/atomic-write.ts';
import type { Journal } from './journal/journal.ts';
import type { BatchSettings } from './options.ts';
import type { Records } from './read/validate-records.ts';
import type { Invocation, PreparedInput } from '../input/types.ts';
import type { Waiting } from '../wait/options.ts';
import type { Calling } from '../client/call-context.ts';

/** What was typed for a batch, once all of it has been found good. */
export interface PreparedBatch extends PreparedInput {
  readonly batch: BatchSettings;
  /** How each record is waited for; absent when nobody wants to. */
  readonly waiting: Waiting | undefined;
}

export interface Task {
  readonly invocation: Invocation;
  readonly prepared: PreparedBatch;
  readonly batch: BatchSettings;
  readonly records: Records;
  readonly world: World;
  readonly note: (line: string) => void;
}

export interface Run extends Task {
  readonly calling: Calling;
  readonly journal?: Journal;
  readonly path?: string;
  /** Takes the records that failed. */
  readonly failures: Replacement | undefined;
}
