// `webhooks events`: the names that an endpoint can subscribe to. Offline.

import type { Command } from 'commander';
import { toJsonText, toNdjson } from '../../output/format.ts';
import { WebhookEvent } from '../../api/schema/webhook.ts';
import { addLocalCommand, type LocalCommand } from '../../cli/local-command.ts';
import type { CommandContext } from '../../cli/command-context.ts';

const events: LocalCommand = {
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

export function add(program: Command, commandContext: CommandContext): void {
  const group = program.commands.find((command) => command.name() === 'webhooks')!;
  addLocalCommand(group, events, commandContext);
}
