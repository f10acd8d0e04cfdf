// Webhook endpoints in the sandbox: kept, never called. The secret itself is not even kept.

import type { BehavioursOf } from '../behaviour.ts';
import { mintId } from '../mint.ts';
import { stamp } from '../stamp.ts';
import { find } from './find.ts';

export const webhooks: BehavioursOf<'webhooks'> = {
  create({ url, events, name, secret, isActive, customHeaders }, records) {
    const at = stamp(records.now);
    const endpoint = {
      id: mintId(`webhook ${records.count('webhook') + 1}`),
      organizationId: 'org_riverbank',
      name: name ?? new URL(url).hostname.slice(0, 160),
      url,
      events,
      isActive: isActive ?? true,
      hasSecret: secret !== undefined,
      customHeaders: customHeaders ?? {},
      failureCount: 0,
      createdBy: 'user_mira',
      createdAt: at,
      updatedAt: at,
    };
    records.put('webhook', endpoint.id, endpoint);
    return endpoint;
  },

  update({ id, secret, customHeaders, ...plain }, records) {
    const before = find(records, 'webhook', id, 'webhook_endpoint');
    const given = Object.fromEntries(
      Object.entries(plain).filter(([, value]) => value !== undefined),
    );
    const endpoint = {
      ...before,
      ...given,
      ...(secret === undefined ? {} : { hasSecret: secret !== null }),
      ...(customHeaders === undefined ? {} : { customHeaders: customHeaders ?? {} }),
      updatedAt: stamp(records.now),
    };
    records.put('webhook', id, endpoint);
    return endpoint;
  },
};
