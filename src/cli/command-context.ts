// What every command is given when it is built: types alone.

import type { Command } from 'commander';
import type { Effect, Example, Operation } from '../api/operations/define-operation.ts';
import type { FailureKind } from '../base/errors.ts';
import type { Runtime } from '../base/runtime.ts';
import type { CommandTree } from './command-tree.ts';

export interface CommandContext {
  /** The whole command line as data; loads every command. */
  readonly tree: () => Promise<CommandTree>;
  readonly runtime: Runtime;
  /** The words as they were typed. */
  readonly argv: readonly string[];
  /** Whether a word may stand for a command: what is not named is there by name and summary alone. */
  readonly named: (word: string) => boolean;
  /** Takes the help that the parser writes. */
  readonly page?: (text: string) => void;
  /** Takes what is known of each command beyond what the parser keeps. */
  readonly describe?: (command: Command, facts: CommandFacts) => void;
}

/** What a command stands for, for code that reads the program as data. */
export interface CommandFacts {
  readonly examples: readonly Example[];
  readonly operation?: Operation;
  readonly effect: Effect;
  /** How it can fail besides the ways of every command. */
  readonly failures: readonly FailureKind[];
  /** What it reads from standard input without being told to. */
  readonly stdin?: string | undefined;
}
