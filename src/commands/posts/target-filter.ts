// The flags that narrow a command to some targets of a post: by platform, by the cause of their failure.

import { Platform } from '../../api/schema/platforms.ts';
import type { TargetState } from '../../api/schema/target-states.ts';
import { type CauseRule, type TargetCause, targetCauses } from '../../client/cause-rules.ts';
import { readCause } from '../../client/read-cause.ts';
import { oneOf } from '../../config/flag-types.ts';
import type { FlagSpec, RawFlags } from '../../config/flags.ts';

export const platformFlag = (description: string): FlagSpec => ({
  flags: '--platform <platform>',
  description: `${description}; repeatable`,
  repeatable: true,
  type: oneOf(Platform.options),
});

/** The rules of a team, for every command that shows a cause. */
export const causesFlag: FlagSpec = {
  flags: '--causes <file>',
  description: 'Rules on causes, before causes.tsv; repeatable',
  repeatable: true,
};

/** The flags that choose among failed targets. */
export const failedTargetFlags: readonly FlagSpec[] = [
  { ...platformFlag('Only failed targets on this platform'), readsFirst: true },
  {
    flags: '--cause <cause>',
    description: `Only failed targets with this likely cause: ${targetCauses.join(', ')}; repeatable`,
    repeatable: true,
    type: oneOf(targetCauses),
    readsFirst: true,
  },
];

export type TargetFilter = NonNullable<ReturnType<typeof targetFilter>>;

/** The filter that the flags make; nothing where none of them was given. */
export function targetFilter(flags: RawFlags, rules: readonly CauseRule[] = []) {
  const { platform: on = [], cause: causes = [] } = flags as {
    readonly platform?: readonly string[];
    readonly cause?: readonly TargetCause[];
  };
  if (on.length === 0 && causes.length === 0) return undefined;
  return {
    /** Whether the platform is one of those that were given. */
    isOn: ({ platform }: TargetState) => on.length === 0 || on.includes(platform),
    /** Whether the error has one of the causes that were given. */
    fits: (target: TargetState) =>
      causes.length === 0 ||
      causes.includes(readCause(target.platform, errorOf(target), rules).cause),
    causes,
  };
}

export const errorOf = ({ error }: TargetState): string => (typeof error === 'string' ? error : '');
