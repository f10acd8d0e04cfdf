// Which commands have an extra.

import type { Extra } from './extra.ts';
import { facebookPages } from './facebook-pages.ts';
import { webhooksCreate } from './webhooks-create.ts';

const extras: Readonly<Record<string, Extra>> = {
  'connect facebook pages': facebookPages,
  'webhooks create': webhooksCreate,
};

/** What a command does beyond its operation; nothing for most. */
export const extraOf = (command: string): Extra => extras[command] ?? {};
