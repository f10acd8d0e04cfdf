// The flags of a command as they are typed on a line, and what they are read to be.

import { readFlags } from '../../src/cli/run-command.ts';
import type { FlagSpec } from '../../src/config/flags.ts';

/** Reads flags that are given by key, as their texts, or `true` where they take no value. */
export const readTyped = (flags: readonly FlagSpec[], typed: object) =>
  readFlags(
    flags,
    new Map(
      Object.entries(typed).map(([key, value]) => [key, value === true ? true : [value].flat()]),
    ) as ReadonlyMap<string, true | readonly string[]>,
  );
