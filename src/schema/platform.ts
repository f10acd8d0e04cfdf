// The fourteen platforms ("What the service does").

import * as z from 'zod/mini';
import { enumeration } from './enumeration.ts';

export const Platform = enumeration([
  'twitter',
  'pinterest',
  'linkedin',
  'bluesky',
  'mastodon',
  'reddit',
  'telegram',
  'youtube',
  'facebook',
  'instagram',
  'threads',
  'tiktok',
  'googlebusiness',
  'discord',
]).register(z.globalRegistry, { id: 'Platform' });
