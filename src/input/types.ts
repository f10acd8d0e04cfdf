// What was typed, and what is made of it: types alone, so that everybody may know them.
import type { CommandNames } from '../api/operations/command-names.ts';
import type { Input } from '../api/operations/define-operation.ts';
import type { CallOptions, OperationCommand } from '../client/call-context.ts';
import type { Jq } from '../output/jq.ts';
import type { Fault } from '../base/errors.ts';
import type { RawFlags } from '../config/choices.ts';

export interface ParsedArgs {
  /** The positionals, in order. */
  readonly operands: readonly string[];
  readonly flags: RawFlags;
}

export interface Invocation extends OperationCommand {
  readonly spelling: CommandNames;
  readonly typed: ParsedArgs;
  /** The words as they were typed, for a line that goes on from here. */
  readonly argv: readonly string[];
  /** Faults that the parser found: unknown flags. */
  readonly faults: readonly Fault[];
  /** Whether it was said already that the accessible mode is on. */
  readonly announced?: boolean;
}

/** What was typed, once all of it has been found good. */
export interface PreparedInput extends CallOptions {
  /** What was typed, an input a call; none where the records come with `--from`. */
  readonly inputs: readonly Input[];
  /** The values of flags, which fill in what a record leaves out. */
  readonly shared: Input;
  /** What is worth saying of the values, once it is sure that they are used. */
  readonly notes: readonly string[];
  /** What the JSON goes through. */
  readonly filter: Jq | undefined;
}
