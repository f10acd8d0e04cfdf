// The types of a call, and of the hooks by which a few commands do more than their operation: a flag of its own, a
// default that depends on another value, a read before the call, a judgement after it.

import type { Result } from './read-response.ts';
import type { Failure, Fault } from '../base/errors.ts';
import type { FlagSpec } from '../config/flags.ts';
import type { Input, Operation } from '../api/operations/define-operation.ts';
import type { Client } from './open-client.ts';
import type { RawFlags } from '../config/choices.ts';

export interface CommandHooks {
  readonly flags?: readonly FlagSpec[];
  /** What is wrong with the flags, whatever they are used with. */
  flagFaults?(flags: RawFlags): readonly Fault[];
  /** A read before the call, which may change its input or take its place. */
  before?(input: Input, callContext: CallContext, waits: boolean): Promise<BeforeResult>;
  /** Takes up a call that failed; throws a failure that says more. */
  failed?(failure: Failure, input: Input, callContext: CallContext): Promise<never>;
  /** What to do next, if there is more to say than the operation does. */
  readonly advise?: {
    /** After a wait that ended badly. */
    afterWait(outcome: WaitOutcome, callContext: CallContext): Advice;
    /** About the records of a batch that failed. */
    afterBatch(failures: BatchFailures, callContext: CallContext): BatchAdvice;
  };
  /**
   * Takes up a call that succeeded: a single one after its result was shown, a record before. Throws the `Failure` that
   * the call ends with all the same; of a single call it may tell or offer something, and give a later result to show.
   */
  after?(
    result: CallOutcome,
    input: Input,
    callContext: CallContext,
  ): Promise<CallOutcome | undefined>;
}

/** The last answer of a wait, and the parts of it that settled and not as wanted. */
export interface WaitOutcome {
  readonly data: unknown;
  readonly input: Input;
  readonly bad: readonly string[];
}

/** A line to type next, or else words; `why` is what is known of the reasons. */
export interface Advice {
  readonly why?: readonly string[];
  readonly next?: string;
  readonly hint?: string;
}

export interface FailedAccount {
  readonly platform: string;
  readonly account: string;
}

/** What of a batch failed, and the lines with which a user can go on. */
export interface BatchFailures {
  /** How many records failed for each cause. */
  readonly causes: ReadonlyMap<string, number>;
  /** Records in which something failed that a retry may mend. */
  readonly temporary: number;
  /** Those among them of which nothing is known but that the request itself failed. */
  readonly unanswered: number;
  /** The accounts to reconnect, those of the most failures first. */
  readonly accounts: readonly FailedAccount[];
  /**
   * The records as words of a command: `--from failed.ndjson`; nothing where they came by a pipe and are in no file.
   */
  readonly records: string | undefined;
  /** The same command again for those that failed, with another value for a flag; nothing where it cannot be typed. */
  again(flag: string, value: string): string | undefined;
}

/** A line to type next, and what else is to be done, a line each. */
export interface BatchAdvice {
  readonly next?: string | undefined;
  readonly hints: readonly string[];
}

export interface BeforeResult {
  readonly input: Input;
  /** A result that makes the call needless. */
  readonly instead?: Result;
  /** The answer to the read before the call, where a wait has to know it. */
  readonly before?: unknown;
  /** The parts that a wait is about; without it those that the call was about. */
  readonly wanted?: readonly string[] | undefined;
  /** The parts that the call is not about, where it was narrowed to some. */
  readonly skipped?: SkippedParts;
  /**
   * Set where `instead` leaves nothing to do: what was asked for is `moving` or `settled` already, or there is
   * `nothing` of it, and then nothing to wait for.
   */
  readonly idle?: 'moving' | 'settled' | 'nothing';
}

/** Parts that a call left alone, by the reason as a clause: `already publishing`. */
export type SkippedParts = Readonly<Record<string, number>>;

/** A client, and what a command calls with it. */
export interface CallContext extends Client {
  readonly operation: Operation;
  readonly hooks: CommandHooks;
  /** Set for the records of a batch: what is usual is counted there, and not noted for each. */
  readonly isBatch?: true | undefined;
  /** Is told of the change before it is sent, and when the service has done it. */
  readonly change?: ChangeObserver | undefined;
  /** Whether an earlier run has sent this part, and it has not failed since: the read before the call leaves it out. */
  readonly sentBefore?: ((part: string) => boolean) | undefined;
}

export interface ChangeObserver {
  /**
   * Asks the user before the change where there is something to ask; resolves with whether it did. Rejects where the
   * user says no.
   */
  confirm(input: Input): Promise<boolean>;
  /** Called with the id that is sent with it. Rejects where the change is not to be sent. */
  beforeSend(input: Input, requestId: string): Promise<void>;
  /** Called before each further attempt. */
  onRetry?(): void;
  /** Called with the result, and with the service's clock where the response told it. */
  onSuccess(data: unknown, serverTime: number | undefined): void;
}

export interface CallOutcome {
  readonly data: unknown;
  /** The same as JSON text, where that may be printed as it is. */
  readonly json?: string | undefined;
  /** The service's clock when it answered. */
  readonly serverTime?: number | undefined;
  /** What the command ends with after the data was shown; nothing when all is well. */
  readonly failure?: Failure;
  /** The parts that a wait ended badly for; the answer may show others that failed before. */
  readonly bad?: readonly string[];
  readonly skipped?: SkippedParts;
  /** Whether there was nothing to do, and nothing was sent or waited for. */
  readonly isSkipped?: boolean;
}
