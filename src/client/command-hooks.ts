// What a command does beyond its operation: a flag of its own, a default that hangs on another value, a look
// before the call, a judgement after it. Few operations need one; each is a file here.

import type { Result } from './read-response.ts';
import type { Input } from './build-request.ts';
import type { TargetState } from '../wait/poll.ts';
import type { Failure, Fault } from '../base/errors.ts';
import type { Ask } from '../base/runtime.ts';
import type { Calling } from './call-operation.ts';
import type { PlainFlag } from '../cli/commander-options.ts';
import type { RawFlags, Settings } from '../config/settings.ts';
import type { Ended } from '../wait/watch.ts';

export interface Extra {
  readonly options?: readonly PlainFlag[];
  /** Fills in what follows from the rest of the input; `note` tells the user. */
  complete?(input: Input, note: (line: string) => void): Input;
  /** Asks for more than what is required, when the command was typed bare on a terminal. */
  dialogue?(input: Input, talk: Talk): Promise<Answers>;
  /** What is wrong with an input for these flags, found before anything is sent. */
  faults?(input: Input, flags: RawFlags): readonly Fault[];
  /** Whether the request depends on the look before the call: then a dry run looks too. */
  looks?(flags: RawFlags): boolean;
  /** A look before the call, which may change its input or take its place. */
  before?(input: Input, calling: Calling, waits: boolean): Promise<Step>;
  /** Takes up a call that failed; throws a failure that says more. */
  failed?(failure: Failure, input: Input, calling: Calling): Promise<never>;
  /** Looks at the result after it was shown; throws the `Failure` that the command ends with. */
  judge?(data: unknown, flags: RawFlags): void;
  /** Something to tell or to offer after the result was shown; may give a later result to show. */
  after?(result: Ended, input: Input, calling: Calling): Promise<Ended | undefined>;
}

/** A dialogue with the person at the terminal. */
export interface Talk {
  readonly ask: Ask;
  /** Says a line. */
  readonly note: (line: string) => void;
  readonly settings: Settings;
  readonly flags: RawFlags;
}

export interface Answers {
  readonly input: Input;
  /** Flags that the answers stand for, as if they had been typed. */
  readonly flags: RawFlags;
}

export interface Step {
  readonly input: Input;
  /** A result that makes the call needless. */
  readonly instead?: Result;
  /** How the targets stood before the call. */
  readonly before?: readonly TargetState[];
  /** The targets that a wait is about; without it those that the call was about. */
  readonly wanted?: readonly string[];
}
