// The types that the parts of a batch share.

import type { Input } from '../api/operations/define-operation.ts';
import type { Runtime } from '../base/runtime.ts';
import type { CauseRule } from '../client/cause-rules.ts';
import type { CallContext } from '../client/call-context.ts';
import type { RawFlags } from '../config/choices.ts';
import type { Settings } from '../config/settings.ts';
import type { RecordedChange } from '../history/recorder.ts';
import type { Invocation } from '../input/types.ts';
import type { Jq } from '../output/jq-filter.ts';
import type { WaitOptions } from '../wait/options.ts';
import type { Journal } from './journal/journal.ts';
import type { FailuresFile } from './files.ts';
import type { BatchSettings } from './options.ts';
import type { ValidRecords } from './read/records.ts';

/**
 * A command line of an operation, once all of it has been found good. `flags` has those that answers stand for, too.
 */
export interface PreparedCall extends Invocation {
  readonly settings: Settings;
  readonly flags: RawFlags;
  /** Full paths of `--fields`. */
  readonly paths: readonly string[];
  /** What was typed, an input a call; none where the records come with `--from`. */
  readonly inputs: readonly Input[];
  /** The values of flags, which fill in what a record leaves out. */
  readonly shared: Input;
  /** What is worth saying of the values, once it is sure that they are used. */
  readonly notes: readonly string[];
  /** How to wait for each call; absent when nobody wants to. */
  readonly waiting: WaitOptions | undefined;
  /** How to wait for the calls of a canary; absent without one. */
  readonly canaryWaiting: WaitOptions | undefined;
  /** How to make many calls; absent for a single one. */
  readonly batch: BatchSettings | undefined;
  /** Takes the results of a batch, to show what they come to instead of each. */
  readonly gather?:
    ((callContext: CallContext, prepared: PreparedCall) => ResultGatherer) | undefined;
  readonly causeRules: readonly CauseRule[];
  /** What the JSON goes through. */
  readonly filter: Jq | undefined;
}

export interface ResultGatherer {
  /** Takes the data of a call that went well. */
  add(data: unknown): void;
  /** Shows the whole. */
  end(): Promise<void>;
}

export interface BatchTask {
  readonly prepared: PreparedCall;
  readonly batch: BatchSettings;
  readonly records: ValidRecords;
  readonly runtime: Runtime;
}

export interface BatchRun extends BatchTask {
  readonly callContext: CallContext;
  /** The entry of its changes in the history. */
  readonly change: RecordedChange | undefined;
  readonly journal?: Journal;
  readonly path?: string;
  readonly failuresFile: FailuresFile;
}
