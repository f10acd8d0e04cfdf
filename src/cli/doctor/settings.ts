// Values that cannot be used: of variables, of the context, of the settings.

import { usageFailure, type Fault } from '../../errors.ts';
import { failed, type Finding } from './finding.ts';

/** A fault with the command that takes the value back. */
export function settingFault(fault: Fault): Finding {
  const kept = /^config (\w+)$/.exec(fault.field)?.[1];
  const mend = /^SOCIAL_\w+$/.test(fault.field)
    ? `unset ${fault.field}`
    : kept === undefined
      ? undefined
      : `social config unset ${kept}`;
  return failed('settings', usageFailure([fault]), mend);
}
