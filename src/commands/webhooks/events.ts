// `webhooks events`: the names that an endpoint can subscribe to. Offline.

import { WebhookEvent } from '../../api/schema/webhook.ts';
import type { LocalCommand } from '../../cli/local-command.ts';
import { printWords } from '../../output/write-result.ts';

export const eventsCommand: LocalCommand = {
  word: 'events',
  summary: 'List the events an endpoint can subscribe to',
  details: 'Needs no service and no token.',
  example: 'social webhooks events',
  run: (call) => printWords(call, WebhookEvent.options),
};
