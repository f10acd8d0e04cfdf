// What was typed: types alone.

import type { CommandNames } from '../api/operations/command-names.ts';
import type { Operation } from '../api/operations/define-operation.ts';
import type { Field } from '../api/operations/fields.ts';
import type { Fault } from '../base/errors.ts';
import type { CommandHooks } from '../client/call-context.ts';
import type { RawFlags } from '../config/choices.ts';

/** The names of one call. They are read once, so that a list means the same from its first line to its last. */
export interface Names {
  /** The ID that a text stands for in a field; the text itself where it is no name or has no ID that fits. */
  idFor(text: string, field: Field): string;
  /** What is wrong with a name that `idFor` has left as it is. */
  faultOf(text: string, field: Field): Fault;
  /** The ID of a name wherever it stands; a fault where it has none. */
  find(text: string, field: string): string | Fault;
  /** The ID of `@last`, where it was asked for. */
  last(): string | undefined;
  /** The names whose IDs a line has, where they were asked for: `@launch is PostSpringLaunch`. */
  spelledOut(line: string): readonly string[];
}

interface ParsedArgs {
  /** The positionals, in order. */
  readonly operands: readonly string[];
  readonly flags: RawFlags;
}

/** A command line of an operation as it was parsed. */
export interface Invocation {
  readonly operation: Operation;
  readonly fields: readonly Field[];
  readonly hooks: CommandHooks;
  readonly spelling: CommandNames;
  readonly typed: ParsedArgs;
  /** The words as they were typed, for a line that goes on from here. */
  readonly argv: readonly string[];
  /** The names that may stand for IDs, where one of them may have been typed. */
  readonly names?: Names | undefined;
  /** Faults that the parser found: unknown flags. */
  readonly faults: readonly Fault[];
  /** Whether it was said already that the accessible mode is on. */
  readonly announced?: boolean;
}
