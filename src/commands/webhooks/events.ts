// `webhooks events`: the names that an endpoint can subscribe to. Offline.

import { toJsonText, toNdjson } from '../../output/format.ts';
import { WebhookEvent } from '../../api/schema/webhook.ts';
import type { LocalCommand } from '../../cli/local-command.ts';

export const eventsCommand: LocalCommand = {
  word: 'events',
  summary: 'List the events an endpoint can subscribe to',
  details: 'Needs no service and no token.',
  example: 'social webhooks events',
  async run({ form, runtime }) {
    const names = WebhookEvent.options;
    const text =
      form === 'json'
        ? toJsonText(names, runtime.stdout.isTTY)
        : form === 'ndjson'
          ? toNdjson(names)
          : names.map((name) => `${name}\n`).join('');
    await runtime.stdout.write(text);
  },
};
