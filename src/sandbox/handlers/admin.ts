// Handlers for ads, credentials and webhooks. Webhook endpoints are stored and never called; their secret is not
// stored.

import { find, type HandlersOf, makeId, toTimestamp } from './handler.ts';

export const ads: HandlersOf<'ads'> = {
  audiencesDelete({ audienceId }, records) {
    const { name } = find(records, 'audience', audienceId);
    records.delete('audience', audienceId);
    return { message: `Audience ${audienceId} (${name}) was deleted.` };
  },
};

export const credentials: HandlersOf<'credentials'> = {
  /** `connectedAccountCount` counts the accounts that this call disconnected: none in a second call. */
  disable({ credentialId }, records) {
    const before = find(records, 'credential', credentialId);
    const linked = records
      .list('account')
      .filter((account) => account.credentialId === credentialId);
    const connected = linked.filter((account) => account.connected);
    for (const account of connected)
      records.put('account', account.id, { ...account, connected: false });
    const version = (before.version ?? 0) + 1;
    const updatedAt = toTimestamp(records.now);
    const credential =
      before.status === 'disabled' ? before : { ...before, status: 'disabled', version, updatedAt };
    records.put('credential', credentialId, credential);
    return {
      credential,
      impact: {
        linkedAccountCount: linked.length,
        connectedAccountCount: connected.length,
        needsReconnectAccountCount: linked.length,
      },
      action: 'disabled',
    };
  },
};

export const webhooks: HandlersOf<'webhooks'> = {
  create({ url, events, name, secret, isActive, customHeaders }, records) {
    const at = toTimestamp(records.now);
    const endpoint = {
      id: makeId(`webhook ${records.count('webhook') + 1}`),
      organizationId: 'org_riverbank',
      // A name has at most 160 characters.
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

  update({ id, secret, customHeaders, ...changes }, records) {
    const before = find(records, 'webhook', id, 'webhook_endpoint');
    const endpoint = {
      ...before,
      ...changes,
      // `null` removes the secret, or the headers.
      hasSecret: secret === undefined ? before.hasSecret : secret !== null,
      customHeaders: customHeaders === undefined ? before.customHeaders : (customHeaders ?? {}),
      updatedAt: toTimestamp(records.now),
    };
    records.put('webhook', id, endpoint);
    return endpoint;
  },
};
