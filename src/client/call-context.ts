// The types of a call, and of the hooks by which a few commands do more than call their operation. For one input:
//
//   before → the call, or `failed` if it fails → the wait, and `adviseAfterWait` if it ends badly
//   → the result is shown → offerWait → after
//
// A batch does this for each of its records, without `offerWait` and with `after` before the result is shown; when all
// have ended, `adviseAfterBatch` says what to do about those that failed. A part of a resource is a target of a post;
// parts are named by their IDs.

import type { Result } from './read-response.ts';
import type { Failure, FailureFacts } from '../base/errors.ts';
import type { CommandLine, SocialCommand } from '../base/shell.ts';
import type { Input, Operation } from '../api/operations/define-operation.ts';
import type { Client } from './open-client.ts';

/** A client with the operation and the hooks of a command. */
export interface CallContext extends Client {
  readonly operation: Operation;
  readonly hooks: CommandHooks;
  /** Set for the records of a batch, which counts common remarks: hooks do not print them for each record. */
  readonly isBatch?: true | undefined;
  /**
   * Set for a record of a batch with a journal: true for a part that an earlier run has sent, and that has not failed
   * since. The read before the call skips it.
   */
  readonly sentBefore?: ((part: string) => boolean) | undefined;
}

/** The steps that a command adds to the call of its operation, in the order in which they run. Each is optional. */
export interface CommandHooks {
  /** Makes a read before the call, which may change its input or replace the call; `waits` if a wait follows. */
  before?(input: Input, callContext: CallContext, waits: boolean): Promise<BeforeResult>;
  /** Handles a call that failed; throws a failure that says more. */
  failed?(failure: Failure, input: Input, callContext: CallContext): Promise<never>;
  /** Advises after a wait whose last response is `data`: the parts `bad` have failed. */
  adviseAfterWait?(
    data: unknown,
    bad: readonly string[],
    input: Input,
    callContext: CallContext,
  ): Advice;
  /** Asks whether to wait after all. */
  offerWait?(result: CallOutcome, callContext: CallContext): Promise<boolean>;
  /** Runs after a success. If it throws a `Failure`, the command or the record ends with that failure. */
  after?(result: CallOutcome, input: Input, callContext: CallContext): Promise<void>;
  /** Advises after a batch in which records failed. */
  adviseAfterBatch?(failures: BatchFailures, callContext: CallContext): Advice;
  /** Combines the results of all records into one. A command with this hook is a batch even for a single ID. */
  gather?(
    callContext: CallContext,
    line: { readonly argv: readonly string[]; readonly paths: readonly string[] },
  ): ResultGatherer;
}

/** The command to type next, or a remark if there is none; `why` has the known reasons. */
export type Advice = Pick<FailureFacts, 'why' | 'next' | 'hint'>;

/** The end of `before`: the input of the call, or a result that makes the call needless. */
export interface BeforeResult {
  readonly input: Input;
  readonly instead?: Result;
  /**
   * Set if nothing is sent because there is nothing to do. `done`: all parts have finished. `moving`: some are still in
   * progress. `nothing`: no part was selected, so that a wait is skipped too.
   */
  readonly idle?: 'moving' | 'done' | 'nothing' | undefined;
  /** The response to the read, for a wait that compares with it. */
  readonly before?: unknown;
  /** The parts to wait for; by default those of the call. */
  readonly wanted?: readonly string[] | undefined;
  readonly skipped?: SkippedParts | undefined;
}

/** The number of parts that a call skipped, by reason, a clause: `already publishing`. */
export type SkippedParts = Readonly<Record<string, number>>;

export interface WaitOptions {
  readonly intervalMs: number;
  readonly timeoutMs: number;
}

/** The end of a call, and of the wait after it. */
export interface CallOutcome extends Pick<Result, 'data' | 'json' | 'serverTime'> {
  /** The failure that the command ends with after the data was shown. */
  readonly failure?: Failure | undefined;
  /** The failed parts of a wait; the response may show others that failed before. */
  readonly bad?: readonly string[] | undefined;
  readonly skipped?: SkippedParts | undefined;
  /** True if there was nothing to do, and nothing was sent or waited for. */
  readonly isSkipped?: boolean;
}

/** The failures of a batch, and the commands with which a user can continue. */
export interface BatchFailures {
  /** The causes of the failures. */
  readonly causes: ReadonlySet<string>;
  /**
   * True if `posts retry` may fix some. In a batch of reads a record without a response does not count: nothing is known
   * of its post.
   */
  readonly isWorthRetry: boolean;
  /** The accounts to reconnect, those with the most failures first. */
  readonly accounts: readonly FailedAccount[];
  /** The records; `undefined` if they came from a pipe and are in no file. */
  readonly list: RecordList | undefined;
  /** Makes the command that repeats the batch for failures of one cause; `undefined` if it cannot be typed. */
  again(cause: string): CommandLine | undefined;
}

/** Records as a part of a command: their IDs, or `--from failed.ndjson`. */
export type RecordList = Pick<SocialCommand, 'ids' | 'flags'>;

export interface FailedAccount {
  readonly platform: string;
  readonly account: string;
}

export interface ResultGatherer {
  /** Adds the data of a successful call. */
  add(data: unknown): void;
  /** Shows the summary. */
  end(): Promise<void>;
}
