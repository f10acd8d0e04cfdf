// What was typed: types alone.

import type { CommandNames } from '../api/operations/command-names.ts';
import type { Operation } from '../api/operations/define-operation.ts';
import type { Field } from '../api/operations/fields.ts';
import type { Fault } from '../base/errors.ts';
import type { CommandHooks } from '../client/call-context.ts';
import type { RawFlags } from '../config/choices.ts';

/** A command line of an operation as it was parsed. */
export interface Invocation {
  readonly operation: Operation;
  readonly fields: readonly Field[];
  readonly hooks: CommandHooks;
  readonly spelling: CommandNames;
  /** The positionals, in order, and the flags. */
  readonly typed: { readonly operands: readonly string[]; readonly flags: RawFlags };
  /** The words as they were typed, for a line that goes on from here. */
  readonly argv: readonly string[];
  /** Faults that the parser found: unknown flags. */
  readonly faults: readonly Fault[];
}
