// Which of several accounts counts for a call.

import { ownProperty } from '../base/json.ts';
import type { Settings } from './settings.ts';

export interface AccountInUse {
  readonly id: string;
  /** Where it comes from, as a message says it. */
  readonly from: string;
}

/**
 * The account of a call: the flag, else the variable, else the context’s own for the platform, else the plain default of
 * the context or of all contexts.
 */
export function accountFor(
  { account, accountFrom, accountOrigin, stored }: Settings,
  platform: string | undefined,
): AccountInUse | undefined {
  const isTyped = accountOrigin === 'flag' || accountOrigin === 'environment';
  const own = platform === undefined ? undefined : ownProperty(stored?.accounts, platform);
  if (own !== undefined && !isTyped)
    return { id: own, from: `the context’s account for ${platform!}` };
  return account === undefined ? undefined : { id: account, from: accountFrom! };
}
