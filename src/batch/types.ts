// The types that the parts of a batch share.

import type { Input } from '../api/operations/define-operation.ts';
import type { Runtime } from '../base/runtime.ts';
import type { CauseRule } from '../client/taught-causes.ts';
import type { CallContext } from '../client/call-context.ts';
import type { RawFlags } from '../config/flags.ts';
import type { Settings } from '../config/settings.ts';
import type { Invocation } from '../input/collect-input.ts';
import type { WaitOptions } from '../wait/options.ts';
import type { Journal } from './journal/journal.ts';
import type { FailuresFile } from './files.ts';
import type { BatchSettings } from './options.ts';
import type { ValidRecords } from './read/validate-records.ts';

/** A valid command line of an operation. `flags` includes the values that prompts asked for. */
export interface PreparedCall extends Invocation {
  readonly settings: Settings;
  readonly flags: RawFlags;
  /** Full paths of `--fields`. */
  readonly paths: readonly string[];
  /** The typed inputs, one per call; empty if the records come from `--from`. */
  readonly inputs: readonly Input[];
  /** The values of flags, which fill missing fields of a record. */
  readonly shared: Input;
  /** Remarks about the values, printed once it is certain that they are used. */
  readonly notes: readonly string[];
  /** The options of the wait of each call; absent without a wait. */
  readonly waiting: WaitOptions | undefined;
  /** The options of a batch; absent for a single call. */
  readonly batch: BatchSettings | undefined;
  /** Collects the results of a batch, to show their summary instead of each. */
  readonly gather?:
    ((callContext: CallContext, prepared: PreparedCall) => ResultGatherer) | undefined;
  readonly causeRules: readonly CauseRule[];
}

export interface ResultGatherer {
  /** Adds the data of a successful call. */
  add(data: unknown): void;
  /** Shows the summary. */
  end(): Promise<void>;
}

/** A batch whose records are valid. */
export interface BatchTask {
  readonly prepared: PreparedCall;
  readonly batch: BatchSettings;
  readonly records: ValidRecords;
  readonly runtime: Runtime;
}

/** A batch whose service and files are open. */
export interface BatchRun extends BatchTask {
  readonly callContext: CallContext;
  readonly journal: Journal | undefined;
  readonly failuresFile: FailuresFile;
}
