// Webhook endpoints: the resource, the twelve events, and the rules for the fields of an endpoint.

import * as z from 'zod/mini';
import { ResourceId } from './ids.ts';
import {
  fieldMeta,
  enumeration,
  resource,
  stringRule,
  Timestamp,
  typeOf,
  unsendableReason,
} from './rules.ts';

/** The events an endpoint subscribes to ("Events"). */
export const WebhookEvent = enumeration([
  'post.scheduled',
  'post.updated',
  'post.published',
  'post.unpublished',
  'post.failed',
  'post.partial',
  'post.recycled',
  'account.connected',
  'account.disconnected',
  'ad.created',
  'ad.status_changed',
  'account.ads.initial_sync_completed',
]).register(z.globalRegistry, { id: 'WebhookEvent' });

export const WebhookEvents = z
  .array(WebhookEvent, { error: 'must be a list of events' })
  .check(
    z.minLength(1, { error: 'needs at least one event' }),
    z.maxLength(12, {
      error: ({ input }) => `must be 1 to 12 events, got ${(input as unknown[]).length}`,
    }),
    ({ value, issues }) => {
      const twice = value.find((event, i) => value.indexOf(event) !== i);
      if (twice === undefined) return;
      issues.push({ code: 'custom', message: `must not name ${twice} twice`, input: value });
    },
  )
  .register(z.globalRegistry, { uniqueItems: true });

/** The URL must be HTTPS with a host and without a password. `new URL` alone would read `https:h` as a host. */
export const WebhookUrl = stringRule(
  (value) => {
    const hasHost = /^https:\/\/[^/\\?#@\s]/i.test(value) && !/[\s\\]/.test(value);
    const url = hasHost && URL.canParse(value) ? new URL(value) : undefined;
    const isUsable = url !== undefined && url.username === '' && url.password === '';
    return (
      unsendableReason(value) ??
      (isUsable ? undefined : 'must be https:// with a host and no user name')
    );
  },
  {
    pattern: '^[Hh][Tt][Tt][Pp][Ss]://[^/\\\\?#@\\s]',
    format: 'uri',
  },
  { placeholder: 'https-url' },
);

/** The characters of a header's name (a token in RFC 9110). */
export const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HEADER_VALUE = /^[^\0\r\n]*$/;
const RESERVED_HEADERS = new Set(['host', 'content-length', 'transfer-encoding']);

/** Headers that the service adds to its deliveries. Their values are secrets: messages have only their names. */
export const CustomHeaders = z
  .custom<Record<string, string>>()
  .check((context) => {
    const { value } = context;
    // The issue has no input: that would be the secrets.
    const complain = (message: string) =>
      context.issues.push({ code: 'custom', message, input: undefined });
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      complain(`must be an object of strings, got ${typeOf(value)}`);
      return;
    }
    for (const [name, text] of Object.entries(value as Record<string, unknown>)) {
      const quoted = JSON.stringify(name);
      // `__proto__` would set the prototype of a copy instead of a property.
      if (!HEADER_NAME.test(name) || name === '__proto__')
        complain(`name ${quoted} is not a header name`);
      else if (RESERVED_HEADERS.has(name.toLowerCase())) complain(`name ${quoted} is not allowed`);
      if (typeof text !== 'string')
        complain(`value of ${quoted} must be text, got ${typeOf(text)}`);
      else if (!HEADER_VALUE.test(text) || !text.isWellFormed()) {
        complain(
          `value of ${quoted} contains a line break or another character no header can carry`,
        );
      }
    }
  })
  .register(z.globalRegistry, {
    type: 'object',
    propertyNames: { pattern: HEADER_NAME.source },
    additionalProperties: { type: 'string', pattern: HEADER_VALUE.source },
  })
  .register(fieldMeta, { placeholder: 'K: V' });

/** The endpoint never contains the secret, only whether there is one. */
export const WebhookEndpoint = resource('WebhookEndpoint', {
  id: ResourceId,
  organizationId: z.string(),
  name: z.string(),
  url: z.string(),
  events: z.array(WebhookEvent),
  isActive: z.boolean().register(fieldMeta, { label: 'active' }),
  hasSecret: z.boolean().register(fieldMeta, { label: 'secret' }),
  customHeaders: z.record(z.string(), z.unknown()).register(fieldMeta, { label: 'headers' }),
  failureCount: z.int().register(fieldMeta, { label: 'failures', look: 'alarm' }),
  createdBy: z.string(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  lastFiredAt: Timestamp,
  disabledAt: Timestamp,
});
