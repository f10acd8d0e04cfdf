// `webhooks update`: notes which lists are replaced as a whole, since the API cannot add to one.

import type { CommandHooks } from '../../client/call-context.ts';

const lists = [
  { name: 'events', says: '--event replaces all events of this endpoint' },
  { name: 'customHeaders', says: '--header replaces all custom headers of this endpoint' },
] as const;

export const updateWebhookHooks: CommandHooks = {
  complete(input, note) {
    for (const { name, says } of lists) if (input[name] != null) note(says);
    return input;
  },
};
