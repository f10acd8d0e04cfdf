// The areas of the API and the files of their operations. An area is loaded on first use.

import type { Operation } from './define-operation.ts';

export const areas = {
  posts: {
    summary: 'Read posts, retry failed targets, reply to comments',
    load: () => import('./posts.ts'),
  },
  accounts: {
    summary: 'Act as a connected account',
    groups: {
      bluesky: 'Direct messages in Bluesky',
      discord: 'Channels of an account’s guild',
      mastodon: 'Favourite, reblog, bookmark and mute statuses',
      'tracking-tags': 'List ad accounts that share a tracking tag',
    },
    load: () => import('./accounts.ts'),
  },
  connect: {
    summary: 'List destinations, select a board, check Telegram pairings',
    groups: {
      facebook: 'Facebook pages',
      pinterest: 'Pinterest boards',
      reddit: 'Reddit flairs',
      telegram: 'Telegram pairing',
    },
    load: () => import('./connect.ts'),
  },
  discord: {
    summary: 'Pin messages and list roles of a Discord guild',
    groups: { pins: 'Pinned messages' },
    load: () => import('./discord.ts'),
  },
  ads: {
    summary: 'Delete an advertising audience',
    groups: { audiences: 'Audiences at the ad provider' },
    load: () => import('./ads.ts'),
  },
  credentials: {
    summary: 'Disable a platform app credential',
    load: () => import('./credentials.ts'),
  },
  webhooks: {
    summary: 'Create and update webhook endpoints, receive deliveries',
    load: () => import('./webhooks.ts'),
  },
} as const satisfies Record<string, Area>;

export interface Area {
  readonly summary: string;
  /** Summaries of the command groups between the area and the verb. */
  readonly groups?: Readonly<Record<string, string>>;
  /** Loads the file of the area, which exports nothing but its operations. */
  readonly load: () => Promise<object>;
}

export type AreaName = keyof typeof areas;

/** The operations of an area, by their exported names. */
export type OperationsOf<A extends AreaName> = Awaited<ReturnType<(typeof areas)[A]['load']>>;

/** An operation with its area and its name there. */
export interface ListedOperation {
  readonly area: AreaName;
  readonly name: string;
  readonly operation: Operation;
}

/** Returns the operations of one area, sorted by name, because module loaders differ in order. */
export async function operationsOf(area: AreaName): Promise<readonly ListedOperation[]> {
  const operations = (await areas[area].load()) as Readonly<Record<string, Operation>>;
  const names = Object.keys(operations).toSorted();
  return names.map((name) => ({ area, name, operation: operations[name]! }));
}

export async function everyOperation(): Promise<readonly ListedOperation[]> {
  const names = Object.keys(areas) as AreaName[];
  return (await Promise.all(names.map(operationsOf))).flat();
}
