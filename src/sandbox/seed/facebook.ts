// The Facebook pages of the sandbox's accounts: one account that can publish, one that lacks a permission.

import type { Kinds } from '../kinds.ts';
import { samples } from './samples.ts';

type Pages = Kinds['pages'];

export const readyPages: Pages = {
  accountId: samples.facebookAccountId,
  pages: [
    {
      id: '104200300400501',
      name: 'Riverbank Roasters',
      username: 'riverbankroasters',
      category: 'Coffee shop',
      tasks: ['CREATE_CONTENT', 'MODERATE', 'ANALYZE'],
      pageUrl: 'https://facebook.example/riverbankroasters',
      connectedInstagramAccountId: '17841400000000001',
      connectedInstagramUsername: 'riverbank.roasters',
      connectedInstagramAccountType: 'BUSINESS',
      selected: true,
      canPublish: true,
      missingPermissions: [],
    },
    {
      id: '104200300400502',
      name: 'Riverbank Japan リバーバンク',
      username: 'riverbankjp',
      category: 'Coffee shop',
      tasks: ['ANALYZE'],
      pageUrl: 'https://facebook.example/riverbankjp',
      selected: false,
      canPublish: false,
      missingPermissions: ['pages_manage_posts'],
    },
  ],
  selectedPageId: '104200300400501',
  readiness: {
    platform: 'facebook',
    ready: true,
    status: 'ready',
    reconnectRecommended: false,
    selectedDestinationId: '104200300400501',
    selectedDestinationName: 'Riverbank Roasters',
    missingScopes: [],
    missingPermissions: [],
    missingDestinations: [],
    issues: [],
    capabilities: [
      {
        key: 'publish',
        supported: true,
        status: 'ready',
        requiredScopes: [],
        requiredPermissions: ['pages_manage_posts'],
      },
    ],
  },
};

export const unreadyPages: Pages = {
  accountId: 'AccountFacebookB',
  pages: [
    {
      id: '104200300400503',
      name: 'Riverbank Roasters Linz',
      category: 'Coffee shop',
      tasks: ['ANALYZE'],
      selected: true,
      canPublish: false,
      missingPermissions: ['pages_manage_posts'],
    },
  ],
  selectedPageId: '104200300400503',
  readiness: {
    platform: 'facebook',
    ready: false,
    status: 'action_required',
    reconnectRecommended: true,
    selectedDestinationId: '104200300400503',
    selectedDestinationName: 'Riverbank Roasters Linz',
    missingScopes: [],
    missingPermissions: ['pages_manage_posts'],
    missingDestinations: [],
    issues: [
      { code: 'missing_permission', message: 'The page has not granted pages_manage_posts.' },
    ],
    capabilities: [
      {
        key: 'publish',
        supported: false,
        status: 'missing_permission',
        reason: 'pages_manage_posts is missing',
        requiredScopes: [],
        requiredPermissions: ['pages_manage_posts'],
      },
    ],
  },
};
