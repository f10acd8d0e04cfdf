// The platforms of accounts. Without the schemas of account.ts, which most commands do not need.

import { Platform } from './post.ts';

/** The platforms that an account can be on: the document lists all but `metaads`, which it shows for tracking tags. */
export const accountPlatforms = [...Platform.options, 'metaads'] as const;

export type AccountPlatform = (typeof accountPlatforms)[number];

/** Whether an account that is known to be on another platform cannot be meant: not where the document is silent. */
export const isStrictPlatform = (platform: string): boolean => platform !== 'metaads';

/** The platform of an operation whose account cannot be on another one: none where the document is silent. */
export const strictPlatformOf = ({ platform }: { readonly platform?: string }) =>
  platform !== undefined && isStrictPlatform(platform) ? platform : undefined;
