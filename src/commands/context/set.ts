// `context set`: creates a context, or changes what its flags name.

import { accountPlatforms, isStrictPlatform } from '../../api/schema/platforms.ts';
import { resourceIdFault } from '../../api/schema/ids.ts';
import { type Fault, usageFailure } from '../../base/errors.ts';
import { ownProperty } from '../../base/json.ts';
import { quote } from '../../base/sanitize.ts';
import { splitShellWords } from '../../base/shell.ts';
import type { LocalCall } from '../../cli/local-command.ts';
import { changeConfig, type StoredContext, withContext } from '../../config/file.ts';
import { platformOf } from '../../history/seen-ids.ts';
import { contextNameOf } from './context-name.ts';

/** The flags that remove a setting, with the setting. */
const cleared = {
  noAccount: 'account',
  noOutput: 'output',
  noTokenCommand: 'tokenCommand',
} as const;

export async function set(call: LocalCall): Promise<void> {
  const name = contextNameOf(call, { mayBeNew: true });
  const { flags, settings, config: before } = call;
  const { tokenCommand } = flags as Partial<Record<string, string>>;
  const faults: Fault[] = [];
  const changes: Partial<StoredContext> = {};
  if (flags['baseUrl'] !== undefined) changes.baseUrl = settings.baseUrl;
  const accounts = accountsOf(name, call, faults);
  if (accounts.plain !== undefined) changes.account = accounts.plain;
  if (flags['output'] !== undefined || flags['json'] !== undefined)
    changes.output = settings.wide ? 'wide' : settings.output;
  if (tokenCommand !== undefined) {
    const words = splitShellWords(tokenCommand, call.runtime.program.platform) ?? [];
    changes.tokenCommand = [...words];
    if (words.length === 0)
      faults.push({ field: '--token-command', problem: 'is empty or has an unclosed quote' });
  }
  if (flags['protected'] === true) changes.protected = true;
  if (flags['noProtected'] === true) changes.protected = false;
  // An account for one platform is no opposite: it stays when the default goes.
  if (flags['noAccount'] === true && accounts.plain !== undefined)
    faults.push({ field: '--account', problem: 'cannot be combined with --no-account' });
  if (faults.length > 0) throw usageFailure(faults);
  for (const [flag, key] of Object.entries(cleared))
    if (flags[flag] === true) changes[key] = undefined;
  await changeConfig(call.runtime, (config) => {
    const merged = mergedAccounts(ownProperty(config.contexts, name), accounts);
    const context = config.context ?? name;
    return withContext({ ...config, context }, name, { ...changes, ...merged });
  });
  const done = Object.hasOwn(before.contexts ?? {}, name) ? 'Updated' : 'Created';
  const switched = before.context === undefined ? ` Switched to context ${quote(name)}.` : '';
  call.runtime.note(`${done} context ${quote(name)}.${switched}`);
}

/** The accounts of the flags: `<id>`, `<platform>=<id>`, and `<platform>=`, an empty text, which removes one. */
function accountsOf(context: string, call: LocalCall, faults: Fault[]) {
  const typed = [(call.flags['account'] ?? []) as string | readonly string[]].flat();
  const stored = ownProperty(call.config.contexts, context);
  const baseUrl = call.flags['baseUrl'] === undefined ? stored?.baseUrl : call.settings.baseUrl;
  const at = { context, baseUrl };
  const byPlatform: Record<string, string> = {};
  let plain: string | undefined;
  for (const each of typed.flatMap((text) => text.split(','))) {
    const [, platform, id = ''] = /^([^=]*)=(.*)$/s.exec(each) ?? [undefined, undefined, each];
    const wrong = resourceIdFault(id);
    if (platform !== undefined && !accountPlatforms.some((known) => known === platform))
      faults.push(unknownPlatform(platform));
    else if (platform !== undefined && id === '') byPlatform[platform] = '';
    else if (wrong !== undefined) faults.push({ field: '--account', problem: wrong });
    else if (platform === undefined) {
      faults.push(...secondAccount(plain, id, 'as the default'));
      plain = id;
    } else {
      faults.push(...secondAccount(byPlatform[platform], id, `for ${platform}`));
      const known = platformOf(id, { ...at, ...call.runtime });
      if (known !== undefined && known !== platform && isStrictPlatform(platform))
        faults.push({ field: '--account', problem: `${id} is on ${known}, not on ${platform}` });
      byPlatform[platform] = id;
    }
  }
  return { byPlatform, plain };
}

/** The fault of a second account where one was given: the last would win unseen. */
function secondAccount(first: string | undefined, id: string, purpose: string): readonly Fault[] {
  if (!first || first === id) return [];
  return [{ field: '--account', problem: `names two accounts ${purpose}: ${first} and ${id}` }];
}

const unknownPlatform = (platform: string): Fault => ({
  field: '--account',
  problem: `has an unknown platform, ${quote(platform)}`,
  fix: `platforms: ${accountPlatforms.join(', ')}`,
  among: { typed: platform, choices: accountPlatforms },
});

/** The accounts by platform as they are afterwards; nothing where no flag is about one. */
function mergedAccounts(
  stored: StoredContext | undefined,
  { byPlatform }: ReturnType<typeof accountsOf>,
): Partial<StoredContext> {
  if (Object.keys(byPlatform).length === 0) return {};
  const all = Object.entries({ ...stored?.accounts, ...byPlatform }).filter(([, id]) => id !== '');
  return { accounts: all.length === 0 ? undefined : Object.fromEntries(all) };
}
