// `webhooks create`: the default name is the host of the URL.

import type { CommandHooks } from '../../client/call-context.ts';
import type { Input } from '../../api/operations/define-operation.ts';

export const createWebhookHooks: CommandHooks = {
  complete(input, note) {
    const host = hostOf(input);
    if (input['name'] !== undefined || host === undefined) return input;
    note(`name set to ${host}, the host of the URL; use --name for another`);
    return { ...input, name: host };
  },
};

function hostOf({ url }: Input): string | undefined {
  if (typeof url !== 'string' || !URL.canParse(url)) return undefined;
  return new URL(url).host || undefined;
}
