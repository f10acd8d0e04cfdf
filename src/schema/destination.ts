// Where connected accounts can publish: Facebook pages and their readiness, Reddit flairs.

import * as z from 'zod/mini';
import { sampled } from './enumeration.ts';
import { Platform } from './platform.ts';

const Texts = z.array(z.string());

const FacebookPage = z
  .partial(
    z.object({
      id: z.string(),
      name: z.string(),
      username: z.string(),
      category: z.string(),
      tasks: Texts,
      pageUrl: z.string(),
      pictureUrl: z.string(),
      connectedInstagramAccountId: z.string(),
      connectedInstagramUsername: z.string(),
      connectedInstagramName: z.string(),
      connectedInstagramAccountType: z.string(),
      connectedInstagramProfilePictureUrl: z.string(),
      selected: z.boolean(),
      canPublish: z.boolean(),
      missingPermissions: Texts,
    }),
  )
  .register(z.globalRegistry, { id: 'FacebookPage' });

/** Whether a connected account can publish, and what it lacks. */
const Readiness = z
  .partial(
    z.object({
      platform: Platform,
      ready: z.boolean(),
      status: sampled('ready'),
      checkedAt: z.string(),
      reconnectRecommended: z.boolean(),
      selectedDestinationId: z.string(),
      selectedDestinationName: z.string(),
      missingScopes: Texts,
      missingPermissions: Texts,
      missingDestinations: Texts,
      issues: z.array(z.partial(z.object({ code: z.string(), message: z.string() }))),
      capabilities: z.array(
        z.partial(
          z.object({
            key: sampled('publish'),
            supported: z.boolean(),
            status: sampled('ready'),
            reason: z.string(),
            requiredScopes: Texts,
            requiredPermissions: Texts,
          }),
        ),
      ),
    }),
  )
  .register(z.globalRegistry, { id: 'Readiness' });

export const FacebookPages = z
  .partial(
    z.object({
      accountId: z.string(),
      pages: z.array(FacebookPage),
      selectedPageId: z.string(),
      fetchedAt: z.string(),
      readiness: Readiness,
    }),
  )
  .register(z.globalRegistry, { id: 'FacebookPages' });

export const RedditFlairs = z
  .partial(
    z.object({
      flairs: z.array(
        z
          .partial(
            z.object({
              id: z.string(),
              text: z.string(),
              type: z.string(),
              textEditable: z.boolean(),
            }),
          )
          .register(z.globalRegistry, { id: 'RedditFlair' }),
      ),
    }),
  )
  .register(z.globalRegistry, { id: 'RedditFlairs' });
