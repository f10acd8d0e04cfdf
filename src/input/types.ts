// Types of parsed command lines.

import type { CommandNames, Field } from '../api/operations/fields.ts';
import type { Operation } from '../api/operations/define-operation.ts';
import type { CommandHooks } from '../client/call-context.ts';
import type { RawFlags } from '../config/flags.ts';

/** A command of an operation. */
export interface OperationCommand {
  readonly operation: Operation;
  readonly fields: readonly Field[];
  readonly hooks: CommandHooks;
  readonly spelling: CommandNames;
}

/** A parsed command line of an operation. */
export interface Invocation extends OperationCommand {
  /** The positional arguments, in order, and the flags. */
  readonly typed: { readonly operands: readonly string[]; readonly flags: RawFlags };
  /** The words as they were typed, for suggested commands. */
  readonly argv: readonly string[];
}
