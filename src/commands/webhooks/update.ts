// `webhooks update`: notes which lists are replaced as a whole, since the API cannot add to one. The flags that add or
// remove an item replace the list as it was last seen here. With nothing to change it prompts on a terminal.

import { WebhookEvent } from '../../api/schema/webhook.ts';
import type { Fault } from '../../base/errors.ts';
import { unlistedFaults } from '../../base/suggestions.ts';
import type { CommandHooks } from '../../client/call-context.ts';
import type { RawFlags } from '../../config/choices.ts';
import { camelCase } from '../../config/flags.ts';
import { itemsIn } from '../../input/flag-values.ts';

const lists = [
  { name: 'events', says: '--event replaces all events of this endpoint' },
  { name: 'customHeaders', says: '--header replaces all custom headers of this endpoint' },
] as const;

/** The flags that change a list, and those that give the whole of it. */
const clashes: Readonly<Record<string, readonly string[]>> = {
  '--add-event': ['--event', '--all-events'],
  '--remove-event': ['--event', '--all-events'],
  '--add-header': ['--header', '--clear-headers'],
  '--remove-header': ['--header', '--clear-headers'],
};

export const updateWebhookHooks: CommandHooks = {
  options: [
    {
      flags: '--add-event <name>',
      description: 'Add this event to the last list known here; repeatable',
      repeatable: true,
      values: WebhookEvent.options,
    },
    {
      flags: '--remove-event <name>',
      description: 'Remove this event from the last list known here; repeatable',
      repeatable: true,
      values: WebhookEvent.options,
    },
    {
      flags: '--add-header <K: V>',
      description: 'Add this header, where every header there is has a new value; repeatable',
      repeatable: true,
      secret: true,
    },
    {
      flags: '--remove-header <name>',
      description: 'Remove this header, where no other header is left; repeatable',
      repeatable: true,
    },
  ],

  flagFaults(flags): readonly Fault[] {
    const combined = Object.entries(clashes).flatMap(([field, others]) =>
      [...others, '--from']
        .filter((other) => isTyped(flags, field) && isTyped(flags, other))
        .map((other) => ({ field, problem: `cannot be combined with ${other}` })),
    );
    const { addEvent = [], removeEvent = [] } = flags as Readonly<Record<string, string[]>>;
    return [
      ...combined,
      ...unlistedFaults('--add-event', itemsIn(addEvent), WebhookEvent.options),
      ...unlistedFaults('--remove-event', itemsIn(removeEvent), WebhookEvent.options),
    ];
  },

  complete(input, note) {
    for (const { name, says } of lists) if (input[name] != null) note(says);
    return input;
  },

  async revise(input, context) {
    const changes = Object.keys(clashes).some((flag) => isTyped(context.flags, flag));
    if (!changes && !lists.some(({ name }) => name in input)) return input;
    const { reviseLists } = await import('./list-changes.ts');
    return reviseLists(input, context);
  },

  async dialogue(input, talk) {
    const { updateDialogue } = await import('./endpoint-dialogue.ts');
    return updateDialogue(input, talk);
  },
};

const isTyped = (flags: RawFlags, flag: string): boolean =>
  flags[camelCase(flag.slice(2))] !== undefined;
