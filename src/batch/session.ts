// A batch, and what is open while it runs.

import type { Failure } from '../base/errors.ts';
import type { Service } from '../client/open-client.ts';
import type { Session } from '../client/session.ts';
import type { OperationCall } from '../input/collect-input.ts';
import type { Cancellation } from './cancellation.ts';
import type { FailuresWriter } from './failures-file.ts';
import type { Journal } from './journal/journal.ts';
import type { RecordJournal } from './journal/record-journal.ts';
import type { Limiter } from './limiter.ts';
import type { BatchOptions } from './options.ts';
import type { BatchRecord, RecordSource } from './read/validate-records.ts';
import type { BatchBoard } from './report/board.ts';
import type { BatchSummary } from './report/summary.ts';

/** A batch whose records are valid. */
export interface Batch extends RecordSource {
  readonly call: OperationCall;
  /** The values of its own flags. */
  readonly batchOptions: BatchOptions;
  readonly records: readonly BatchRecord[];
}

/**
 * An open batch. Its runtime is the one of its calls: interrupted only after the grace, and each note shown once. It has no
 * service of its own: only a record makes a session that can call, whose changes go to the journal first.
 */
export interface BatchSession extends Omit<Session, 'service'>, Batch {
  readonly serviceOfRecords: Service;
  readonly journal: Journal | undefined;
  /** Returns what the journal knows of a record. */
  readonly journalOf: (record: BatchRecord) => RecordJournal | undefined;
  readonly failuresFile: FailuresWriter;
  readonly limiter: Limiter;
  readonly cancel: Cancellation;
  readonly summary: BatchSummary;
  /** The targets of each platform, if they are drawn, or a canary needs them. */
  readonly board?: BatchBoard | undefined;
  /** True if the board is drawn while it runs. */
  readonly isDrawn?: boolean;
}

/** A batch that has ended, for its report. */
export interface EndedBatch extends BatchSession {
  /** The reason why not every record was started; `undefined` if all were. */
  readonly stopped: Failure | undefined;
  /** True if any request was sent. */
  readonly sent: boolean;
  /** The file of --failures-to, if it has all records that are left, and there are any. */
  readonly savedTo: string | undefined;
}

/** The part of an open batch that its results need. */
export type ResultRun = Omit<Session, 'service'> &
  RecordSource &
  Pick<BatchSession, 'call' | 'serviceOfRecords' | 'isDrawn'>;
