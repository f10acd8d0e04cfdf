// Reads the flags of a command as they are typed on a line.

import { readFlags } from '../../src/cli/run-command.ts';
import type { FlagSpec } from '../../src/config/flags.ts';

/** Reads flags by key: each is its text, or `true` if it has no value. */
export const readTyped = (flags: readonly FlagSpec[], typed: object) =>
  readFlags(
    flags,
    new Map(
      Object.entries(typed).map(([key, value]) => [key, value === true ? true : [value].flat()]),
    ) as ReadonlyMap<string, true | readonly string[]>,
  );
