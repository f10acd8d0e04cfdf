// How a record ended, for the reports of `--report`: the types alone.

import type { Failure } from '../../base/errors.ts';
import type { Cause } from '../../client/causes.ts';

/** How a record ended. */
export type CaseState = 'ok' | 'failed' | 'unknown' | 'pending' | 'skipped' | 'not started';

/** A record and its end, in texts without secrets and control characters. */
export interface ReportCase {
  readonly name: string;
  readonly state: CaseState;
  readonly failure?: Failure | undefined;
  readonly cause?: Cause;
  /** What the platforms said, a line each. */
  readonly errors: readonly string[];
  readonly seconds: number;
}

export interface ReportTotals {
  readonly counts: ReadonlyMap<CaseState, number>;
  readonly causes: ReadonlyMap<Cause, number>;
  readonly seconds: number;
  /** What the command ends with. */
  readonly failure: Failure | undefined;
}

export interface ReportWriter {
  add(each: ReportCase): void;
  finish(totals: ReportTotals): void;
}
