// The types of a call, and of the hooks by which a few commands do more than their operation: a read before the call, a
// check after it, one result of many. A part of a resource is a target of a post; parts are named by their IDs.

import type { Result } from './read-response.ts';
import type { Failure } from '../base/errors.ts';
import type { Input, Operation } from '../api/operations/define-operation.ts';
import type { Client } from './open-client.ts';

export interface CommandHooks {
  /** Makes a read before the call, which may change its input or replace the call; `waits` if a wait follows. */
  before?(input: Input, callContext: CallContext, waits: boolean): Promise<BeforeResult>;
  /** Handles a call that failed; throws a failure that says more. */
  failed?(failure: Failure, input: Input, callContext: CallContext): Promise<never>;
  /** Returns advice, if the command has more to say than the operation. */
  readonly advise?: {
    /** After a failed wait. */
    afterWait(outcome: WaitOutcome, callContext: CallContext): Advice;
    /** About the records of a batch that failed. */
    afterBatch(failures: BatchFailures, callContext: CallContext): BatchAdvice;
  };
  /** Asks at the end of a single call, whose result was shown, whether to wait after all. */
  offerWait?(result: CallOutcome, callContext: CallContext): Promise<boolean>;
  /**
   * Runs after a call that succeeded: for a single one after its result was shown, for a record of a batch before. If
   * it throws a `Failure`, the command or the record ends with that failure.
   */
  after?(result: CallOutcome, input: Input, callContext: CallContext): Promise<void>;
  /** Combines the results of all records into one. A command with this hook is a batch even for a single ID. */
  gather?(
    callContext: CallContext,
    line: { readonly argv: readonly string[]; readonly paths: readonly string[] },
  ): ResultGatherer;
}

export interface ResultGatherer {
  /** Adds the data of a successful call. */
  add(data: unknown): void;
  /** Shows the summary. */
  end(): Promise<void>;
}

export interface WaitOptions {
  readonly intervalMs: number;
  readonly timeoutMs: number;
}

/** The last response of a wait, and its failed parts. */
export interface WaitOutcome {
  readonly data: unknown;
  readonly input: Input;
  readonly bad: readonly string[];
}

/** The command to type next, or a remark if there is none; `why` has the known reasons. */
export interface Advice {
  readonly why?: readonly string[] | undefined;
  readonly next?: string | undefined;
  readonly hint?: string | undefined;
}

export interface FailedAccount {
  readonly platform: string;
  readonly account: string;
}

/** The failures of a batch, and the commands with which a user can continue. */
export interface BatchFailures {
  /** The number of failed records by cause. */
  readonly causes: ReadonlyMap<string, number>;
  /** The number of records with a failure that a retry may fix. */
  readonly temporary: number;
  /** The number of `temporary` records whose request failed, so that nothing is known of their targets. */
  readonly unanswered: number;
  /** The accounts to reconnect, those with the most failures first. */
  readonly accounts: readonly FailedAccount[];
  /**
   * The records as words of a command: `--from failed.ndjson`; `undefined` if they came from a pipe and are in no file.
   */
  readonly listWords: string | undefined;
  /** Makes the command for the failed records with another value of a flag; `undefined` if it cannot be typed. */
  again(flag: string, value: string): string | undefined;
}

/** The command to type next, and further advice, one line each. */
export interface BatchAdvice {
  readonly next?: string | undefined;
  readonly hints: readonly string[];
}

export interface BeforeResult {
  readonly input: Input;
  /** A result that makes the call needless. */
  readonly instead?: Result;
  /** The response to the read before the call, for a wait that compares with it. */
  readonly before?: unknown;
  /** The parts to wait for; by default those of the call. */
  readonly wanted?: readonly string[] | undefined;
  /** The parts that the call skipped, by reason. */
  readonly skipped?: SkippedParts | undefined;
  /**
   * Set if `instead` replaces a call for which there is nothing to do. `done`: all parts have finished. `moving`: some
   * are still in progress. `nothing`: no part was selected, so that a wait is skipped too.
   */
  readonly idle?: 'moving' | 'done' | 'nothing' | undefined;
}

/** The number of skipped parts by reason, a clause: `already publishing`. */
export type SkippedParts = Readonly<Record<string, number>>;

/** A client with the operation and the hooks of a command. */
export interface CallContext extends Client {
  readonly operation: Operation;
  readonly hooks: CommandHooks;
  /** Set for the records of a batch, which counts common remarks: hooks do not print them for each record. */
  readonly isBatch?: true | undefined;
  /** True if an earlier run has sent this part, and it has not failed since: the read before the call skips it. */
  readonly sentBefore?: ((part: string) => boolean) | undefined;
}

export interface CallOutcome extends Pick<Result, 'data' | 'json' | 'serverTime'> {
  /** The failure that the command ends with after the data was shown. */
  readonly failure?: Failure | undefined;
  /** The failed parts of a wait; the response may show others that failed before. */
  readonly bad?: readonly string[] | undefined;
  readonly skipped?: SkippedParts | undefined;
  /** True if there was nothing to do, and nothing was sent or waited for. */
  readonly isSkipped?: boolean;
}
