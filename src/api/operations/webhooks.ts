// "Webhooks" in the API document: create an endpoint, change one.

import { described, StrictBoolean, textSchema } from '../schema/rules.ts';
import * as z from 'zod/mini';
import { ResourceId } from '../schema/ids.ts';
import { CustomHeaders, WebhookEndpoint, WebhookEvents, WebhookUrl } from '../schema/webhook.ts';
import { type Input, operation } from './define-operation.ts';

const name = described(z.optional(textSchema(1, 160)), 'Name, 1 to 160 characters');
const url = described(WebhookUrl, 'Webhook URL');
const events = described(WebhookEvents, 'Event to subscribe to (see webhooks events)', {
  flag: 'event',
  placeholder: 'name',
});
const secret = described(textSchema(8, 1024), 'Signing secret, 8 to 1024 characters', {
  secret: true,
});
const active = {
  flag: 'active',
  off: { flag: 'inactive', description: 'Deactivate the endpoint' },
};
const isActive = described(z.optional(StrictBoolean), 'Activate the endpoint', active);
const customHeaders = described(CustomHeaders, 'Custom header for each delivery', {
  flag: 'header',
  secret: true,
});

const columns = [
  'name',
  'id',
  'url',
  'events',
  'isActive',
  'hasSecret',
  'customHeaders',
  'failureCount',
  'lastFiredAt',
  'disabledAt',
] as const;

/** Names an endpoint without a name after the host of its URL. */
function withName(input: Input, note: (line: string) => void): Input {
  const typed = input['url'];
  const host = typeof typed === 'string' && URL.canParse(typed) ? new URL(typed).host : '';
  if (host === '' || input['name'] !== undefined) return input;
  note(`name set to ${host}, the host of the URL; use --name for another`);
  return { ...input, name: host };
}

export const create = operation({
  command: 'webhooks create',
  summary: 'Create a webhook endpoint',
  question: 'Create webhook',
  details:
    'The API cannot list or delete endpoints: note the ID in the result. JSON output has the values of headers, which a table masks.',
  method: 'POST',
  path: '/v1/webhooks',
  input: {
    url,
    events,
    name: described(name, 'Name, 1 to 160 characters (default: the host of the URL)'),
    secret: z.optional(secret),
    isActive: described(isActive, 'Activate the endpoint (the default)', active),
    customHeaders: z.optional(customHeaders),
  },
  complete: withName,
  result: WebhookEndpoint,
  columns,
  done(said) {
    const id = said('id');
    return `Created the endpoint ${said('name')}${id === undefined ? '' : `: ${id}`}`;
  },
  inspect: 'Check the webhooks in the service’s own console: the API cannot list them.',
  examples: {
    'Receive failures':
      'social webhooks create --url https://ops.example.com/hook --event post.failed --event post.partial',
  },
});

export const update = operation({
  command: 'webhooks update',
  summary: 'Update a webhook endpoint',
  question: 'Update webhook',
  details: '--event and --header replace the whole list. What is not named keeps its value.',
  method: 'PATCH',
  path: '/v1/webhooks',
  input: {
    id: described(ResourceId, 'Webhook ID (16 letters, from webhooks create or history list)', {
      argument: 'one',
    }),
    url: z.optional(url),
    events: described(z.optional(WebhookEvents), 'New list of events (see webhooks events)', {
      flag: 'event',
      placeholder: 'name',
      remark: '--event replaces all events of this endpoint',
    }),
    name,
    secret: z.optional(z.nullable(secret)),
    isActive,
    customHeaders: described(
      z.optional(z.nullable(CustomHeaders)),
      'New list of headers; JSON output has their values',
      {
        flag: 'header',
        secret: true,
        remark: '--header replaces all custom headers of this endpoint',
      },
    ),
  },
  result: WebhookEndpoint,
  columns,
  onlySetsValues: true,
  done(said) {
    const which = said('name') ?? said('id');
    const isTyped = said('input.isActive') !== undefined;
    const state = said('isActive') === 'true' ? 'active' : 'inactive';
    return isTyped ? `The endpoint ${which} is ${state} now` : `Updated the endpoint ${which}`;
  },
  inspect:
    'Check in the service’s own console: the API cannot show a webhook. Running the command again sets the same values.',
  examples: {
    'Deactivate an endpoint': 'social webhooks update WebhookAlertsOps --inactive',
    'One event': 'social webhooks update WebhookAlertsOps --event post.failed',
  },
});
