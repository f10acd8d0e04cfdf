// `webhooks events`: the names that an endpoint can subscribe to. Offline.

import type { Command } from 'commander';
import { toJsonText, toNdjson } from '../../output/format.ts';
import { WebhookEvent } from '../../api/schema/webhook.ts';
import { leaf } from '../../cli/local-command.ts';
import type { Surroundings } from '../../cli/command-context.ts';

export function add(program: Command, around: Surroundings): void {
  const parent = program.commands.find((command) => command.name() === 'webhooks')!;
  leaf(
    parent,
    {
      word: 'events',
      summary: 'List the events an endpoint can subscribe to',
      details: 'Needs no service and no token.',
      example: 'social webhooks events',
    },
    around,
    async ({ form, world }) => {
      const names = WebhookEvent.options;
      const text =
        form === 'json'
          ? toJsonText(names, world.stdout.isTTY)
          : form === 'ndjson'
            ? toNdjson(names)
            : names.map((name) => `${name}\n`).join('');
      await world.stdout.write(text);
    },
  );
}
