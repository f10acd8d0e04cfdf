// The flags that narrow a command to some targets of a post: by platform, by the cause of their failure, by the text of
// their error.

import { Platform } from '../../api/schema/platforms.ts';
import type { TargetState } from '../../api/schema/target-states.ts';
import type { Fault } from '../../base/errors.ts';
import { sanitizeLine } from '../../base/sanitize.ts';
import { unlistedFaults } from '../../base/suggestions.ts';
import { targetCause } from '../../client/causes.ts';
import { type TargetCause, targetCauses } from '../../client/platform-reading.ts';
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
  {
    flags: '--error-match <text>',
    once: true,
    description: 'Retry only failed targets whose error contains this text',
  },
];

export type TargetFilter = NonNullable<ReturnType<typeof targetFilter>>;

/** The filter that the flags make; nothing where none of them was given. */
export function targetFilter(flags: RawFlags) {
  const [on, causes] = [listed(flags['platform']), listed(flags['cause'])];
  const text = flags['errorMatch'] as string | undefined;
  const isByError = causes.length > 0 || text !== undefined;
  if (on.length === 0 && !isByError) return undefined;
  const wanted = text === undefined ? '' : folded(text);
  return {
    /** Whether the platform is one of those that were given. */
    isOn: ({ platform }: TargetState) => on.length === 0 || on.includes(platform),
    /** Whether the error has the cause and the text that were given. */
    fits(target: TargetState): boolean {
      const error = errorOf(target);
      const hasCause = causes.length === 0 || causes.includes(targetCause(target.platform, error));
      return hasCause && folded(error).includes(wanted);
    },
    /** Whether only failed targets can fit. */
    isByError,
    causes: causes as readonly TargetCause[],
  };
}

export const filterFaults = (flags: RawFlags): readonly Fault[] => [
  ...unlistedFaults('--platform', listed(flags['platform']), platforms),
  ...unlistedFaults('--cause', listed(flags['cause']), targetCauses),
  ...(flags['errorMatch'] === '' ? [{ field: '--error-match', problem: 'must not be empty' }] : []),
];

/** The values of a repeatable flag, which may also be given as `a,b`. */
const listed = (values: unknown): readonly string[] =>
  ((values ?? []) as readonly string[]).flatMap((each) => each.split(','));

export const errorOf = ({ error }: TargetState): string => (typeof error === 'string' ? error : '');

/** As it is shown, without case. */
const folded = (text: string): string => sanitizeLine(text).toLowerCase();
