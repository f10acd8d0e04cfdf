// The flags that limit a command to some targets of a post: by platform, or by the cause of their failure.

import { Platform } from '../../api/schema/platforms.ts';
import type { TargetState } from '../../api/schema/target-states.ts';
import { type CauseRule, type TargetCause, targetCauses } from '../../client/taught-causes.ts';
import { readCause } from '../../client/read-cause.ts';
import { oneOf } from '../../config/flag-types.ts';
import type { FlagSpec, RawFlags } from '../../config/flags.ts';

export const platformFlag = (description: string): FlagSpec => ({
  flags: '--platform <platform>',
  description: `${description}; repeatable`,
  repeatable: true,
  type: oneOf(Platform.options),
});

/** The flag for the rules of a team, for every command that shows a cause. */
export const causesFlag: FlagSpec = {
  flags: '--causes <file>',
  description: 'Rules on causes, before causes.tsv; repeatable',
  repeatable: true,
};

/** The flags that select among failed targets. */
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

/** Makes the filter of the flags; `undefined` if none was given. */
export function targetFilter(flags: RawFlags, rules: readonly CauseRule[] = []) {
  const { platform: on = [], cause: causes = [] } = flags as {
    readonly platform?: readonly string[];
    readonly cause?: readonly TargetCause[];
  };
  if (on.length === 0 && causes.length === 0) return undefined;
  return {
    /** True if the target is on one of the given platforms. */
    isOn: ({ platform }: TargetState) => on.length === 0 || on.includes(platform),
    /** True if the error has one of the given causes. */
    fits: (target: TargetState) =>
      causes.length === 0 ||
      causes.includes(readCause(target.platform, errorOf(target), rules).cause),
    causes,
  };
}

export const errorOf = ({ error }: TargetState): string => (typeof error === 'string' ? error : '');
