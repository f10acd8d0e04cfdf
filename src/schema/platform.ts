// The fourteen platforms ("What the service does").

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
]).meta({ id: 'Platform' });
