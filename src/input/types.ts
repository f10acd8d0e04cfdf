// What was typed: types alone.

import type { CommandNames } from '../api/operations/command-names.ts';
import type { Operation } from '../api/operations/define-operation.ts';
import type { Field } from '../api/operations/fields.ts';
import type { CommandHooks } from '../client/call-context.ts';
import type { RawFlags } from '../config/choices.ts';

/** A command of an operation. */
export interface OperationCommand {
  readonly operation: Operation;
  readonly fields: readonly Field[];
  readonly hooks: CommandHooks;
  readonly spelling: CommandNames;
}

/** A command line of an operation as it was parsed. */
export interface Invocation extends OperationCommand {
  /** The positionals, in order, and the flags. */
  readonly typed: { readonly operands: readonly string[]; readonly flags: RawFlags };
  /** The words as they were typed, for a line that goes on from here. */
  readonly argv: readonly string[];
}
