// Refuses an account that is known to be on another platform than the operation needs. Known are the accounts by
// platform in the context, and those that responses of the service have shown.

import { strictPlatformOf } from '../api/schema/platforms.ts';
import type { Input, Operation } from '../api/operations/define-operation.ts';
import type { Field } from '../api/operations/fields.ts';
import type { Fault } from '../base/errors.ts';
import type { Runtime } from '../base/runtime.ts';
import { flagName } from '../config/flags.ts';
import type { Settings } from '../config/settings.ts';
import { idsSeen } from '../history/seen-ids.ts';

/** Makes the function that returns the fault of an input, if there is one. The files are read once. */
export function accountFaults(
  operation: Operation,
  fields: readonly Field[],
  settings: Settings,
  runtime: Runtime,
): (input: Input) => readonly Fault[] {
  const field = fields.find(({ fromContext }) => fromContext === 'account');
  const platform = strictPlatformOf(operation);
  if (platform === undefined || field === undefined) return () => [];
  let platformById: ReadonlyMap<string, string> | undefined;
  return (input) => {
    const account = input[field.name];
    if (typeof account !== 'string') return [];
    platformById ??= platformsOf(settings, runtime);
    const itsPlatform = platformById.get(account);
    if (itsPlatform === undefined || itsPlatform === platform) return [];
    const fitting = [...platformById].find(([, other]) => other === platform)?.[0];
    return [
      {
        field: flagName(field),
        problem: `${account} is on ${itsPlatform}; this needs an account on ${platform}`,
        fix: fitting && `known on ${platform}: ${fitting}`,
      },
    ];
  };
}

/** Returns accounts with their platforms; responses of the service take precedence over the context. */
function platformsOf(settings: Settings, runtime: Runtime): ReadonlyMap<string, string> {
  const platformById = new Map<string, string>();
  for (const { kind, id, owner } of idsSeen({ ...settings, ...runtime }))
    if (kind === 'account' && owner !== '' && !platformById.has(id)) platformById.set(id, owner);
  for (const [platform, id] of Object.entries(settings.stored?.accounts ?? {}))
    if (!platformById.has(id)) platformById.set(id, platform);
  return platformById;
}
