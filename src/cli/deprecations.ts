// What is deprecated on the command line: the mark on a command, and the one place that warns of what a call uses.

import type { Command } from 'commander';
import { type Deprecation, deprecationWarning } from '../base/deprecation.ts';
import type { Runtime } from '../base/runtime.ts';
import { globalFlags, keyOfFlag } from '../config/flags.ts';
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
  const own = deprecationOf(command);
  const typed = command.options.flatMap((option): readonly (readonly [string, Deprecation])[] => {
    const { deprecated } = factsOf(option);
    const isTyped = flags[keyOfFlag(option)] !== undefined;
    return deprecated === undefined || !isTyped ? [] : [[option.long!, deprecated]];
  });
  const variables = globalFlags.flatMap(
    ({ deprecated, env: name = '', flags: flag }): readonly (readonly [string, Deprecation])[] =>
      deprecated === undefined || !env[name] || flags[keyOfFlag({ flags: flag })]
        ? []
        : [[name, deprecated]],
  );
  const used = [...(own === undefined ? [] : [[pathOf(command), own] as const]), ...typed];
  for (const [name, deprecated] of [...used, ...variables])
    note(deprecationWarning(name, deprecated));
}
