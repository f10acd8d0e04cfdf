// Which commands have an extra.

import type { Extra } from './extra.ts';
import { facebookPages } from './facebook-pages.ts';
import { nextStep } from './next-step.ts';
import { pairing } from './pairing.ts';
import { postsWait } from './posts-wait.ts';
import { retry } from './retry.ts';
import { webhooksCreate } from './webhooks-create.ts';
import { webhooksUpdate } from './webhooks-update.ts';

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
