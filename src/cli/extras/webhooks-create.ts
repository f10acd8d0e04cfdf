// `webhooks create`: an endpoint without a name is called after the host of its URL; typed bare on a terminal,
// it is a short dialogue that ends by showing the command line it stands for.

import type { Input } from '../../call/request.ts';
import { WebhookName, WebhookSecret } from '../../schema/webhook.ts';
import type { Extra } from './extra.ts';

export const webhooksCreate: Extra = {
  complete(input, note) {
    const host = hostOf(input);
    if (input['name'] !== undefined || host === undefined) return input;
    note(`name: ${host} (the URL’s host; --name gives another)`);
    return { ...input, name: host };
  },

  async dialogue(input, ask) {
    const name = await ask.text({
      message: 'Name',
      initial: hostOf(input) ?? '',
      validate: (text) => WebhookName.safeParse(text).error?.issues[0]!.message,
    });
    const how = await ask.choose({
      message: 'Signing secret',
      choices: [
        { value: 'none', name: 'none' },
        { value: 'typed', name: 'one that I type' },
      ],
    });
    const secret =
      how === 'typed'
        ? await ask.secret({
            message: 'Secret',
            validate: (text) => WebhookSecret.safeParse(text).error?.issues[0]!.message,
          })
        : undefined;
    const isActive = await ask.confirm('Deliver events from the start?');
    return { ...input, name, isActive, ...(secret === undefined ? {} : { secret }) };
  },
};

function hostOf({ url }: Input): string | undefined {
  if (typeof url !== 'string' || !URL.canParse(url)) return undefined;
  return new URL(url).host || undefined;
}
