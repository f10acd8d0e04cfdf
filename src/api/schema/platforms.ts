// The platforms. They are apart from posts because most operations need them, and no field of a post.

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

/** The platforms of accounts. The API document lists all but `metaads`, which it only shows for tracking tags. */
export const accountPlatforms = [...Platform.options, 'metaads'] as const;

export type AccountPlatform = (typeof accountPlatforms)[number];

/**
 * Returns the platform on which an account must be. It is none for `metaads`: its operations may accept accounts of other
 * platforms, because the API document does not say.
 */
export const strictPlatformOf = ({ platform }: { readonly platform?: string }) =>
  platform === 'metaads' ? undefined : platform;
