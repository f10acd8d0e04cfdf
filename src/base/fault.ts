// The faults of an input. All faults of a command line are reported at once.

import type { CommandLine } from './shell.ts';

/** One error in one input, named as the user typed it. */
export interface Fault {
  /** The input as the user would type or write it: `post id`, `--text`, `SOCIAL_TIMEOUT`. */
  readonly field: string;
  /** The rule and the value received, as a clause after the field: `must be …, got …`. */
  readonly problem: string;
  /** The correction, if it is not obvious from the rule. */
  readonly fix?: string | undefined;
  /** The typed word and the valid ones: the nearest may be the fix. */
  readonly among?: Among | undefined;
}

interface Among {
  readonly typed: string;
  readonly choices?: readonly string[];
  /** Words that may be the nearest too: if one is, nothing is suggested. */
  readonly neverSuggested?: readonly string[];
  /** The words that were meant, if that is certain. */
  readonly meant?: string | undefined;
  /** The line that lists the choices. */
  readonly listing?: CommandLine | undefined;
}
