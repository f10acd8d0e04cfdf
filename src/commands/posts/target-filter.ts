// The flags that narrow a command to some targets of a post: by platform, by the cause of their failure.

import { Platform } from '../../api/schema/platforms.ts';
import type { TargetState } from '../../api/schema/target-states.ts';
import type { Fault } from '../../base/errors.ts';
import { unlistedFaults } from '../../base/suggestions.ts';
import { targetCause } from '../../client/causes.ts';
import { type TargetCause, targetCauses } from '../../client/read-cause.ts';
import type { RawFlags } from '../../config/choices.ts';
import type { PlainFlag } from '../../config/flags.ts';

const platforms: readonly string[] = Platform.options;

export const platformFlag = (description: string): PlainFlag => ({
  flags: '--platform <platform>',
  description: `${description}; repeatable`,
  repeatable: true,
  values: platforms,
});

/** The flags that choose among failed targets. */
export const failedTargetFlags: readonly PlainFlag[] = [
  platformFlag('Retry only failed targets on this platform'),
  {
    flags: '--cause <cause>',
    description: `Retry only failed targets with this likely cause: ${targetCauses.join(', ')}; repeatable`,
    repeatable: true,
    values: targetCauses,
  },
];

export type TargetFilter = NonNullable<ReturnType<typeof targetFilter>>;

/** The filter that the flags make; nothing where none of them was given. */
export function targetFilter(flags: RawFlags) {
  const [on, causes] = [listed(flags['platform']), listed(flags['cause'])];
  if (on.length === 0 && causes.length === 0) return undefined;
  return {
    /** Whether the platform is one of those that were given. */
    isOn: ({ platform }: TargetState) => on.length === 0 || on.includes(platform),
    /** Whether the error has one of the causes that were given. */
    fits: (target: TargetState) =>
      causes.length === 0 || causes.includes(targetCause(target.platform, errorOf(target))),
    causes: causes as readonly TargetCause[],
  };
}

export const filterFaults = (flags: RawFlags): readonly Fault[] => [
  ...unlistedFaults('--platform', listed(flags['platform']), platforms),
  ...unlistedFaults('--cause', listed(flags['cause']), targetCauses),
];

/** The values of a repeatable flag, which may also be given as `a,b`. */
const listed = (values: unknown): readonly string[] =>
  ((values ?? []) as readonly string[]).flatMap((each) => each.split(','));

export const errorOf = ({ error }: TargetState): string => (typeof error === 'string' ? error : '');
