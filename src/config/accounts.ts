// Chooses the account of a call.

import { ownProperty } from '../base/json.ts';
import type { SettingOrigin, Settings } from './settings.ts';

interface AccountInUse {
  readonly id: string;
  /** The source, for messages. */
  readonly from: string;
}

/**
 * Returns the account of a call: the flag, else the variable, else the context’s account for the platform, else the
 * default account of the context or of all contexts.
 */
export function accountFor(
  { account, accountFrom, accountOrigin, stored }: Settings,
  platform: string | undefined,
): AccountInUse | undefined {
  const ofPlatform = platform === undefined ? undefined : ownProperty(stored?.accounts, platform);
  if (ofPlatform !== undefined && !isTyped(accountOrigin))
    return { id: ofPlatform, from: `the context’s account for ${platform!}` };
  return account === undefined ? undefined : { id: account, from: accountFrom! };
}

/** Lists the accounts that commands would use, with their sources: `AccountMastodonA (SOCIAL_ACCOUNT)`. */
export function accountInUse(settings: Settings): string | undefined {
  const { accountOrigin, stored } = settings;
  const platforms = isTyped(accountOrigin) ? [] : Object.keys(stored?.accounts ?? {});
  const said = platforms.map((platform) => `${platform}: ${accountFor(settings, platform)!.id}`);
  const plain = accountFor(settings, undefined);
  if (plain !== undefined)
    said.push(`${said.length === 0 ? '' : 'else '}${plain.id} (${plain.from})`);
  return said.join(', ') || undefined;
}

/** A flag or the environment overrides the accounts of platforms. */
const isTyped = (origin: SettingOrigin | undefined): boolean =>
  origin === 'flag' || origin === 'environment';
