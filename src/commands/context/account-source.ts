// Which account a command would take, and where it comes from, in words: for `context show` and `auth status`.

import type { OutputForm } from '../../config/choices.ts';
import type { StoredContext } from '../../config/file.ts';
import { accountFor } from '../../config/accounts.ts';
import type { Settings } from '../../config/settings.ts';

/** The accounts of a context by platform: as they are stored for a program, in one text for a reader. */
export function shownAccounts(
  { accounts }: { readonly accounts?: StoredContext['accounts'] },
  form: OutputForm,
): Readonly<Record<string, string>> | string | undefined {
  if (accounts === undefined || form === 'json' || form === 'ndjson') return accounts;
  return Object.entries(accounts)
    .map(([platform, id]) => `${platform}=${id}`)
    .join(', ');
}

/** `AccountMastodonA (SOCIAL_ACCOUNT)`; where the context has accounts by platform, each of them. */
export function accountInUse(settings: Settings): string | undefined {
  const isTyped = settings.accountOrigin === 'flag' || settings.accountOrigin === 'environment';
  const platforms = isTyped ? [] : Object.keys(settings.stored?.accounts ?? {});
  const each = platforms.map((platform) => `${platform}: ${accountFor(settings, platform)!.id}`);
  const plain = accountFor(settings, undefined);
  const rest = plain === undefined ? [] : [`${plain.id} (${plain.from})`];
  const all = [...each, ...(each.length === 0 ? rest : rest.map((text) => `else ${text}`))];
  return all.length === 0 ? undefined : all.join(', ');
}
