// What the whole command line is as plain data: completion, the reference and `social commands` are made from it.
// Types alone; `read-command-tree` fills them.

import type { Bounds } from '../api/operations/bounds.ts';
import type { Deprecation } from '../base/deprecation.ts';
import type { Effect, Mutation } from '../api/operations/define-operation.ts';

export interface CommandTree {
  readonly name: string;
  readonly version: string;
  readonly summary: string;
  /** Every command and every group of commands, in the order of the help. */
  readonly commands: readonly CommandNode[];
  /** The flags that only the program itself takes. */
  readonly flags: readonly FlagNode[];
  /** The flags that every command takes as well. */
  readonly globalFlags: readonly FlagNode[];
  readonly environment: readonly { readonly name: string; readonly description: string }[];
  readonly exitCodes: readonly {
    readonly code: number;
    /** The `code` of an error object that the service gave no code of its own. */
    readonly name: string;
    readonly meaning: string;
  }[];
  readonly topics: readonly string[];
}

export interface CommandNode {
  /** The words that are typed: `posts retry`. */
  readonly path: string;
  /** Other spellings of the last word. */
  readonly aliases: readonly string[];
  readonly summary: string;
  /** Set where it still works, and something else is to be used; also below a deprecated group. */
  readonly deprecated?: Deprecation | undefined;
  /** The summary, and what else one should know, a paragraph each. */
  readonly description: string;
  readonly usage: string;
  /** Whether it only holds other commands. */
  readonly group: boolean;
  /** Whether it changes something at the service. */
  readonly changes: boolean;
  readonly effect: Effect;
  /** Those that it can end with, less those of a fault of the tool and of a signal, which every command has. */
  readonly exitCodes: readonly number[];
  /** What sending it twice does; only for what sends something. */
  readonly mutation?: Mutation | undefined;
  /** What is lost, where it takes something away: it asks before. */
  readonly danger?: string | undefined;
  /** What it can read from standard input: the flags that do with `-`, or what it reads without being told to. */
  readonly stdin: readonly string[];
  readonly operation?: { readonly method: string; readonly path: string } | undefined;
  /** The platform that its account has to be on. */
  readonly platform?: string | undefined;
  readonly arguments: readonly ArgumentNode[];
  /** Its own flags; the global ones come on top. */
  readonly flags: readonly FlagNode[];
  readonly assumes: readonly string[];
  readonly examples: readonly { readonly purpose: string; readonly line: string }[];
}

export interface ArgumentNode {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly repeatable: boolean;
  readonly values?: readonly string[] | undefined;
  /** The values behind each value of the argument before it. */
  readonly valuesAfter?: Readonly<Record<string, readonly string[]>> | undefined;
  /** What it is an ID of: a name may be given instead, `@launch`. */
  readonly id?: string | undefined;
  /** Whether the value is a credential. */
  readonly secret?: true | undefined;
  readonly bounds?: Bounds | undefined;
}

export interface FlagNode {
  readonly long: string;
  readonly short?: string | undefined;
  /** What stands for its value in help; a flag without one is a switch. */
  readonly placeholder?: string | undefined;
  readonly description: string;
  readonly deprecated?: Deprecation | undefined;
  readonly group: string;
  readonly required: boolean;
  readonly repeatable: boolean;
  readonly values?: readonly string[] | undefined;
  /** What it takes an ID of: a name may be given instead. */
  readonly id?: string | undefined;
  /** Whether the value, or what it names, is a secret. */
  readonly secret?: true | undefined;
  /** What JSON Schema says of a value; a number is typed in decimal digits. */
  readonly bounds?: Bounds | undefined;
}
