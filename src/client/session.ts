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
import type { Acceptance } from '../api/operations/part-states.ts';
import type { FlagSpec, RawFlags } from '../config/flags.ts';
import type { Client } from './open-client.ts';
import type { ReadBefore } from './read-before.ts';

/** A command of an operation: what is known of it before a line is typed. */
export interface Command {
  /** The operation. `posts triage` and `posts wait` have one of their own, which sends the request of `posts get`. */
  readonly operation: Operation;
  /** Its flags beside those of the operation's fields, of a wait and of a batch. */
  readonly flags?: readonly FlagSpec[];
  /** Set if it waits without `--wait`. */
  readonly waits?: true;
  /** Loads its hooks when it runs: what it does besides calling the operation. */
  readonly hooks?: () => Promise<CommandHooks>;
}

/** All that is open while a command runs: a client, with the operation and the hooks of the command. */
export interface Session extends Client {
  readonly operation: Operation;
  readonly hooks: CommandHooks;
  /** The flags as they were typed, for the line that does the same again. */
  readonly typedFlags?: RawFlags;
  /** Set for the records of a batch, which counts common remarks: hooks do not print them for each record. */
  readonly isBatch?: true | undefined;
  /** Set for a record of a batch with a journal. */
  readonly ledger?: PartLedger | undefined;
  /** Returns the changes of this resource that were accepted lately, by the history of this machine, by part. */
  acceptedLately?(id: string, read: Result): ReadonlyMap<string, Acceptance>;
}

/** The parts of a record as its journal knows them. */
export interface PartLedger {
  /** Takes note of what a read shows: which parts are published, and which accepted changes have failed. */
  takeRead(post: unknown, result: Result): void;
  /** `undefined` if the part may be sent. */
  stateOf(part: string): 'done' | 'accepted' | 'unknown' | undefined;
  /** Returns the acceptance of the accepted parts, for a wait. */
  accepted(): ReadonlyMap<string, Acceptance>;
}

/** The steps that a command adds to the call of its operation, in the order in which they run. Each is optional. */
export interface CommandHooks {
  /** Makes a read before the call, which may change its input or make it needless; `waits` if a wait follows. */
  before?(input: Input, session: Session, waits: boolean): Promise<Prepared>;
  /** Handles a call that failed; throws a failure that says more. */
  failed?(failure: Failure, input: Input, session: Session): Promise<never>;
  /** Advises after a wait with its last response: the parts `bad` have failed. */
  adviseAfterWait?(
    last: Result,
    bad: readonly string[],
    input: Input,
    session: Session,
  ): Advice & Partial<Pick<FailureFacts, 'what'>>;
  /** Asks whether to wait after all. */
  offerWait?(result: CallOutcome, session: Session): Promise<boolean>;
  /** Runs after a success. If it throws a `Failure`, the command or the record ends with that failure. */
  after?(result: CallOutcome, input: Input, session: Session): Promise<void>;
  /** Advises after a batch in which records failed. */
  adviseAfterBatch?(failures: BatchFailures, session: Omit<Session, 'service'>): Advice;
  /** Combines the results of all records into one. A command with this hook is a batch even for a single ID. */
  gather?(
    session: Session,
    line: { readonly argv: readonly string[]; readonly paths: readonly string[] },
  ): ResultGatherer;
}

/** The command to type next, or a remark if there is none; `why` has the known reasons. */
export type Advice = Pick<FailureFacts, 'why' | 'next' | 'hint'>;

/** The end of a read before a call: the input to send, or why nothing is sent. */
export type Prepared = PreparedToSend | NothingToSend;

interface PreparedParts {
  /** The parts to wait for; by default those of the call. */
  readonly wanted?: readonly string[] | undefined;
  /** The accepted changes of parts that are waited for, and that this call does not send. */
  readonly accepted?: ReadonlyMap<string, Acceptance> | undefined;
  readonly skipped?: SkippedParts | undefined;
}

export interface PreparedToSend extends PreparedParts {
  readonly do: 'send';
  readonly input: Input;
  /** The response to the read. */
  readonly before?: ReadBefore | undefined;
}

export interface NothingToSend extends PreparedParts {
  readonly do: 'nothing';
  /**
   * `done`: all parts are published. `moving`: some are still in progress. `none`: no part was selected, so that a wait
   * is skipped too. `read`: the command only reads, and this was its read.
   */
  readonly because: 'moving' | 'done' | 'none' | 'read';
  readonly input: Input;
  /** The response to the read, in place of that of the call. */
  readonly shown: Result;
  /** Why a wait cannot end well, and its failed parts: nothing moves, so there is no wait. */
  readonly ended?: { readonly failure: Failure; readonly bad: readonly string[] } | undefined;
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
  /** The parts that a record was about: the others of its resource were not touched. All without it. */
  readonly about?: readonly string[] | undefined;
  /** True if there was nothing to do, and nothing was sent or waited for. */
  readonly isSkipped?: boolean;
  /** True if an earlier run has made the change, and this one only found it done. */
  readonly isFound?: boolean;
  /** True if the service has accepted the change, and its end was not waited for. */
  readonly isUnwaited?: boolean;
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
  readonly list: TypedRecords | undefined;
  /** Makes the command that repeats the batch for failures of one cause; `undefined` if it cannot be typed. */
  again(cause: string): CommandLine | undefined;
}

/** Records as a part of a command: their IDs, or `--from failed.ndjson`. */
export type TypedRecords = Pick<SocialCommand, 'ids' | 'flags'>;

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
