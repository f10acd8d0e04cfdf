// Whether anything of what is done is to be remembered on this machine.

import type { World } from '../../world.ts';

/** Whether the user wants no record. */
export function isOff({ env }: World): boolean {
  return !['', '0', 'false'].includes(env['SOCIAL_NO_HISTORY'] ?? '');
}
