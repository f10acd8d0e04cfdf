// `webhooks create`: an endpoint without a name is called after the host of its URL.

import type { Extra } from './extra.ts';

export const webhooksCreate: Extra = {
  complete(input, note) {
    const { url } = input;
    if (input['name'] !== undefined || typeof url !== 'string' || !URL.canParse(url)) return input;
    const { host } = new URL(url);
    if (host === '') return input;
    note(`name: ${host} (the URL’s host; --name gives another)`);
    return { ...input, name: host };
  },
};
