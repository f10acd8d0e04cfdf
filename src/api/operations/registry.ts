// The areas of the API and the files of their operations. An area is loaded on first use.

import type { Operation } from './define-operation.ts';

export const areas = {
  posts: {
    summary: 'Read posts, retry failed targets, reply to comments',
    groups: {},
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
    groups: {},
    load: () => import('./credentials.ts'),
  },
  webhooks: {
    summary: 'Create and update webhook endpoints, receive deliveries',
    groups: {},
    load: () => import('./webhooks.ts'),
  },
} as const satisfies Record<string, Area>;

interface Area {
  readonly summary: string;
  /** Summaries of the command groups between the area and the verb. */
  readonly groups: Readonly<Record<string, string>>;
  readonly load: () => Promise<object>;
}

export type AreaName = keyof typeof areas;

/** The operations of an area, by their exported names. */
export type OperationsOf<A extends AreaName> = Awaited<ReturnType<(typeof areas)[A]['load']>>;

/** The operations of one area, in alphabetical order of their names. */
export async function operationsOf(area: AreaName): Promise<readonly Operation[]> {
  return inOrder(await areas[area].load()).map(([, operation]) => operation);
}

/** An operation with its area and its name there. */
export interface ListedOperation {
  readonly area: AreaName;
  readonly name: string;
  readonly operation: Operation;
}

export async function everyOperation(): Promise<readonly ListedOperation[]> {
  const names = Object.keys(areas) as AreaName[];
  const loaded = await Promise.all(
    names.map(async (area) => [area, await areas[area].load()] as const),
  );
  return loaded.flatMap(([area, module]) =>
    inOrder(module).map(([name, operation]) => ({ area, name, operation })),
  );
}

/** Sorts by name, because module loaders differ in order. */
function inOrder(module: object): readonly (readonly [name: string, operation: Operation])[] {
  const operations = Object.entries(module) as [string, Operation][];
  return operations.toSorted(([a], [b]) => (a < b ? -1 : 1));
}
