// What is deprecated on the command line: the mark on a command, and the one place that warns of what a call uses.

import type { Command } from 'commander';
import { type Deprecation, deprecationWarning } from '../base/deprecation.ts';
import type { Runtime } from '../base/runtime.ts';
import { globalFlags, keyOfFlag, type PlainFlag } from '../config/flags.ts';
import { factsOf, pathOf, typedFlags } from './commander-options.ts';

type Marked = Command & { readonly deprecated?: Deprecation };

/** Marks a command, or a group with all its commands. */
export function deprecate(command: Command, deprecated: Deprecation | undefined): void {
  if (deprecated !== undefined) Object.assign(command, { deprecated });
}

/** Whether a command is deprecated, itself or with its group. */
export function deprecationOf(command: Marked): Deprecation | undefined {
  if (command.deprecated !== undefined) return command.deprecated;
  return command.parent === null ? undefined : deprecationOf(command.parent);
}

/** Warns, once for each, of what is deprecated in a call: its command, its flags, and the variables of global flags. */
export function noteDeprecations(command: Command, { env, note }: Runtime): void {
  const flags = typedFlags(command);
  if (flags['quiet'] === true) return;
  const isTyped = (flag: Pick<PlainFlag, 'flags'>) => flags[keyOfFlag(flag)] !== undefined;
  type Use = readonly [name: string, deprecated: Deprecation | undefined, isUsed: boolean];
  const uses = [
    [pathOf(command), deprecationOf(command), true] satisfies Use,
    ...command.options.map((each): Use => [each.long!, factsOf(each).deprecated, isTyped(each)]),
    ...globalFlags.map((each): Use => {
      const { env: name = '', deprecated } = each;
      return [name, deprecated, Boolean(env[name]) && !flags[keyOfFlag(each)]];
    }),
  ];
  for (const [name, deprecated, isUsed] of uses)
    if (isUsed && deprecated !== undefined) note(deprecationWarning(name, deprecated));
}
