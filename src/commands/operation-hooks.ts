// Which commands have an extra.

import type { Extra } from '../client/call-context.ts';
import { facebookPages } from './connect/facebook-pages.ts';
import { pairing } from './connect/telegram.ts';
import { retry } from './posts/retry.ts';
import { nextStep, postsWait } from './posts/wait.ts';
import { webhooksCreate } from './webhooks/create.ts';
import { webhooksUpdate } from './webhooks/update.ts';

const extras: Readonly<Record<string, Extra>> = {
  'connect facebook pages': facebookPages,
  'connect telegram access-code': pairing,
  'connect telegram session': pairing,
  'posts get': { after: nextStep },
  'posts retry': retry,
  'posts wait': postsWait,
  'webhooks create': webhooksCreate,
  'webhooks update': webhooksUpdate,
};

/** What a command does beyond its operation; nothing for most. */
export const extraOf = (command: string): Extra => extras[command] ?? {};
