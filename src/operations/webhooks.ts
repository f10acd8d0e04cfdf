// "Webhooks" in the API document: create an endpoint, change one.

import * as z from 'zod';
import { ResourceId } from '../schema/ids.ts';
import {
  CustomHeaders,
  WebhookEndpoint,
  WebhookEvents,
  WebhookName,
  WebhookSecret,
  WebhookUrl,
} from '../schema/webhook.ts';
import { operation } from './operation.ts';

const name = WebhookName.optional().describe('Name, 1 to 160 characters');
const url = WebhookUrl.describe('Address that receives the events');
const events = WebhookEvents.describe('Event to subscribe to; see social webhooks events').meta({
  flag: 'event',
  placeholder: 'name',
});
const secret = WebhookSecret.describe('Signing secret, 8 to 1024 characters').meta({
  secret: true,
});
const isActive = z
  .boolean()
  .optional()
  .describe('Deliver events | Hold events back')
  .meta({ flag: 'active|inactive' });
const customHeaders = CustomHeaders.describe('Header to add to each delivery').meta({
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
  'failureCount',
  'lastFiredAt',
  'disabledAt',
] as const;

/** POST /v1/webhooks */
export const create = operation({
  command: 'webhooks create',
  summary: 'Create a webhook endpoint',
  details: ['There is no operation to list or delete endpoints: keep the id that comes back.'],
  method: 'POST',
  path: '/v1/webhooks',
  input: {
    url,
    events,
    name,
    secret: secret.optional(),
    isActive,
    customHeaders: customHeaders.optional(),
  },
  result: WebhookEndpoint,
  columns,
  inspect: 'Look at the endpoints in the service’s own console: this API cannot list them.',
  assumes: ['url and at least one event are required; the document does not say which fields are'],
  examples: [
    [
      'Hear of failures',
      'social webhooks create --url https://ops.example.com/hook --event post.failed --event post.partial',
    ],
  ],
});

/** PATCH /v1/webhooks */
export const update = operation({
  command: 'webhooks update',
  summary: 'Change a webhook endpoint',
  details: ['What is not named stays as it is.'],
  method: 'PATCH',
  path: '/v1/webhooks',
  input: {
    id: ResourceId.describe('Webhook endpoint to change').meta({ argument: 'one' }),
    url: url.optional(),
    events: events.optional(),
    name,
    secret: secret.nullable().optional(),
    isActive,
    customHeaders: customHeaders.nullable().optional(),
  },
  result: WebhookEndpoint,
  columns,
  inspect: 'Run the same command again: the same values give the same endpoint.',
  examples: [['Silence an endpoint', 'social webhooks update WebhookAlertsOps --inactive']],
});
