// The platforms, apart from posts: most operations need to know them, and no field of a post.

import * as z from 'zod/mini';
import { enumeration } from './rules.ts';

/** The fourteen platforms ("What the service does"). */
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

/** The platforms that an account can be on: the document lists all but `metaads`, which it shows for tracking tags. */
export const accountPlatforms = [...Platform.options, 'metaads'] as const;

export type AccountPlatform = (typeof accountPlatforms)[number];

/** Whether an account that is known to be on another platform cannot be meant: not where the document is silent. */
export const isStrictPlatform = (platform: string): boolean => platform !== 'metaads';

/** The platform of an operation whose account cannot be on another one: none where the document is silent. */
export const strictPlatformOf = ({ platform }: { readonly platform?: string }) =>
  platform !== undefined && isStrictPlatform(platform) ? platform : undefined;
